/**
 * Changes to mutations and keys to one query: the way of every row of the ledger's port to its table and back.
 * It must never rewrite what may only be added: bookings, checkpoints and events.
 */
import { Spanner } from "@google-cloud/spanner";
import { bookingKeyOf } from "../domain/balance-transaction.ts";
import type { Change, FoundRows, ReadKeys, Tables } from "../domain/rows.ts";
import { readAttempt, sendAttempt } from "./spanner-attempt-rows.ts";
import { readCheckpoint, sendCheckpoint } from "./spanner-checkpoint-rows.ts";
import type { FoundColumns, SentColumns } from "./spanner-columns.ts";
import { readCharge, readIntent, sendCharge, sendIntent } from "./spanner-payment-rows.ts";
import type { Statement } from "./spanner-query.ts";
import * as records from "./spanner-record-rows.ts";
import { readRefund, sendRefund } from "./spanner-refund-rows.ts";

/**
 * Adds mutations for the changes to a `MutationSet` or a transaction, which both take them one by one.
 * @throws Error for a booking out of balance, and for an update of a booking or an event
 */
export function addChanges(target: MutationTarget, changes: readonly Change[]): void {
  for (const change of changes) {
    if (change.op === "delete") {
      target.deleteRows(change.table, [change.row.eventId]);
      continue;
    }
    if (change.op === "update" && appendOnly.has(change.table))
      throw new Error(`Rows of ${change.table} never change.`);
    for (const { table, columns } of mutationsOf(change)) {
      target[change.op](table, { ...columns, committed_at: Spanner.COMMIT_TIMESTAMP });
    }
  }
}

/** One statement that reads all the keys at once: one array of at most one row for each table asked for. */
export function selectByKeys(keys: ReadKeys): Statement {
  const names = tablesAsked(keys);
  const arrays = names.map((name) => `ARRAY(${rowCodecs[name].select} WHERE ${keyConditions[name]}) AS ${name}`);
  const { ledger_transactions: bookingId, ...params } = keys;
  const booking = bookingId === undefined ? {} : bookingParameters(bookingId);
  const all: Readonly<Record<string, string>> = { ...params, ...booking };
  const types = Object.fromEntries(Object.keys(all).map((name) => [name, "string" as const]));
  return { sql: `SELECT ${arrays.join(", ")}`, params: all, types };
}

/** The rows in the answer to `selectByKeys`. */
export function foundRows(keys: ReadKeys, columns: FoundColumns): FoundRows {
  const entries = tablesAsked(keys).flatMap((name) => {
    const [row] = columns[name] as readonly FoundColumns[];
    return row === undefined ? [] : [[name, rowCodecs[name].read(row)]];
  });
  return Object.fromEntries(entries) as FoundRows;
}

/** How each table is read: what to select (a condition on `t` may follow), and how a found row becomes a domain object. */
export const rowCodecs: { readonly [T in keyof Tables]: RowCodec<Tables[T]> } = {
  idempotency_keys: { select: "SELECT AS STRUCT t.* FROM idempotency_keys t", read: records.readKey },
  payment_intents: { select: "SELECT AS STRUCT t.* FROM payment_intents t", read: readIntent },
  attempts: { select: "SELECT AS STRUCT t.* FROM attempts t", read: readAttempt },
  charges: { select: "SELECT AS STRUCT t.* FROM charges t", read: readCharge },
  refunds: { select: "SELECT AS STRUCT t.* FROM refunds t", read: readRefund },
  ledger_transactions: {
    select:
      "SELECT AS STRUCT t.*, ARRAY(SELECT AS STRUCT e.* FROM ledger_entries e WHERE e.kind = t.kind " +
      "AND e.source_id = t.source_id ORDER BY e.entry_number) AS entries FROM ledger_transactions t",
    read: records.readBooking,
  },
  balance_checkpoints: { select: "SELECT AS STRUCT t.* FROM balance_checkpoints t", read: readCheckpoint },
  events: { select: "SELECT AS STRUCT t.* FROM events t", read: records.readEvent },
  outbox: { select: "SELECT AS STRUCT t.* FROM outbox t", read: records.readOutbox },
};

/** See `rowCodecs`. */
export interface RowCodec<Row> {
  readonly select: string;
  read(columns: FoundColumns): Row;
}

/** Takes mutations: a `MutationSet` or a `Transaction`. */
export interface MutationTarget {
  insert(table: string, row: object): void;
  update(table: string, row: object): void;
  /** A key whose row is gone already is no failure. */
  deleteRows(table: string, keys: string[]): void;
}

const appendOnly: ReadonlySet<keyof Tables> = new Set(["ledger_transactions", "balance_checkpoints", "events"]);

const keyConditions: Readonly<Record<keyof ReadKeys, string>> = {
  idempotency_keys: "key_hash = @idempotency_keys",
  payment_intents: "intent_id = @payment_intents",
  attempts: "attempt_id = @attempts",
  charges: "charge_id = @charges",
  refunds: "refund_id = @refunds",
  ledger_transactions: "t.kind = @booking_kind AND t.source_id = @booking_source",
  events: "event_id = @events",
};

/** An id that no booking has finds nothing. */
function bookingParameters(id: string) {
  const { kind = "", sourceId = "" } = bookingKeyOf(id) ?? {};
  return { booking_kind: kind, booking_source: sourceId };
}

function tablesAsked(keys: ReadKeys): (keyof ReadKeys)[] {
  return (Object.keys(keyConditions) as (keyof ReadKeys)[]).filter((name) => keys[name] !== undefined);
}

function mutationsOf(
  change: Exclude<Change, { op: "delete" }>,
): readonly { readonly table: string; readonly columns: SentColumns }[] {
  switch (change.table) {
    case "idempotency_keys":
      return [{ table: change.table, columns: records.sendKey(change.row) }];
    case "payment_intents":
      return [{ table: change.table, columns: sendIntent(change.row) }];
    case "attempts":
      return [{ table: change.table, columns: sendAttempt(change.row) }];
    case "charges":
      return [{ table: change.table, columns: sendCharge(change.row) }];
    case "refunds":
      return [{ table: change.table, columns: sendRefund(change.row) }];
    case "ledger_transactions": {
      // The booking first: an entry lies inside it, and mutations are applied in order.
      const { row, entries } = records.sendBooking(change.row);
      return [
        { table: change.table, columns: row },
        ...entries.map((columns) => ({ table: "ledger_entries", columns })),
      ];
    }
    case "balance_checkpoints":
      return [{ table: change.table, columns: sendCheckpoint(change.row) }];
    case "events":
      return [{ table: change.table, columns: records.sendEvent(change.row) }];
    case "outbox":
      return [{ table: change.table, columns: records.sendOutbox(change.row) }];
  }
}
