/**
 * The ledger in memory, for the laptop and for tests: the same answers as Spanner's, transaction by transaction.
 * It must never let a transaction commit on rows that changed under it, nor answer in the same turn of the event loop.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { isUnderWay } from "../../domain/attempt.ts";
import { bookingKeyOf } from "../../domain/balance-transaction.ts";
import { refuse } from "../../domain/errors.ts";
import type { IntentPage, IntentQuery, RefundQuery } from "../../domain/pages.ts";
import type { PaymentIntent } from "../../domain/payment-intent.ts";
import type { Refund } from "../../domain/refund.ts";
import type { Change, FoundRows, KeyRow, ReadKeys, Tables } from "../../domain/rows.ts";
import type { Ledger, LedgerTransactionScope } from "../../flows/ports.ts";
import { scanOf } from "./scan.ts";
import { isRowExists, type MemoryTables, memoryTables, preparedChanges } from "./tables.ts";

/** A ledger on tables, by default empty ones; who gives them can let another store see the same commits. */
export function memoryLedger(tables: MemoryTables = memoryTables()): MemoryLedger {
  let conflicts = 0;
  return {
    insert: async (_tag, changes) => {
      const prepared = preparedChanges(changes);
      await nextTurn();
      return insert(tables, prepared);
    },
    transact: async (_tag, body) => {
      for (let run = 1; run <= runsMax; run += 1) {
        const attempt = beginAttempt(tables);
        const ending = await settle(() => body(attempt.scope));
        await nextTurn();
        if (!attempt.isOutdated()) {
          if (ending.kind === "threw") throw ending.error;
          if (attempt.commit()) return ending.result;
        }
        conflicts += 1;
      }
      throw refuse("store_unavailable", `The transaction met other ones ${runsMax} times.`);
    },
    read: async (keys) => {
      await nextTurn();
      return found(tables, keys);
    },
    listIntents: async (query) => {
      await nextTurn();
      return intentPage(tables.rows("payment_intents"), query);
    },
    listRefunds: async (query) => {
      await nextTurn();
      return refundPage(tables.rows("refunds"), query);
    },
    listEvents: async (query) => {
      await nextTurn();
      const matching = tables.rows("events").filter(({ type }) => query.types === null || query.types.includes(type));
      const { rows, hasMore } = page(matching, query);
      return { events: rows, hasMore };
    },
    overdueHolds: async (captureBeforeMs, limit) => {
      await nextTurn();
      const overdue = tables
        .rows("payment_intents")
        .filter(({ activeAttemptId }) => activeAttemptId === null)
        .flatMap((each) => (each.captureBeforeMs === null ? [] : [{ intent: each, dueMs: each.captureBeforeMs }]))
        .filter(({ dueMs }) => dueMs < captureBeforeMs);
      overdue.sort((one, other) => one.dueMs - other.dueMs || compare(one.intent.id, other.intent.id));
      return overdue.slice(0, limit).map(({ intent }) => intent);
    },
    overdueAttempts: async (leaseUntilBeforeMs, limit) => {
      await nextTurn();
      const overdue = tables
        .rows("attempts")
        .filter((each) => isUnderWay(each) && each.leaseUntilMs < leaseUntilBeforeMs);
      return overdue
        .sort((one, other) => one.leaseUntilMs - other.leaseUntilMs || compare(one.id, other.id))
        .slice(0, limit);
    },
    abandonedIntentions: async (leaseUntilBeforeMs, limit) => {
      await nextTurn();
      return abandonedKeys(tables, leaseUntilBeforeMs).slice(0, limit);
    },
    scan: (_tag, body) => body(scanOf(tables)),
    rows: (table) => tables.rows(table),
    conflicts: () => conflicts,
  };
}

/** The ledger with what tests may see beyond the port. */
export interface MemoryLedger extends Ledger {
  /** A copy of all rows of a table, in the order in which they were first written. */
  rows<T extends keyof Tables>(table: T): readonly Tables[T][];
  /** How often a body ran in vain because another transaction had changed what it read. */
  conflicts(): number;
}

/** One of two conflicting transactions always commits, so a body that ran so often meets a bug, not bad luck. */
const runsMax = 1_000;

function insert(tables: MemoryTables, changes: readonly Change[]): "inserted" | "exists" {
  try {
    tables.commit(changes);
    return "inserted";
  } catch (error) {
    if (isRowExists(error)) return "exists";
    throw error;
  }
}

