// The bytes of a seal: everything that a booking says changes them, and no two lists of bookings share them.
import {
  type CommittedBooking,
  openSeal,
  parseAnchor,
  type SealBeginning,
  sealProblem,
} from "../../functions/domain/seal.ts";
import { bookingRow } from "../support/ledger-rows.ts";

const beginning: SealBeginning = {
  shard: 3,
  number: 2,
  encoding: 1,
  previousRoot: "a".repeat(64),
  after: "2026-01-15T12:00:00.000000001Z",
  until: "2026-01-15T12:00:00.000000009Z",
};

const at = "2026-01-15T12:00:00.000000005Z";

const debit = { ledgerAccount: "acquirer_receivable", direction: "debit", amountMinor: 2_000n } as const;
const credit = { ledgerAccount: "merchant_payable", direction: "credit", amountMinor: 2_000n } as const;

function committed(changes: Parameters<typeof bookingRow>[0] = {}): CommittedBooking {
  const booking = bookingRow({
    ...{ sourceId: "ch_1", payableMinor: 2_000n, feeMinor: 0n, entries: [debit, credit] },
    ...changes,
  });
  const entries = booking.entries.map((_, index) => ({ number: index + 1, committedAt: at }));
  const times = { createdAt: "2026-01-15T12:00:00.007000000Z", availableOn: "2026-01-17T00:00:00.000000000Z" };
  return { booking, ...times, committedAt: at, entries };
}

function rootOf(bookings: readonly CommittedBooking[], changes: Partial<SealBeginning> = {}): string {
  const open = openSeal({ ...beginning, ...changes });
  for (const each of bookings) open.add(each);
  return open.close().root;
}

const one = committed();
const other = "2026-01-15T12:00:00.000000006Z";

describe("F32 the root of a seal", () => {
  test("stays what it was released as: old seals must verify for ever", () => {
    expect(rootOf([one])).toBe("7d187c66e1c05748c9c62effcdb1698d0b68c132838180091d9e7e75db0ded0c");
  });

  test.each<[string, CommittedBooking]>([
    ["kind", committed({ kind: "refund" })],
    ["source", committed({ sourceId: "ch_2" })],
    ["account", committed({ accountId: "acct_other" })],
    ["intent", committed({ intentId: "pi_other" })],
    ["currency", committed({ currency: "eur" })],
    ["time of creation, by a nanosecond", { ...one, createdAt: "2026-01-15T12:00:00.007000001Z" }],
    ["day of availability, by a nanosecond", { ...one, availableOn: "2026-01-17T00:00:00.000000001Z" }],
    ["share of the merchant", committed({ payableMinor: 1_999n })],
    ["fee", committed({ feeMinor: 1n })],
    ["time of commit, by a nanosecond", { ...one, committedAt: other }],
    ["amounts", committed({ entries: [debit, credit].map((entry) => ({ ...entry, amountMinor: 2_001n })) })],
    ["accounts of the entries", committed({ entries: [{ ...debit, ledgerAccount: "merchant_payable" }, credit] })],
    ["directions", committed({ entries: [{ ...debit, direction: "credit" }, credit] })],
    ["order of the entries", committed({ entries: [credit, debit] })],
    ["number of entries", committed({ entries: [debit, credit, debit, credit] })],
    [
      "an entry's number",
      {
        ...one,
        entries: [
          { number: 1, committedAt: at },
          { number: 3, committedAt: at },
        ],
      },
    ],
    [
      "an entry's commit",
      {
        ...one,
        entries: [
          { number: 1, committedAt: at },
          { number: 2, committedAt: other },
        ],
      },
    ],
  ])("changes with the booking's %s", (_what, changed) => {
    expect(rootOf([changed])).not.toBe(rootOf([one]));
  });

  test.each<[string, Partial<SealBeginning>]>([
    ["shard", { shard: 4 }],
    ["number", { number: 3 }],
    ["encoding", { encoding: 2 }],
    ["previous root", { previousRoot: "b".repeat(64) }],
    ["lack of a previous root", { previousRoot: null }],
    ["beginning", { after: "2026-01-15T12:00:00.000000002Z" }],
    ["end", { until: "2026-01-15T12:00:00.000000008Z" }],
  ])("changes with the seal's %s", (_what, changes) => {
    expect(rootOf([one], changes)).not.toBe(rootOf([one]));
  });

  test.each<[string, CommittedBooking, CommittedBooking]>([
    ["a separator", committed({ accountId: "a|b", intentId: "c" }), committed({ accountId: "a", intentId: "b|c" })],
    ["a quote", committed({ accountId: 'a","b', intentId: "c" }), committed({ accountId: "a", intentId: 'b","c' })],
    ["nothing", committed({ accountId: "ab", intentId: "c" }), committed({ accountId: "a", intentId: "bc" })],
    ["an empty field", committed({ accountId: "ab", intentId: "" }), committed({ accountId: "", intentId: "ab" })],
    ["a zero byte", committed({ accountId: "a\0b", intentId: "c" }), committed({ accountId: "a", intentId: "b\0c" })],
  ])("differs for two bookings whose fields shift across %s", (_what, left, right) => {
    expect(rootOf([left])).not.toBe(rootOf([right]));
  });

  test("differs for another order, and for a booking more or less", () => {
    const two = committed({ sourceId: "ch_2" });
    const roots = [[], [one], [two], [one, two], [two, one], [one, one]].map((bookings) => rootOf(bookings));
    expect(new Set(roots).size).toBe(roots.length);
  });
});

describe("a seal and the one before it", () => {
  const first = { ...beginning, number: 1, previousRoot: null, root: "a".repeat(64), bookings: 1 };
  const sealed = openSeal({ ...beginning, after: first.until });
  sealed.add(one);
  const second = sealed.close();

  test("fit", () => {
    expect(sealProblem(first, second, second)).toBeUndefined();
    expect(sealProblem(undefined, first, first)).toBeUndefined();
  });

  test.each([
    ["a gap", undefined, second, second, "seal 1 is missing before it"],
    [
      "another root before it",
      { ...first, root: "b".repeat(64) },
      second,
      second,
      "it does not follow the seal before it",
    ],
    ["a gap in time", { ...first, until: at }, second, second, "its interval leaves out commits before it"],
    ["a booking less", first, second, { ...second, bookings: 0 }, "it sealed 1 bookings, 0 stand"],
    ["another booking", first, second, { ...second, root: "c".repeat(64) }, "its bookings are not what was sealed"],
    ["an encoding of the future", first, { ...second, encoding: 9 }, second, "its encoding 9 is not known here"],
  ])("do not fit: %s", (_what, previous, seal, recomputed, problem) => {
    expect(sealProblem(previous, seal, recomputed)).toBe(problem);
  });
});

test.each([
  [`0:1:${"a".repeat(64)}`, { shard: 0, number: 1, root: "a".repeat(64) }],
  [`7:120:${"0".repeat(64)}`, { shard: 7, number: 120, root: "0".repeat(64) }],
  [`8:1:${"a".repeat(64)}`, undefined],
  [`0:0:${"a".repeat(64)}`, undefined],
  [`0:1:${"a".repeat(63)}`, undefined],
  [`0:1:${"A".repeat(64)}`, undefined],
  [`01:${"a".repeat(64)}`, undefined],
  ["", undefined],
])("the anchor %j is read as it is meant, or refused", (text, anchor) => {
  expect(parseAnchor(text)).toEqual(anchor);
});
