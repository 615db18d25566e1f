// What every store of the chain must show: bookings by the exact time of their commit, at one moment, and seals that never fork.
// It must never know a product: it sees the ports.
import { beforeAllCommits } from "../../functions/domain/exact-time.ts";
import { type CommittedBooking, type LedgerSeal, sealShards } from "../../functions/domain/seal.ts";
import type { Ledger } from "../../functions/flows/ports.ts";
import type { LedgerSeals, SealMoment } from "../../functions/flows/seal-ports.ts";
import { atMs, bookingRow, insertOf } from "../support/ledger-rows.ts";

/** A ledger and the chain over it. */
export type SealsUnderTest = { ledger: Ledger; seals: LedgerSeals; close(): Promise<void> };

/** Declares the suite for one kind of store; all its tests share one. */
export function describeSeals(name: string, open: () => Promise<SealsUnderTest>): void {
  describe(`the chain over the books on ${name}`, () => {
    let store: SealsUnderTest;
    beforeAll(async () => {
      store = await open();
      for (const sourceId of sourceIds) await book(store.ledger, sourceId);
    });
    afterAll(async () => {
      await store?.close();
    });

    test("shows each booking once, whole and in the order of the commits, whatever the pages are", async () => {
      const whole = await store.seals.atOneMoment("test", (moment) => byShard(moment, 100));
      const paged = await store.seals.atOneMoment("test", (moment) => byShard(moment, 1));

      expect(paged).toStrictEqual(whole);
      for (const bookings of whole) {
        const ids = bookings.map(({ booking }) => booking.sourceId);
        expect(ids).toEqual(sourceIds.filter((id) => ids.includes(id)));
      }
      const bookings = whole.flat();
      expect(bookings.map(({ booking }) => booking.sourceId).sort()).toEqual([...sourceIds].sort());
      const [one] = bookings.filter(({ booking }) => booking.sourceId === sourceIds[0]);
      expect(one).toMatchObject({ booking: bookingRow({ sourceId: sourceIds[0] ?? "" }), createdAt, availableOn });
      expect(one?.entries).toEqual([1, 2, 3].map((number) => ({ number, committedAt: one?.committedAt })));
      for (const { committedAt } of bookings) expect(committedAt).toMatch(exactly);
    });

    test("orders bookings of one commit by kind and source id", async () => {
      const rows = [
        bookingRow({ kind: "refund", sourceId: "one_b" }),
        bookingRow({ kind: "charge", sourceId: "one_b" }),
      ];
      await store.ledger.insert(
        "both",
        rows.map((row) => insertOf("ledger_transactions", row)),
      );

      for (const limit of [100, 1]) {
        const all = (await store.seals.atOneMoment("test", (moment) => byShard(moment, limit))).flat();
        const both = all.filter(({ booking }) => booking.sourceId === "one_b");
        expect(both.map(({ booking }) => booking.kind)).toEqual(["charge", "refund"]);
        expect(both[0]?.committedAt).toBe(both[1]?.committedAt);
      }
    });

    test("leaves out the beginning of an interval and takes its end, to the nanosecond", async () => {
      await store.seals.atOneMoment("test", async (moment) => {
        const [shard, all] = [...(await byShard(moment, 100)).entries()].find(([, { length }]) => length >= 3) ?? [
          0,
          [],
        ];
        const [first, , third] = all;
        const interval = { shard, after: first?.committedAt ?? "", until: third?.committedAt ?? "", cursor: null };
        expect(await moment.bookings(interval, 100)).toEqual(all.slice(1, 3));
      });
    });

    test("lets no later commit into a moment, nor below its time", async () => {
      const seen = await store.seals.atOneMoment("test", async (moment) => {
        const before = (await byShard(moment, 100)).flat();
        await book(store.ledger, "late_1");
        return { readAt: moment.readAt, before, after: (await byShard(moment, 100)).flat() };
      });
      const later = (await store.seals.atOneMoment("test", (moment) => byShard(moment, 100))).flat();

      expect(seen.readAt).toMatch(exactly);
      expect(seen.after).toEqual(seen.before);
      for (const { committedAt } of seen.before) expect(committedAt <= seen.readAt).toBe(true);
      const late = later.filter(({ booking }) => booking.sourceId === "late_1");
      expect(late.map(({ committedAt }) => committedAt > seen.readAt)).toEqual([true]);
    });

    test("keeps seals as they are, in the order of their numbers, each shard for itself", async () => {
      const [first, second, other] = [sealOf(2, 1), sealOf(2, 2), sealOf(3, 1)];
      for (const seal of [other, first, second]) expect(await store.seals.append(seal)).toBe("appended");

      await store.seals.atOneMoment("test", async (moment) => {
        expect(await moment.seals(2, 0, 10)).toStrictEqual([first, second]);
        expect(await moment.seals(2, 0, 1)).toStrictEqual([first]);
        expect(await moment.seals(2, 1, 10)).toStrictEqual([second]);
        expect([await moment.last(2), await moment.last(3), await moment.last(4)]).toStrictEqual([
          second,
          other,
          undefined,
        ]);
      });
    });

    test("takes one seal for a number: one's own again is no other one", async () => {
      const [own, foreign] = [sealOf(5, 1), { ...sealOf(5, 1), root: "f".repeat(64) }];
      const added = await Promise.all([store.seals.append(own), store.seals.append(foreign)]);
      expect([...added].sort()).toEqual(["appended", "exists"]);

      const standing = await store.seals.atOneMoment("test", (moment) => moment.last(5));
      expect(await store.seals.append(standing as LedgerSeal)).toBe("appended");
      expect(await store.seals.append(standing?.root === own.root ? foreign : own)).toBe("exists");
    });

    test("passes on what a moment's body throws", async () => {
      const ownError = new Error("the body's own");
      await expect(store.seals.atOneMoment("test", () => Promise.reject(ownError))).rejects.toBe(ownError);
    });
  });
}

/** Enough that a shard has three of them: 20 over 8 shards. */
const sourceIds = Array.from({ length: 20 }, (_, index) => `ch_seal_${(index * 7) % 20}`);

/** What the rows of the tests were created at, to the nanosecond. */
const createdAt = new Date(atMs).toISOString().replace("Z", "000000Z");

/** What they are available on. */
const availableOn = "2026-01-17T00:00:00.000000000Z";

const exactly = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/;

async function book(ledger: Ledger, sourceId: string): Promise<void> {
  expect(await ledger.insert("book", [insertOf("ledger_transactions", bookingRow({ sourceId }))])).toBe("inserted");
}

/** All bookings, as the pages of each shard give them. */
async function byShard(moment: SealMoment, limit: number): Promise<CommittedBooking[][]> {
  const shards: CommittedBooking[][] = [];
  for (let shard = 0; shard < sealShards; shard += 1) {
    const all: CommittedBooking[] = [];
    for (let length = limit; length === limit; ) {
      const interval = { shard, after: beforeAllCommits, until: moment.readAt, cursor: all.at(-1) ?? null };
      const page = await moment.bookings(interval, limit);
      all.push(...page);
      length = page.length;
    }
    shards.push(all);
  }
  return shards;
}

function sealOf(shard: number, number: number): LedgerSeal {
  return {
    shard,
    number,
    encoding: 1,
    previousRoot: number === 1 ? null : "a".repeat(64),
    root: String(number).repeat(64),
    bookings: 17,
    after: "2026-01-15T12:00:00.000000001Z",
    until: "2026-01-15T12:00:00.123456789Z",
  };
}
