/**
 * The chain over the books in memory, for the laptop and for tests; commits are numbered, and their number is their time.
 * It must never show a moment a later commit, nor let a seal be written twice.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { type ExactTime, exactTime, exactTimeOf } from "../../domain/exact-time.ts";
import { type CommittedBooking, type LedgerSeal, sealShards } from "../../domain/seal.ts";
import type { LedgerSeals } from "../../flows/seal-ports.ts";
import { frozenCopy, type MemoryTables } from "./tables.ts";

/** No seals yet over the bookings of a memory ledger's tables. */
export function memorySeals(tables: MemoryTables): LedgerSeals {
  const seals: LedgerSeal[] = [];
  const ofShard = (all: readonly LedgerSeal[], shard: number) =>
    all.filter((seal) => seal.shard === shard).sort((one, other) => one.number - other.number);
  return {
    atOneMoment: async (_tag, body) => {
      const readAt = commitTime(tables.commits());
      const bookings = committedBookings(tables);
      const standing = [...seals];
      return await body({
        readAt,
        last: async (shard) => {
          await nextTurn();
          return ofShard(standing, shard).at(-1);
        },
        seals: async (shard, afterNumber, limit) => {
          await nextTurn();
          return ofShard(standing, shard)
            .filter(({ number }) => number > afterNumber)
            .slice(0, limit);
        },
        bookings: async ({ shard, after, until, cursor }, limit) => {
          await nextTurn();
          return bookings
            .filter(({ booking }) => shardOf(booking.sourceId) === shard)
            .filter(({ committedAt }) => committedAt > after && committedAt <= until)
            .filter((each) => cursor === null || orderOf(each) > orderOf(cursor))
            .slice(0, limit);
        },
      });
    },
    append: async (seal) => {
      await nextTurn();
      const standing = seals.find(({ shard, number }) => shard === seal.shard && number === seal.number);
      if (standing === undefined) seals.push(frozenCopy(seal) as LedgerSeal);
      return standing === undefined || standing.root === seal.root ? "appended" : "exists";
    },
  };
}

/** The n-th commit, n nanoseconds after the epoch. */
function commitTime(commit: number): ExactTime {
  return exactTime(0, commit);
}

function committedBookings(tables: MemoryTables): readonly CommittedBooking[] {
  const committed = tables.rows("ledger_transactions").map((booking) => {
    const committedAt = commitTime(tables.committedAt("ledger_transactions", `${booking.kind}/${booking.sourceId}`));
    const entries = booking.entries.map((_, index) => ({ number: index + 1, committedAt }));
    const { createdAtMs, availableOnMs } = booking;
    return {
      booking,
      createdAt: exactTimeOf(createdAtMs),
      availableOn: exactTimeOf(availableOnMs),
      committedAt,
      entries,
    };
  });
  return committed.sort((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));
}

/** By commit, kind and source id; no id holds a blank. */
function orderOf({ committedAt, booking }: CommittedBooking): string {
  return `${committedAt} ${booking.kind} ${booking.sourceId}`;
}

/** Any spread will do: which booking is in which chain is the store's own affair. */
function shardOf(sourceId: string): number {
  return [...sourceId].reduce((sum, character) => sum + character.charCodeAt(0), 0) % sealShards;
}
