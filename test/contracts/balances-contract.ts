// What every store of balances must do: pages of bookings, and sums of which each booking is part exactly once.
// It must never tell two moments apart by their milliseconds.
import { type BalanceCheckpoint, type BalanceMoment, checkpointOf, sumsOf } from "../../functions/domain/balance.ts";
import { balanceTransactionId } from "../../functions/domain/balance-transaction.ts";
import type { LedgerTransaction } from "../../functions/domain/ledger.ts";
import type { BookingQuery } from "../../functions/domain/pages.ts";
import type { Balances } from "../../functions/flows/balance-ports.ts";
import type { Ledger } from "../../functions/flows/ports.ts";
import { atMs, bookingRow, insertOf, newId } from "../support/ledger-rows.ts";

interface Opened {
  readonly ledger: Ledger;
  readonly balances: Balances;
  close(): Promise<void>;
}

const nextDay = Date.UTC(2026, 0, 18);

/** The contract, for one kind of store. */
export function describeBalances(name: string, open: () => Promise<Opened>): void {
  describe(`balances in ${name}`, () => {
    let opened: Opened;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());

    const book = async (bookings: readonly LedgerTransaction[]) => {
      const rows = bookings.map((booking) => insertOf("ledger_transactions", booking));
      expect(await opened.ledger.insert("book", rows)).toBe("inserted");
    };
    const checkpoint = (accountId: string, moment: BalanceMoment) => {
      const rows = checkpointOf(accountId, moment, 0).map((row) => insertOf("balance_checkpoints", row));
      return opened.ledger.insert("checkpoint", rows);
    };
    const sums = async (accountId: string) => shown(sumsOf(await opened.balances.moment(accountId)));

    test("a booking is read by the id that clients know it by, and only by that", async () => {
      const booking = bookingRow({ kind: "refund_failure", sourceId: newId("re"), entries: owed(500n) });
      await book([booking]);
      const id = balanceTransactionId(booking);
      expect(await opened.ledger.read({ ledger_transactions: id })).toStrictEqual({ ledger_transactions: booking });
      const inTransaction = await opened.ledger.transact("read", (scope) => scope.read({ ledger_transactions: id }));
      expect(inTransaction).toStrictEqual({ ledger_transactions: booking });
      for (const other of [id.replace("txn_rf", "txn_re"), id.replace("txn_", "txn"), booking.sourceId, "txn_rf"]) {
        expect(await opened.ledger.read({ ledger_transactions: other })).toStrictEqual({});
      }
    });

    describe("a list", () => {
      const accountId = newId("acct");
      const made = (minutes: number, fields: Partial<LedgerTransaction> = {}) =>
        bookingRow({ accountId, createdAtMs: atMs + minutes * 60_000, ...fields });
      const refunded = newId("re");
      const bookings = [
        made(0),
        made(1, { currency: "eur" }),
        // Of one millisecond: by source, and by kind for the same source, the later one first.
        made(2),
        made(2, { kind: "refund", sourceId: refunded }),
        made(2, { kind: "refund_failure", sourceId: refunded, entries: owed(2_000n) }),
        made(3),
      ];
      const newest = [...bookings].reverse();
      beforeAll(() => book([...bookings.map((each) => each), bookingRow({ accountId: `${accountId}x` })]));

      const all: BookingQuery = {
        ...{ accountId, limit: 10, startingAfter: null, endingBefore: null, kind: null, sourceId: null },
        ...{ currency: null, createdFromMs: null, createdBeforeMs: null },
      };
      const list = async (query: Partial<BookingQuery>) => await opened.balances.list({ ...all, ...query });

      test("shows an account's own bookings, newest first, whole", async () => {
        expect(await list({})).toStrictEqual({ bookings: newest, hasMore: false });
        expect(await list({ limit: 6 })).toStrictEqual({ bookings: newest, hasMore: false });
        expect(await list({ accountId: "acct_nobody" })).toStrictEqual({ bookings: [], hasMore: false });
      });

      test("is paged in both directions without losing or repeating one", async () => {
        const forward: LedgerTransaction[] = [];
        for (let after: LedgerTransaction | null = null; ; after = forward.at(-1) ?? null) {
          const page: Awaited<ReturnType<Balances["list"]>> = await list({ limit: 1, startingAfter: after });
          forward.push(...page.bookings);
          if (!page.hasMore) break;
        }
        expect(forward).toStrictEqual(newest);
        const last = newest.at(-1) ?? null;
        expect(await list({ limit: 2, endingBefore: last })).toStrictEqual({
          bookings: newest.slice(3, 5),
          hasMore: true,
        });
        expect(await list({ limit: 2, endingBefore: newest[2] ?? null })).toStrictEqual({
          bookings: newest.slice(0, 2),
          hasMore: false,
        });
      });

      test.each<[string, Partial<BookingQuery>, readonly number[]]>([
        ["kind", { kind: "refund" }, [2]],
        ["currency", { currency: "eur" }, [4]],
        ["source, all that was booked of it", { sourceId: refunded }, [1, 2]],
        ["source and kind", { sourceId: refunded, kind: "refund" }, [2]],
        ["another account's source", { sourceId: refunded, accountId: "acct_nobody" }, []],
        ["time", { createdFromMs: atMs + 60_000, createdBeforeMs: atMs + 120_000 }, [4]],
        ["everything at once", { kind: "charge", currency: "usd", createdFromMs: atMs + 1, limit: 1 }, [0]],
      ])("is narrowed by %s", async (_, query, places) => {
        // Sources of a millisecond sort by their ids, which count up: a charge's `ch_` comes before a refund's `re_`.
        expect((await list(query)).bookings).toStrictEqual(places.map((place) => newest[place]));
      });
    });

    test("an account without bookings has no sums, and a moment all the same", async () => {
      const moment = await opened.balances.moment("acct_nobody");
      expect(moment).toMatchObject({ checkpoint: [], tail: [] });
      expect(moment.readAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/);
    });

    test("sums are kept by currency and day, and refunds lower them", async () => {
      const accountId = newId("acct");
      await book([
        bookingRow({ accountId }),
        bookingRow({ accountId }),
        bookingRow({ accountId, availableOnMs: nextDay }),
        bookingRow({ accountId, kind: "refund", sourceId: newId("re"), availableOnMs: nextDay }),
        bookingRow({ accountId, currency: "jpy", entries: owed(7n) }),
        bookingRow({ accountId: newId("acct") }),
      ]);
      expect(await sums(accountId)).toEqual(["jpy 2026-01-17 7", "usd 2026-01-17 3824", "usd 2026-01-18 -88"]);
    });

    test("a booking that lands between a checkpoint's moment and its insert is counted once, later ones too", async () => {
      const accountId = newId("acct");
      const charge = (payableMinor: bigint, currency: LedgerTransaction["currency"] = "usd") =>
        bookingRow({ accountId, currency, entries: owed(payableMinor) });
      await book([charge(1n), charge(20n)]);
      const moment = await opened.balances.moment(accountId);
      await book([charge(300n)]);
      expect(await checkpoint(accountId, moment)).toBe("inserted");
      expect(await sums(accountId)).toEqual(["usd 2026-01-17 321"]);

      await book([charge(4_000n), charge(9n, "eur")]);
      const behind = await opened.balances.moment(accountId);
      expect(shown(behind.tail)).toEqual(["eur 2026-01-17 9", "usd 2026-01-17 4300"]);
      expect(behind.checkpoint.map(({ readAt }) => readAt)).toEqual([moment.readAt]);
      expect(await sums(accountId)).toEqual(["eur 2026-01-17 9", "usd 2026-01-17 4321"]);
    });

    test("two checkpoints of one moment are one, and of several the newest counts, whichever was written last", async () => {
      const accountId = newId("acct");
      await book([bookingRow({ accountId })]);
      const first = await opened.balances.moment(accountId);
      await book([bookingRow({ accountId, availableOnMs: nextDay })]);
      const second = await opened.balances.moment(accountId);
      expect(second.readAt > first.readAt).toBe(true);
      for (const [moment, written] of [
        [second, "inserted"],
        [first, "inserted"],
        [second, "exists"],
        [first, "exists"],
      ] as const) {
        expect(await checkpoint(accountId, moment)).toBe(written);
        const found = await opened.balances.moment(accountId);
        expect([found.checkpoint, found.tail]).toStrictEqual([checkpointOf(accountId, second, 0), []]);
      }
    });

    test("only checkpoints older than a moment are deleted, and only those of one account", async () => {
      const [accountId, other] = [newId("acct"), newId("acct")];
      await book([bookingRow({ accountId }), bookingRow({ accountId: other })]);
      for (const id of [accountId, other]) await checkpoint(id, await opened.balances.moment(id));
      const old = (await opened.balances.moment(accountId)).checkpoint;
      await opened.balances.prune(accountId, old[0]?.readAt ?? "");
      expect((await opened.balances.moment(accountId)).checkpoint).toStrictEqual(old);

      await opened.balances.prune(accountId, (await opened.balances.moment(accountId)).readAt);
      const found = await opened.balances.moment(accountId);
      expect([found.checkpoint, shown(found.tail)]).toEqual([[], ["usd 2026-01-17 1912"]]);
      expect((await opened.balances.moment(other)).checkpoint).toHaveLength(1);
    });

    test("all checkpoints are read page by page, in the order of their keys, the newest of a currency first", async () => {
      const accountId = newId("acct");
      const written: BalanceCheckpoint[] = [];
      for (const currency of ["usd", "eur"] as const) {
        await book([bookingRow({ accountId, currency })]);
        const moment = await opened.balances.moment(accountId);
        written.push(...checkpointOf(accountId, moment, 0));
        await checkpoint(accountId, moment);
      }
      const [old, ...newest] = written;
      const inOrder = [...newest, old].sort((one, other) => {
        const order = ({ currency, readAt }: BalanceCheckpoint) => `${currency} ${readAt === old?.readAt ? 1 : 0}`;
        return one === undefined || other === undefined ? 0 : order(one) < order(other) ? -1 : 1;
      });
      const found: BalanceCheckpoint[] = [];
      for (let after: BalanceCheckpoint | null = null; ; after = found.at(-1) ?? null) {
        const page = await opened.balances.checkpoints(after, 2);
        found.push(...page);
        if (page.length < 2) break;
      }
      expect(found.filter((row) => row.accountId === accountId)).toStrictEqual(inOrder);
      const accounts = found.map((row) => row.accountId);
      expect(accounts).toEqual([...accounts].sort());
    });

    test("accounts that no checkpoint covers are named, those with most bookings first", async () => {
      const [little, much, none] = [newId("acct"), newId("acct"), newId("acct")];
      await book([bookingRow({ accountId: none })]);
      await checkpoint(none, await opened.balances.moment(none));
      await book([bookingRow({ accountId: little }), ...[1, 2, 3].map(() => bookingRow({ accountId: much }))]);
      const own = async () => (await opened.balances.behind(100)).filter((id) => [little, much, none].includes(id));
      expect(await own()).toEqual([much, little]);
      expect(await opened.balances.behind(1)).toHaveLength(1);

      await checkpoint(much, await opened.balances.moment(much));
      await book([bookingRow({ accountId: none })]);
      expect((await own()).sort()).toEqual([little, none].sort());
    });
  });
}

/** A booking's entries that owe the merchant so much, without a fee. */
function owed(amountMinor: bigint): LedgerTransaction["entries"] {
  return [
    { ledgerAccount: "acquirer_receivable", direction: "debit", amountMinor },
    { ledgerAccount: "merchant_payable", direction: "credit", amountMinor },
  ];
}

function shown(sums: BalanceMoment["tail"]): string[] {
  return sums
    .map(({ currency, availableOnMs, amountMinor }) => {
      return `${currency} ${new Date(availableOnMs).toISOString().slice(0, 10)} ${amountMinor}`;
    })
    .sort();
}
