/**
 * The stories of keys and payments in memory, over the tables and the chain of a memory ledger.
 * It must never answer in the same turn of the event loop, nor mix two moments in one answer.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { LedgerTransaction } from "../../domain/ledger.ts";
import type { KeyRow } from "../../domain/rows.ts";
import { type LedgerSeal, sealShards } from "../../domain/seal.ts";
import { sealedPrefix } from "../../domain/secret-box.ts";
import {
  type AccountBooks,
  type BookSum,
  type KeyRecord,
  type PaymentRecords,
  recordsMax,
  summedBookingsMax,
  unsealedMax,
} from "../../domain/story.ts";
import type { LedgerSeals } from "../../flows/seal-ports.ts";
import type { Stories } from "../../flows/story-ports.ts";
import type { MemoryTables } from "./tables.ts";

/** The stories of a ledger over the same tables; without its chain nothing counts as sealed. */
export function memoryStories(tables: MemoryTables, seals?: LedgerSeals): Stories {
  return {
    ofKey: async (keyHash) => {
      await nextTurn();
      const row = tables.row("idempotency_keys", keyHash);
      if (row === undefined) return undefined;
      return { row: recordOf(row), payment: paymentOf(tables, intentOf(tables, row)) ?? null };
    },
    ofPayment: async (intentId) => {
      await nextTurn();
      return paymentOf(tables, intentId);
    },
    ofBooks: async (accountId) => {
      await nextTurn();
      return await booksOf(tables, seals, accountId);
    },
  };
}

function recordOf({ outcome, ...row }: KeyRow): KeyRecord {
  if (outcome === null) return { ...row, outcome: null };
  const { status, body } = outcome;
  const encrypted = body !== null && Buffer.from(body).toString("latin1").startsWith(sealedPrefix);
  return { ...row, outcome: { status, bytes: body?.length ?? null, encrypted } };
}

/** The intent that a key's request is about: its attempt's, its refund's, or itself. */
function intentOf(tables: MemoryTables, row: KeyRow): string {
  const attempt = row.attemptId === null ? undefined : tables.row("attempts", row.attemptId);
  const refund = row.resourceId === null ? undefined : tables.row("refunds", row.resourceId);
  return attempt?.intentId ?? refund?.intentId ?? row.resourceId ?? "";
}

function paymentOf(tables: MemoryTables, intentId: string): PaymentRecords | undefined {
  const intent = tables.row("payment_intents", intentId);
  if (intent === undefined) return undefined;
  const attempts = newest(tables.rows("attempts").filter((each) => each.intentId === intentId));
  const refunds = newest(tables.rows("refunds").filter((each) => each.intentId === intentId));
  const chargeIds = new Set(attempts.map(({ chargeId }) => chargeId));
  const charges = newest(tables.rows("charges").filter(({ id }) => chargeIds.has(id)));
  const sources = new Set([...chargeIds, ...refunds.map(({ id }) => id)]);
  const bookings = tables.rows("ledger_transactions").filter(({ sourceId }) => sources.has(sourceId));
  const objects = new Set([intentId, ...sources]);
  const events = newest(tables.rows("events").filter(({ objectId }) => objects.has(objectId)));
  return { intent, attempts, charges, refunds, bookings: bookings.toSorted(byTime).slice(-recordsMax), events };
}

function newest<Row extends { readonly id: string; readonly createdAtMs: number }>(rows: readonly Row[]): Row[] {
  return rows
    .toSorted((one, other) => one.createdAtMs - other.createdAtMs || (one.id < other.id ? -1 : 1))
    .slice(-recordsMax);
}

function byTime(one: LedgerTransaction, other: LedgerTransaction): number {
  const key = ({ sourceId, kind }: LedgerTransaction) => `${sourceId} ${kind}`;
  return one.createdAtMs - other.createdAtMs || (key(one) < key(other) ? -1 : 1);
}

async function booksOf(tables: MemoryTables, seals: LedgerSeals | undefined, accountId: string): Promise<AccountBooks> {
  const own = tables
    .rows("ledger_transactions")
    .filter((booking) => booking.accountId === accountId)
    .toSorted(byTime);
  const summed = own.slice(-summedBookingsMax);
  const sums = { sums: sumsOf(summed), bookings: summed.length, hasMore: own.length > summed.length };
  if (seals === undefined) return { ...sums, seals: [], ...unsealedOf(own) };
  return await seals.atOneMoment("books", async ({ readAt, last, bookings }) => {
    const standing: LedgerSeal[] = [];
    const behind: LedgerTransaction[] = [];
    for (let shard = 0; shard < sealShards; shard += 1) {
      const seal = await last(shard);
      if (seal !== undefined) standing.push(seal);
      const interval = { shard, after: seal?.until ?? "", until: readAt, cursor: null };
      const unsealed = (await bookings(interval, Number.MAX_SAFE_INTEGER)).map(({ booking }) => booking);
      behind.push(...unsealed.filter((booking) => booking.accountId === accountId));
    }
    return { ...sums, seals: standing, ...unsealedOf(behind) };
  });
}

function unsealedOf(behind: readonly LedgerTransaction[]): Pick<AccountBooks, "unsealed" | "unsealedSinceMs"> {
  const times = behind.map(({ createdAtMs }) => createdAtMs);
  return {
    unsealed: Math.min(behind.length, unsealedMax),
    unsealedSinceMs: times.length === 0 ? null : Math.min(...times),
  };
}

function sumsOf(bookings: readonly LedgerTransaction[]): BookSum[] {
  const sums = new Map<string, BookSum>();
  for (const { currency, entries } of bookings) {
    for (const { direction, amountMinor } of entries) {
      const { debitMinor, creditMinor } = sums.get(currency) ?? { debitMinor: 0n, creditMinor: 0n };
      sums.set(currency, {
        currency,
        debitMinor: debitMinor + (direction === "debit" ? amountMinor : 0n),
        creditMinor: creditMinor + (direction === "credit" ? amountMinor : 0n),
      });
    }
  }
  return [...sums.values()].sort((one, other) => (one.currency < other.currency ? -1 : 1));
}
