// What a break is: every way in which the acquirer, an attempt and the books can tell different stories, and none more.
import { type AttemptInBooks, findingsOf, type ListedOrder, type Standing } from "../../functions/domain/reconcile.ts";
import { atMs, attemptRow, bookingRow } from "../support/ledger-rows.ts";

const day = 24 * 60 * 60 * 1000;
const hour = day / 24;
const succeeded = { state: "succeeded", closedAtMs: atMs, chargeId: "ch_1" } as const;

function ours(
  changes: Parameters<typeof attemptRow>[0] = {},
  bookings = [bookingRow({ sourceId: "ch_1" })],
): AttemptInBooks {
  return { attempt: attemptRow({ id: "att_1", ...succeeded, ...changes }), bookings };
}

const refund = { kind: "refund", acquirerReference: "auth_1", refundId: "re_1", amountMinor: 500n } as const;
const refunded = bookingRow({
  kind: "refund",
  sourceId: "re_1",
  entries: [
    { ledgerAccount: "merchant_payable", direction: "debit", amountMinor: 500n },
    { ledgerAccount: "acquirer_receivable", direction: "credit", amountMinor: 500n },
  ],
});

function listed(changes: Partial<ListedOrder> = {}): ListedOrder {
  const order = { key: "att_1", kind: "authorize", amountMinor: 2_000n, currency: "usd", createdAtMs: atMs } as const;
  return { ...order, ...changes };
}

const find = (of: AttemptInBooks | null, standing: Standing, list: ListedOrder | null = null, nowMs = atMs + day / 2) =>
  findingsOf({ key: "att_1", ours: of, standing, endsAtMs: null, listed: list }, nowMs).map(
    ({ kind, detail }) => `${kind}: ${detail}`,
  );

describe("there is no break", () => {
  test.each<[string, AttemptInBooks | null, Standing, ListedOrder | null]>([
    ["where all three say the same", ours(), "effective", listed()],
    ["in a hold, which is not booked", ours({ captureLater: true }, []), "effective", null],
    ["in a void, which is not booked", ours({ kind: "void", acquirerReference: "auth_1" }, []), "effective", null],
    ["in a capture", ours({ kind: "capture", acquirerReference: "auth_1" }), "effective", listed({ kind: "capture" })],
    ["in a refund", ours(refund, [refunded]), "effective", null],
    ["where both sides declined", ours({ state: "declined" }, []), "without_effect", null],
    ["where the acquirer never heard of what was given up", ours({ state: "declined" }, []), "none", null],
    ["while the acquirer is at work", ours({}), "running", null],
    [
      "in an attempt that is open since less than a day",
      ours({ state: "open", closedAtMs: null }, []),
      "effective",
      null,
    ],
    ["in an order of the acquirer's that had no effect", null, "without_effect", null],
    ["where there is nothing at all", null, "none", null],
  ])("%s", (_what, of, standing, list) => {
    expect(find(of, standing, list)).toEqual([]);
  });
});

describe("there is a break", () => {
  test.each<[string, AttemptInBooks | null, Standing, ListedOrder | null, string[]]>([
    [
      "for an effect that nobody here asked for",
      null,
      "effective",
      listed(),
      ["effect_without_attempt: an order of the acquirer's: authorization of 2000 usd"],
    ],
    ["for one that will have an effect", null, "pending", null, ["effect_without_attempt: an order of the acquirer's"]],
    [
      "for a hold that the acquirer does not know",
      ours({ captureLater: true }, []),
      "none",
      null,
      ["attempt_without_effect: its authorization of 2000 usd succeeded here and is unknown at the acquirer"],
    ],
    [
      "for money that is booked and was not taken",
      ours(),
      "without_effect",
      null,
      ["booked_without_effect: its authorization of 2000 usd succeeded here and is without effect at the acquirer"],
    ],
    [
      "for a success that the acquirer still works towards",
      ours(refund, [refunded]),
      "pending",
      null,
      ["booked_without_effect: its refund of 500 usd succeeded here and is not done yet at the acquirer"],
    ],
    [
      "for money that was taken and is declined here",
      ours({ state: "declined" }, []),
      "effective",
      null,
      ["effect_of_closed_attempt: its authorization of 2000 usd is declined here and stands at the acquirer"],
    ],
    [
      "for money that was taken and is not booked",
      ours({}, []),
      "effective",
      null,
      ["not_booked: its authorization of 2000 usd succeeded unbooked"],
    ],
    [
      "for a refund that is booked as another amount",
      ours({ ...refund, amountMinor: 501n }, [refunded]),
      "effective",
      null,
      ["booked_differently: it moved -501 usd, -500 usd is booked"],
    ],
    [
      "for a booking in another currency",
      ours({ currency: "eur" }),
      "effective",
      null,
      ["booked_differently: it moved 2000 eur, 2000 usd is booked"],
    ],
    [
      "for an order of another kind, amount and currency",
      ours(),
      "effective",
      listed({ kind: "capture", amountMinor: 1_999n, currency: "eur" }),
      [
        "kind_differs: the acquirer has capture, the attempt authorize",
        "amount_differs: the acquirer has 1999, the attempt 2000",
        "currency_differs: the acquirer has eur, the attempt usd",
      ],
    ],
  ])("%s", (_what, of, standing, list, findings) => {
    expect(find(of, standing, list)).toEqual(findings);
  });

  test("for an attempt that is open for a day, from the millisecond on", () => {
    const open = ours({ state: "open", closedAtMs: null }, []);
    const told = "open_too_long: it is open since 2026-01-15T12:00:00.007Z";
    expect(find(open, "none", null, atMs + day - 1)).toEqual([]);
    expect(find(open, "none", null, atMs + day)).toEqual([told]);
  });

  test("for a challenge that its buyer never answered only two hours after the day that it lasts", () => {
    const challenged = ours({ state: "challenged", closedAtMs: null }, []);
    const told = "open_too_long: it is challenged since 2026-01-15T12:00:00.007Z";
    expect(find(challenged, "none", null, atMs + day + 2 * hour - 1)).toEqual([]);
    expect(find(challenged, "none", null, atMs + day + 2 * hour)).toEqual([told]);
  });

  test("for one that the acquirer ends in days only a day after that", () => {
    const match = { key: "att_1", standing: "pending", endsAtMs: atMs + 3 * day, listed: null } as const;
    const pending = ours({ state: "pending", closedAtMs: null }, []);
    const told = { kind: "open_too_long", detail: "it is pending and was due at 2026-01-18T12:00:00.007Z" };
    expect(findingsOf({ ...match, ours: pending }, atMs + 4 * day - 1)).toEqual([]);
    expect(findingsOf({ ...match, ours: pending }, atMs + 4 * day)).toEqual([told]);
  });
});
