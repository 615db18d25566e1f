// What every store of stories must tell: a key with its payment, a payment with all its records, an account's books.
// It must never know a product: it sees the ports.

import { beforeAllCommits } from "../../functions/domain/exact-time.ts";
import type { Change } from "../../functions/domain/rows.ts";
import { openSeal, sealEncoding, sealShards } from "../../functions/domain/seal.ts";
import type { Ledger } from "../../functions/flows/ports.ts";
import type { LedgerSeals } from "../../functions/flows/seal-ports.ts";
import type { Stories } from "../../functions/flows/story-ports.ts";
import {
  atMs,
  attemptRow,
  bookingRow,
  chargeRow,
  eventRow,
  insertOf,
  intentRow,
  keyRow,
  newId,
  refundRow,
} from "../support/ledger-rows.ts";

/** A ledger, the chain over it and the stories in it. */
export type StoriesUnderTest = { ledger: Ledger; seals: LedgerSeals; stories: Stories; close(): Promise<void> };

/** Declares the suite for one kind of store; all its tests share one. */
export function describeStories(name: string, open: () => Promise<StoriesUnderTest>): void {
  describe(`stories on ${name}`, () => {
    let store: StoriesUnderTest;
    beforeAll(async () => {
      store = await open();
    });
    afterAll(async () => {
      await store?.close();
    });
    const insert = (...rows: readonly Change[]) => store.ledger.insert("story", rows);

    test("a payment has its own attempts, charges, refunds, bookings and events, oldest first, and nobody else's", async () => {
      const told = paymentOf(newId("pi"));
      await insert(...told.changes);
      await insert(...paymentOf(newId("pi")).changes);

      expect(await store.stories.ofPayment(told.records.intent.id)).toStrictEqual(told.records);
      expect(await store.stories.ofPayment("pi_none")).toBeUndefined();
    });

    test("a key is found with the payment of its attempt, of its refund, or with the intent that it names", async () => {
      const { changes, records } = paymentOf(newId("pi"));
      const keys = [
        keyRow({ attemptId: records.attempts[0]?.id ?? "", resourceId: null }),
        keyRow({ resourceId: records.refunds[0]?.id ?? "" }),
        keyRow({ resourceId: records.intent.id }),
      ];
      await insert(...changes, ...keys.map((row) => insertOf("idempotency_keys", row)));

      for (const row of keys) {
        expect(await store.stories.ofKey(row.keyHash)).toStrictEqual({ row, payment: records });
      }
      expect(await store.stories.ofKey("hash_none")).toBeUndefined();
    });

    test.each<[string, Uint8Array | null, { bytes: number | null; encrypted: boolean }]>([
      ["as its length", Buffer.from('{"id":"pi_1"}'), { bytes: 13, encrypted: false }],
      ["as encrypted", Buffer.from("sealed:v1:abc"), { bytes: 13, encrypted: true }],
      ["as not kept", null, { bytes: null, encrypted: false }],
    ])("of a kept answer a key tells it %s, and no byte", async (_, body, kept) => {
      const { outcome: _none, ...row } = keyRow({ resourceId: "we_1", expiresAtMs: atMs + 86_400_000 });
      await insert(insertOf("idempotency_keys", { ...row, outcome: { status: 200, body } }));

      const outcome = { status: 200, ...kept };
      expect(await store.stories.ofKey(row.keyHash)).toStrictEqual({ row: { ...row, outcome }, payment: null });
    });

    test("books are summed by currency for one account, and what no seal holds is counted", async () => {
      const accountId = newId("acct");
      const book = (changes: Parameters<typeof bookingRow>[0] = {}) =>
        insert(insertOf("ledger_transactions", bookingRow({ accountId, ...changes })));
      await book();
      await book({ kind: "refund", sourceId: newId("re") });
      await book({ currency: "eur" });
      await book({ accountId: newId("acct") });

      const open = await store.stories.ofBooks(accountId);
      expect(open).toMatchObject({ bookings: 3, hasMore: false, unsealed: 3 });
      expect(open.unsealedSinceMs).not.toBeNull();
      expect(open.sums).toStrictEqual([
        { currency: "eur", debitMinor: 2_000n, creditMinor: 2_000n },
        { currency: "usd", debitMinor: 4_000n, creditMinor: 4_000n },
      ]);

      const roots = await sealAll(store.seals);
      const sealed = await store.stories.ofBooks(accountId);
      expect(sealed).toMatchObject({ bookings: 3, unsealed: 0, unsealedSinceMs: null });
      expect(sealed.seals.map(({ root }) => root)).toEqual(roots);

      await book();
      expect(await store.stories.ofBooks(accountId)).toMatchObject({ bookings: 4, unsealed: 1 });
      expect(await store.stories.ofBooks("acct_none")).toMatchObject({ bookings: 0, sums: [], unsealed: 0 });
    });
  });
}

/** A payment with two attempts, a refund, and events about each of its objects. */
function paymentOf(intentId: string) {
  const [chargeId, failedId, refundId] = [newId("ch"), newId("ch"), newId("re")];
  const intent = intentRow({ id: intentId });
  const attempts = [
    attemptRow({ intentId, chargeId: failedId, state: "declined", closedAtMs: atMs + 1 }),
    attemptRow({ intentId, chargeId, createdAtMs: atMs + 2 }),
  ];
  const charges = [chargeRow({ id: failedId, intentId }), chargeRow({ id: chargeId, intentId, createdAtMs: atMs + 3 })];
  const refunds = [refundRow({ id: refundId, intentId, chargeId })];
  const bookings = [
    bookingRow({ sourceId: chargeId, intentId, createdAtMs: atMs + 3 }),
    bookingRow({ kind: "refund", sourceId: refundId, intentId, createdAtMs: atMs + 4 }),
  ];
  const events = [intentId, failedId, chargeId, refundId].map((objectId, index) =>
    eventRow({ objectId, createdAtMs: atMs + index }),
  );
  const changes = [
    insertOf("payment_intents", intent),
    ...attempts.map((row) => insertOf("attempts", row)),
    ...charges.map((row) => insertOf("charges", row)),
    ...refunds.map((row) => insertOf("refunds", row)),
    ...bookings.map((row) => insertOf("ledger_transactions", row)),
    ...events.map((row) => insertOf("events", row)),
  ];
  return { changes, records: { intent, attempts, charges, refunds, bookings, events } };
}

/** Seals everything that stands, each shard in one link; the roots by shard. */
async function sealAll(seals: LedgerSeals): Promise<readonly string[]> {
  const made = await seals.atOneMoment("seal", async ({ readAt, bookings }) => {
    const links = [];
    for (let shard = 0; shard < sealShards; shard += 1) {
      const interval = { shard, after: beforeAllCommits, until: readAt };
      const found = await bookings({ ...interval, cursor: null }, 1_000);
      if (found.length === 0) continue;
      const seal = openSeal({ ...interval, number: 1, encoding: sealEncoding, previousRoot: null });
      for (const booking of found) seal.add(booking);
      links.push(seal.close());
    }
    return links;
  });
  for (const seal of made) expect(await seals.append(seal)).toBe("appended");
  return made.map(({ root }) => root);
}
