// What every ledger must list: an account's intents page by page, and the open attempts that nobody drives any more.
// It must never know a product: it sees the port alone.

import type { IntentQuery } from "../../functions/domain/pages.ts";
import type { PaymentIntent } from "../../functions/domain/payment-intent.ts";
import type { Change, KeyRow } from "../../functions/domain/rows.ts";
import { atMs, attemptRow, insertOf, intentRow, keyRow } from "../support/ledger-rows.ts";
import type { LedgerUnderTest } from "./ledger-contract.ts";

/** Declares the suite for one kind of ledger; all its tests share one store. */
export function describeLedgerLists(name: string, open: () => Promise<LedgerUnderTest>): void {
  describe(`lists of the ledger on ${name}`, () => {
    let store: LedgerUnderTest;
    beforeAll(async () => {
      store = await open();
      const rows = [...newestFirst, ofAnotherAccount];
      await store.ledger.insert(
        "given",
        rows.map((row) => ({ op: "insert", table: "payment_intents", row })),
      );
    });
    afterAll(async () => {
      await store?.close();
    });
    const list = async (query: Partial<IntentQuery>) => {
      const { intents, hasMore } = await store.ledger.listIntents({ ...everything, ...query });
      return { places: intents.map((intent) => newestFirst.findIndex(({ id }) => id === intent.id)), hasMore };
    };

    test("all intents of the account come newest first, those of one millisecond by id, those of others never", async () => {
      expect(await list({})).toEqual({ places: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], hasMore: false });
      expect((await store.ledger.listIntents(everything)).intents).toStrictEqual(newestFirst);
      expect(await list({ accountId: "acct_empty" })).toEqual({ places: [], hasMore: false });
    });

    test.each([
      { limit: 5, expected: { places: [0, 1, 2, 3, 4], hasMore: true } },
      { limit: 12, expected: { places: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], hasMore: false } },
      { limit: 1, expected: { places: [0], hasMore: true } },
    ])("a first page of $limit says whether more follow", async ({ limit, expected }) => {
      expect(await list({ limit })).toEqual(expected);
    });

    test.each([
      { after: 2, limit: 3, expected: { places: [3, 4, 5], hasMore: true } },
      { after: 8, limit: 3, expected: { places: [9, 10, 11], hasMore: false } },
      { after: 11, limit: 3, expected: { places: [], hasMore: false } },
    ])("after intent $after come the next older ones", async ({ after, limit, expected }) => {
      expect(await list({ startingAfter: at(after), limit })).toEqual(expected);
    });

    test.each([
      { before: 9, limit: 3, expected: { places: [6, 7, 8], hasMore: true } },
      { before: 3, limit: 3, expected: { places: [0, 1, 2], hasMore: false } },
      { before: 2, limit: 3, expected: { places: [0, 1], hasMore: false } },
      { before: 0, limit: 3, expected: { places: [], hasMore: false } },
    ])("before intent $before come the nearest newer ones, newest first", async ({ before, limit, expected }) => {
      expect(await list({ endingBefore: at(before), limit })).toEqual(expected);
    });

    test("between two cursors come the intents between them", async () => {
      expect(await list({ startingAfter: at(2), endingBefore: at(6) })).toEqual({ places: [3, 4, 5], hasMore: false });
    });

    test("walking forward by pages shows every intent once", async () => {
      const seen: string[] = [];
      let startingAfter: PaymentIntent | null = null;
      for (let more = true; more; ) {
        const page = await store.ledger.listIntents({ ...everything, limit: 5, startingAfter });
        seen.push(...page.intents.map(({ id }) => id));
        startingAfter = page.intents.at(-1) ?? null;
        more = page.hasMore;
      }
      expect(seen).toEqual(newestFirst.map(({ id }) => id));
    });

    test("a customer's intents alone are counted for the page", async () => {
      expect(await list({ customer: "cus_even", limit: 4 })).toEqual({ places: [0, 2, 4, 6], hasMore: true });
      expect(await list({ customer: "cus_even", limit: 4, startingAfter: at(6) })).toEqual({
        places: [8, 10],
        hasMore: false,
      });
      expect(await list({ customer: "cus_none" })).toEqual({ places: [], hasMore: false });
    });

    test("bounds of time include their begin and not their end", async () => {
      const [oldestMs, newestMs] = [at(8).createdAtMs, at(3).createdAtMs];
      expect(await list({ createdFromMs: oldestMs, createdBeforeMs: newestMs })).toEqual({
        places: [4, 5, 6, 7, 8],
        hasMore: false,
      });
      expect(await list({ createdFromMs: newestMs, customer: "cus_even" })).toEqual({ places: [0, 2], hasMore: false });
    });

    test("overdue holds are those whose window ended before, longest overdue first, until they are captured", async () => {
      const due = (seconds: number) => atMs + seconds * 1_000;
      const hold = { status: "requires_capture", amountCapturableMinor: 1n, captureMethod: "manual" } as const;
      const holds = [3, 1, 2].map((seconds) => intentRow({ ...hold, captureBeforeMs: due(seconds) }));
      await store.ledger.insert(
        "given",
        holds.map((row) => insertOf("payment_intents", row)),
      );
      const [third, first, second] = holds;
      // Somebody works on this one, so it is nobody else's work.
      const taken = intentRow({ ...hold, captureBeforeMs: due(0), activeAttemptId: "att_x" });
      await store.ledger.insert("taken", [insertOf("payment_intents", taken)]);
      expect(await store.ledger.overdueHolds(due(3), 10)).toStrictEqual([first, second]);
      expect(await store.ledger.overdueHolds(due(9), 1)).toStrictEqual([first]);
      expect(await store.ledger.overdueHolds(due(1), 10)).toStrictEqual([]);

      const captured = { ...intentRow(), id: first?.id ?? "", status: "succeeded" } as const;
      await store.ledger.transact("capture", async (scope) =>
        scope.write([{ op: "update", table: "payment_intents", row: captured }]),
      );
      expect(await store.ledger.overdueHolds(due(9), 10)).toStrictEqual([second, third]);
    });

    test("overdue attempts are all that are under way, and none that has ended", async () => {
      const due = atMs - 100_000;
      const challenge = {
        startUrl: "https://a.test",
        returnUrl: "https://a.test",
        merchantReturnUrl: null,
        pageUrl: null,
      };
      const waiting = { challenge, authentication: "3ds_1" };
      const underWay = [
        attemptRow({ leaseUntilMs: due - 4, state: "challenged", ...waiting }),
        attemptRow({ leaseUntilMs: due - 3, state: "pending" }),
        attemptRow({ leaseUntilMs: due - 2, state: "voiding" }),
      ];
      const ended = (["declined", "authenticated", "superseded", "voided"] as const).map((state) =>
        attemptRow({ leaseUntilMs: due - 9, state, closedAtMs: atMs }),
      );
      const changes = [...underWay, ...ended].map((row): Change => ({ op: "insert", table: "attempts", row }));
      await store.ledger.insert("given", changes);

      expect(await store.ledger.overdueAttempts(due, 10)).toStrictEqual(underWay);
      const over = underWay.map((row) => ({ ...row, state: "voided", closedAtMs: atMs }) as const);
      const close = over.map((row): Change => ({ op: "update", table: "attempts", row }));
      await store.ledger.transact("close", async (scope) => scope.write(close));
      expect(await store.ledger.overdueAttempts(due, 10)).toStrictEqual([]);
    });

    test("overdue attempts are the open ones whose lease ended before, oldest lease first", async () => {
      const lease = (seconds: number) => atMs + seconds * 1_000;
      const attempts = [3, 1, 2, 5, 4].map((seconds) => attemptRow({ leaseUntilMs: lease(seconds) }));
      const closed = attemptRow({ leaseUntilMs: lease(0), state: "succeeded", closedAtMs: atMs });
      const changes = [...attempts, closed].map((row): Change => ({ op: "insert", table: "attempts", row }));
      await store.ledger.insert("given", changes);
      const byLease = [...attempts].sort((one, other) => one.leaseUntilMs - other.leaseUntilMs);

      expect(await store.ledger.overdueAttempts(lease(4), 10)).toStrictEqual(byLease.slice(0, 3));
      expect(await store.ledger.overdueAttempts(lease(9), 2)).toStrictEqual(byLease.slice(0, 2));
      expect(await store.ledger.overdueAttempts(lease(1), 10)).toStrictEqual([]);
    });

    test("a closed attempt leaves the list, a prolonged one moves in it", async () => {
      const [first, second] = [attemptRow({ leaseUntilMs: atMs - 9 }), attemptRow({ leaseUntilMs: atMs - 8 })];
      const ids = async () => (await store.ledger.overdueAttempts(atMs - 5, 10)).map(({ id }) => id);
      const write = (op: "insert" | "update", row: typeof first) =>
        store.ledger.transact("attempt", async (scope) => scope.write([{ op, table: "attempts", row }]));
      await write("insert", first);
      await write("insert", second);
      expect(await ids()).toEqual([first.id, second.id]);

      await write("update", { ...first, leaseUntilMs: atMs - 7 });
      expect(await ids()).toEqual([second.id, first.id]);

      await write("update", { ...second, state: "declined", closedAtMs: atMs });
      expect(await ids()).toEqual([first.id]);
    });

    test("keys that announce something and are left alone come with the oldest lease first, until they are sealed", async () => {
      const resend = { verb: "resend_delivery", input: { deliveryId: "wd_1" } } as const;
      const rows = [7, 3, 5].map((ageMs) => keyRow({ intention: resend, leaseUntilMs: atMs - ageMs }));
      const others = [keyRow({ leaseUntilMs: atMs - 9 }), keyRow({ attemptId: "att_1", leaseUntilMs: atMs - 9 })];
      await store.ledger.insert(
        "given",
        [...rows, ...others].map((row) => insertOf("idempotency_keys", row)),
      );
      const [oldest, youngest, middle] = rows as [KeyRow, KeyRow, KeyRow];

      expect(await store.ledger.abandonedIntentions(atMs - 3, 10)).toStrictEqual([oldest, middle]);
      expect(await store.ledger.abandonedIntentions(atMs, 1)).toStrictEqual([oldest]);

      const outcome = { status: 200, body: null };
      const sealed = { ...oldest, intention: null, outcome, expiresAtMs: atMs };
      await store.ledger.transact("seal", async (scope) =>
        scope.write([
          { op: "update", table: "idempotency_keys", row: sealed },
          { op: "update", table: "idempotency_keys", row: { ...middle, leaseUntilMs: atMs + 9 } },
        ]),
      );
      expect(await store.ledger.abandonedIntentions(atMs, 10)).toStrictEqual([youngest]);
    });
  });
}

/** Twelve intents in the order of the list; places 4 to 7 were made in the same millisecond. */
const newestFirst: readonly PaymentIntent[] = Array.from({ length: 12 }, (_, place) =>
  intentRow({
    id: `pi_list_${String(99 - place)}`,
    accountId: "acct_list",
    createdAtMs: atMs - (place >= 4 && place <= 7 ? 4 : place),
    customer: place % 2 === 0 ? "cus_even" : null,
  }),
);

const ofAnotherAccount = intentRow({ accountId: "acct_other", customer: "cus_even" });

const everything: IntentQuery = {
  accountId: "acct_list",
  limit: 100,
  startingAfter: null,
  endingBefore: null,
  customer: null,
  createdFromMs: null,
  createdBeforeMs: null,
};

function at(place: number): PaymentIntent {
  const intent = newestFirst[place];
  if (intent === undefined) throw new Error(`there is no place ${place}`);
  return intent;
}