/** One run of a body: it reads the tables as they were when it began, or finds out that it cannot. */
function beginAttempt(tables: MemoryTables) {
  const began = tables.commits();
  const readSet: (readonly [keyof ReadKeys, string])[] = [];
  const written: Change[] = [];
  const hasChanged = ([table, key]: readonly [keyof ReadKeys, string]) => tables.committedAt(table, key) > began;
  let outdated = false;
  const scope: LedgerTransactionScope = {
    read: async (keys) => {
      await nextTurn();
      readSet.push(...keysOf(keys));
      outdated ||= readSet.some(hasChanged);
      if (outdated) throw new Error("Another transaction changed what this one reads; its body runs again.");
      return found(tables, keys);
    },
    write: (changes) => void written.push(...preparedChanges(changes)),
  };
  return {
    scope,
    /** True when a read failed because of a later commit; the body's ending is then worth nothing. */
    isOutdated: () => outdated,
    /** False when a row that was read has changed since: nothing was written. */
    commit: (): boolean => {
      if (written.length > 0 && readSet.some(hasChanged)) return false;
      if (written.length > 0) tables.commit(written);
      return true;
    },
  };
}

type Ending<Result> =
  | { readonly kind: "returned"; readonly result: Result }
  | { readonly kind: "threw"; readonly error: unknown };

async function settle<Result>(call: () => Promise<Result>): Promise<Ending<Result>> {
  try {
    return { kind: "returned", result: await call() };
  } catch (error) {
    return { kind: "threw", error };
  }
}

function found(tables: MemoryTables, keys: ReadKeys): FoundRows {
  const entries = keysOf(keys).map(([table, key]) => [table, tables.row(table, key)] as const);
  return Object.fromEntries(entries.filter(([, row]) => row !== undefined)) as FoundRows;
}

function abandonedKeys(tables: MemoryTables, leaseUntilBeforeMs: number): KeyRow[] {
  return tables
    .rows("idempotency_keys")
    .filter(({ intention, leaseUntilMs }) => intention !== null && leaseUntilMs < leaseUntilBeforeMs)
    .sort((one, other) => one.leaseUntilMs - other.leaseUntilMs || compare(one.keyHash, other.keyHash));
}

function keysOf(keys: ReadKeys): (readonly [keyof ReadKeys, string])[] {
  const asked = Object.entries(keys).filter(([, key]) => key !== undefined) as [keyof ReadKeys, string][];
  return asked.map(([table, key]) => [table, table === "ledger_transactions" ? bookingAddress(key) : key] as const);
}

/** A booking is asked for by the id that clients see, and lies under its kind and source. */
function bookingAddress(id: string): string {
  const key = bookingKeyOf(id);
  return key === undefined ? "" : `${key.kind}/${key.sourceId}`;
}

function intentPage(all: readonly PaymentIntent[], query: IntentQuery): IntentPage {
  const matching = all.filter((each) => query.customer === null || each.customer === query.customer);
  const { rows, hasMore } = page(matching, query);
  return { intents: rows, hasMore };
}

function refundPage(all: readonly Refund[], query: RefundQuery): { refunds: readonly Refund[]; hasMore: boolean } {
  const matching = all
    .filter((each) => query.intentId === null || each.intentId === query.intentId)
    .filter((each) => query.chargeId === null || each.chargeId === query.chargeId);
  const { rows, hasMore } = page(matching, query);
  return { refunds: rows, hasMore };
}

interface Listed {
  readonly id: string;
  readonly accountId: string;
  readonly createdAtMs: number;
}

type PageQuery<Row> = Pick<IntentQuery, "accountId" | "limit" | "createdFromMs" | "createdBeforeMs"> & {
  readonly startingAfter: Row | null;
  readonly endingBefore: Row | null;
};

function page<Row extends Listed>(
  all: readonly Row[],
  query: PageQuery<Row>,
): { rows: readonly Row[]; hasMore: boolean } {
  const { startingAfter, endingBefore, createdFromMs, createdBeforeMs } = query;
  const matching = all
    .filter((each) => each.accountId === query.accountId)
    .filter((each) => createdFromMs === null || each.createdAtMs >= createdFromMs)
    .filter((each) => createdBeforeMs === null || each.createdAtMs < createdBeforeMs)
    .filter((each) => startingAfter === null || newestFirst(each, startingAfter) > 0)
    .filter((each) => endingBefore === null || newestFirst(each, endingBefore) < 0)
    .sort(newestFirst);
  const hasMore = matching.length > query.limit;
  // Before a cursor the page nearest to it is wanted.
  const isBackward = endingBefore !== null && startingAfter === null;
  return { rows: isBackward ? matching.slice(-query.limit) : matching.slice(0, query.limit), hasMore };
}

/** Ids decide between rows of the same millisecond. */
function newestFirst(one: Listed, other: Listed): number {
  return other.createdAtMs - one.createdAtMs || compare(other.id, one.id);
}

/** By code unit, as the index does for the characters of ids. */
function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
