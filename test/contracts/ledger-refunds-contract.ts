// What every ledger must list of refunds: an account's, a payment's or a charge's, page by page.
// It must never know a product: it sees the port alone.

import type { RefundQuery } from "../../functions/domain/pages.ts";
import type { Refund } from "../../functions/domain/refund.ts";
import { atMs, insertOf, refundRow } from "../support/ledger-rows.ts";
import type { LedgerUnderTest } from "./ledger-contract.ts";

/** Declares the suite for one kind of ledger; all its tests share one store. */
export function describeLedgerRefunds(name: string, open: () => Promise<LedgerUnderTest>): void {
  describe(`refunds of the ledger on ${name}`, () => {
    let store: LedgerUnderTest;
    beforeAll(async () => {
      store = await open();
      const rows = [...newestFirst, ofAnotherAccount];
      await store.ledger.insert(
        "given",
        rows.map((row) => insertOf("refunds", row)),
      );
    });
    afterAll(async () => {
      await store?.close();
    });
    const list = async (query: Partial<RefundQuery>) => {
      const { refunds, hasMore } = await store.ledger.listRefunds({ ...everything, ...query });
      return { places: refunds.map((refund) => newestFirst.findIndex(({ id }) => id === refund.id)), hasMore };
    };

    test("all refunds of the account come newest first, those of one millisecond by id, those of others never", async () => {
      expect(await store.ledger.listRefunds(everything)).toStrictEqual({ refunds: newestFirst, hasMore: false });
      expect(await list({ accountId: "acct_empty" })).toEqual({ places: [], hasMore: false });
    });

    test.each([
      { intentId: "pi_even", chargeId: null, expected: [0, 2, 4, 6, 8, 10] },
      { intentId: null, chargeId: "ch_third", expected: [0, 3, 6, 9] },
      { intentId: "pi_even", chargeId: "ch_third", expected: [0, 6] },
      { intentId: "pi_none", chargeId: null, expected: [] },
      { intentId: null, chargeId: "ch_none", expected: [] },
      { intentId: "pi_none", chargeId: "ch_third", expected: [] },
    ])("of intent $intentId and charge $chargeId come only theirs", async ({ expected, ...filter }) => {
      expect(await list(filter)).toEqual({ places: expected, hasMore: false });
    });

    test.each([{ intentId: "pi_even" }, { chargeId: "ch_third" }, { intentId: "pi_even", chargeId: "ch_third" }])(
      "the payment of another account has no refunds for the asker: %j",
      async (filter) => {
        expect(await list({ ...filter, accountId: "acct_empty" })).toEqual({ places: [], hasMore: false });
        expect((await store.ledger.listRefunds({ ...everything, ...filter })).refunds).not.toContainEqual(
          ofAnotherAccount,
        );
      },
    );

    test.each([
      { after: null, limit: 5, expected: { places: [0, 1, 2, 3, 4], hasMore: true } },
      { after: null, limit: 12, expected: { places: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], hasMore: false } },
      { after: 4, limit: 3, expected: { places: [5, 6, 7], hasMore: true } },
      { after: 8, limit: 3, expected: { places: [9, 10, 11], hasMore: false } },
      { after: 11, limit: 3, expected: { places: [], hasMore: false } },
    ])("after refund $after come the next $limit older ones", async ({ after, limit, expected }) => {
      expect(await list({ startingAfter: after === null ? null : at(after), limit })).toEqual(expected);
    });

    test.each([
      { before: 9, limit: 3, expected: { places: [6, 7, 8], hasMore: true } },
      { before: 3, limit: 3, expected: { places: [0, 1, 2], hasMore: false } },
      { before: 0, limit: 3, expected: { places: [], hasMore: false } },
    ])("before refund $before come the nearest newer ones, newest first", async ({ before, limit, expected }) => {
      expect(await list({ endingBefore: at(before), limit })).toEqual(expected);
    });

    test.each([
      { query: { limit: 2 }, expected: { places: [0, 2], hasMore: true } },
      { query: { limit: 2, startingAfter: 4 }, expected: { places: [6, 8], hasMore: true } },
      { query: { limit: 2, startingAfter: 6 }, expected: { places: [8, 10], hasMore: false } },
      { query: { limit: 2, endingBefore: 8 }, expected: { places: [4, 6], hasMore: true } },
      { query: { limit: 9, startingAfter: 0, endingBefore: 6 }, expected: { places: [2, 4], hasMore: false } },
    ])("one payment's refunds have pages of their own: $query", async ({ query, expected }) => {
      const { limit, startingAfter, endingBefore } = { startingAfter: null, endingBefore: null, ...query };
      const cursors = { startingAfter: atOrNull(startingAfter), endingBefore: atOrNull(endingBefore) };
      expect(await list({ intentId: "pi_even", limit, ...cursors })).toEqual(expected);
    });

    test("bounds of time include their begin and not their end", async () => {
      const bounds = { createdFromMs: at(8).createdAtMs, createdBeforeMs: at(3).createdAtMs };
      expect(await list(bounds)).toEqual({ places: [4, 5, 6, 7, 8], hasMore: false });
      expect(await list({ ...bounds, chargeId: "ch_third" })).toEqual({ places: [6], hasMore: false });
    });

    test("walking forward by pages shows every refund once", async () => {
      const seen: string[] = [];
      let startingAfter: Refund | null = null;
      for (let more = true; more; ) {
        const page = await store.ledger.listRefunds({ ...everything, limit: 5, startingAfter });
        seen.push(...page.refunds.map(({ id }) => id));
        startingAfter = page.refunds.at(-1) ?? null;
        more = page.hasMore;
      }
      expect(seen).toEqual(newestFirst.map(({ id }) => id));
    });
  });
}

/** Twelve refunds in the order of the list; places 4 to 7 were made in the same millisecond. */
const newestFirst: readonly Refund[] = Array.from({ length: 12 }, (_, place) =>
  refundRow({
    id: `re_list_${String(99 - place)}`,
    accountId: "acct_list",
    createdAtMs: atMs - (place >= 4 && place <= 7 ? 4 : place),
    intentId: place % 2 === 0 ? "pi_even" : "pi_odd",
    chargeId: place % 3 === 0 ? "ch_third" : "ch_other",
  }),
);

/** Names the same payment, which cannot be; a list must not rely on it. */
const ofAnotherAccount = refundRow({ accountId: "acct_other", intentId: "pi_even", chargeId: "ch_third" });

const everything: RefundQuery = {
  accountId: "acct_list",
  limit: 100,
  startingAfter: null,
  endingBefore: null,
  intentId: null,
  chargeId: null,
  createdFromMs: null,
  createdBeforeMs: null,
};

function at(place: number): Refund {
  const refund = newestFirst[place];
  if (refund === undefined) throw new Error(`there is no place ${place}`);
  return refund;
}

function atOrNull(place: number | null): Refund | null {
  return place === null ? null : at(place);
}
