/**
 * Balances in memory, over the tables of a memory ledger; its timestamps count commits, with as many digits as Spanner's.
 * It must never answer in the same turn of the event loop, nor mix two moments in one answer.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { BalanceCheckpoint, DaySum } from "../../domain/balance.ts";
import { type ExactTime, exactTime } from "../../domain/exact-time.ts";
import type { LedgerTransaction } from "../../domain/ledger.ts";
import type { BookingQuery } from "../../domain/pages.ts";
import type { Balances } from "../../flows/balance-ports.ts";
import type { MemoryTables } from "./tables.ts";

/** The balances of a ledger over the same tables. */
export function memoryBalances(tables: MemoryTables): Balances {
  const newestOf = (accountId: string) => {
    const all = tables.rows("balance_checkpoints").filter((each) => each.accountId === accountId);
    const readAt =
      all
        .map((each) => each.readAt)
        .sort()
        .at(-1) ?? "";
    return { readAt, rows: all.filter((each) => each.readAt === readAt) };
  };
  const after = (readAt: ExactTime) => (booking: LedgerTransaction) => committedAt(tables, booking) > readAt;
  return {
    list: async (query) => {
      await nextTurn();
      return page(tables.rows("ledger_transactions"), query);
    },
    moment: async (accountId) => {
      await nextTurn();
      const newest = newestOf(accountId);
      const own = tables.rows("ledger_transactions").filter((booking) => booking.accountId === accountId);
      return {
        readAt: timeOf(tables.commits()),
        checkpoint: newest.rows,
        tail: summed(own.filter(after(newest.readAt))),
      };
    },
    behind: async (limit) => {
      await nextTurn();
      const counts = new Map<string, number>();
      for (const booking of tables.rows("ledger_transactions")) {
        if (!after(newestOf(booking.accountId).readAt)(booking)) continue;
        counts.set(booking.accountId, (counts.get(booking.accountId) ?? 0) + 1);
      }
      const most = [...counts].sort(([oneId, one], [otherId, other]) => other - one || compare(oneId, otherId));
      return most.slice(0, limit).map(([accountId]) => accountId);
    },
    checkpoints: async (cursor, limit) => {
      await nextTurn();
      const rest = tables
        .rows("balance_checkpoints")
        .filter((each) => cursor === null || orderOfKeys(each, cursor) > 0)
        .sort(orderOfKeys);
      return rest.slice(0, limit);
    },
    prune: async (accountId, olderThan) => {
      await nextTurn();
      const isOld = (key: string) => key.startsWith(`${accountId}/`) && key.slice(key.lastIndexOf("/") + 1) < olderThan;
      tables.remove("balance_checkpoints", isOld);
    },
  };
}

/** The commit of a booking as a timestamp. */
function committedAt(tables: MemoryTables, { kind, sourceId }: LedgerTransaction): ExactTime {
  return timeOf(tables.committedAt("ledger_transactions", `${kind}/${sourceId}`));
}

/** The n-th commit as the n-th nanosecond: whoever sends it through milliseconds loses it. */
function timeOf(commit: number): ExactTime {
  return exactTime(0, commit);
}

function summed(bookings: readonly LedgerTransaction[]): readonly DaySum[] {
  const sums = new Map<string, DaySum>();
  for (const { currency, availableOnMs, payableMinor } of bookings) {
    const key = `${currency} ${availableOnMs}`;
    sums.set(key, { currency, availableOnMs, amountMinor: payableMinor + (sums.get(key)?.amountMinor ?? 0n) });
  }
  return [...sums.values()];
}

function page(all: readonly LedgerTransaction[], query: BookingQuery) {
  const { startingAfter, endingBefore, createdFromMs, createdBeforeMs, kind, sourceId, currency } = query;
  const matching = all
    .filter((each) => each.accountId === query.accountId)
    .filter((each) => kind === null || each.kind === kind)
    .filter((each) => sourceId === null || each.sourceId === sourceId)
    .filter((each) => currency === null || each.currency === currency)
    .filter((each) => createdFromMs === null || each.createdAtMs >= createdFromMs)
    .filter((each) => createdBeforeMs === null || each.createdAtMs < createdBeforeMs)
    .filter((each) => startingAfter === null || newestFirst(each, startingAfter) > 0)
    .filter((each) => endingBefore === null || newestFirst(each, endingBefore) < 0)
    .sort(newestFirst);
  const isBackward = endingBefore !== null && startingAfter === null;
  return {
    bookings: isBackward ? matching.slice(-query.limit) : matching.slice(0, query.limit),
    hasMore: matching.length > query.limit,
  };
}

function newestFirst(one: LedgerTransaction, other: LedgerTransaction): number {
  return other.createdAtMs - one.createdAtMs || compare(other.sourceId, one.sourceId) || compare(other.kind, one.kind);
}

/** By account and currency, the newest first. */
function orderOfKeys(one: BalanceCheckpoint, other: BalanceCheckpoint): number {
  return (
    compare(one.accountId, other.accountId) ||
    compare(one.currency, other.currency) ||
    compare(other.readAt, one.readAt)
  );
}

/** By code unit, as the index does for the characters of ids. */
function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
