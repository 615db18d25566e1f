/**
 * The lists of the ledger, each from an index: an account's intents, refunds and events, and the open attempts that are overdue.
 * It must never sort a whole account or table: each shard gives at most one page, and the pages are merged.
 */
import type { Database } from "@google-cloud/spanner";
import type { Attempt } from "../domain/attempt.ts";
import type { PaymentEvent } from "../domain/events.ts";
import type { EventQuery, IntentPage, IntentQuery, RefundQuery } from "../domain/pages.ts";
import type { PaymentIntent } from "../domain/payment-intent.ts";
import type { Refund } from "../domain/refund.ts";
import type { KeyRow } from "../domain/rows.ts";
import { sendTime } from "./spanner-columns.ts";
import { type ParameterType, query, type Statement } from "./spanner-query.ts";
import { rowCodecs } from "./spanner-rows.ts";

/** One page of an account's intents, newest first; ids decide between intents of the same millisecond. */
export async function listIntents(database: Database, asked: IntentQuery): Promise<IntentPage> {
  const { customer } = asked;
  const index = "payment_intents_newest";
  const list = { table: "payment_intents", index, isSharded: true, id: "intent_id", filters: { customer } };
  const rows = await query(database, "list-intents", selectPage(list, asked));
  const { page, hasMore } = pageOf<PaymentIntent>(rows.map(rowCodecs.payment_intents.read), asked);
  return { intents: page, hasMore };
}

/** One page of an account's refunds, newest first; those of one charge or intent come from an index of their own. */
export async function listRefunds(
  database: Database,
  asked: RefundQuery,
): Promise<{ readonly refunds: readonly Refund[]; readonly hasMore: boolean }> {
  const { intentId, chargeId } = asked;
  const ofPayment = chargeId === null ? "refunds_by_intent" : "refunds_by_charge";
  const isSharded = intentId === null && chargeId === null;
  const index = isSharded ? "refunds_newest" : ofPayment;
  const filters = { intent_id: intentId, charge_id: chargeId };
  const list = { table: "refunds", index, isSharded, id: "refund_id", filters };
  const rows = await query(database, "list-refunds", selectPage(list, asked));
  const { page, hasMore } = pageOf<Refund>(rows.map(rowCodecs.refunds.read), asked);
  return { refunds: page, hasMore };
}

/** One page of an account's events, newest first. */
export async function listEvents(
  database: Database,
  asked: EventQuery,
): Promise<{ readonly events: readonly PaymentEvent[]; readonly hasMore: boolean }> {
  const list = {
    table: "events",
    index: "events_newest",
    isSharded: true,
    id: "event_id",
    filters: { type: asked.types },
  };
  const rows = await query(database, "list-events", selectPage(list, asked));
  const { page, hasMore } = pageOf<PaymentEvent>(rows.map(rowCodecs.events.read), asked);
  return { events: page, hasMore };
}

/** Open attempts whose lease ended before a time, oldest lease first. */
export async function overdueAttempts(
  database: Database,
  leaseUntilBeforeMs: number,
  limit: number,
): Promise<readonly Attempt[]> {
  const list = { table: "attempts", index: "attempts_open", shard: "open_shard", due: "lease_until", id: "attempt_id" };
  const rows = await query(database, "overdue-attempts", selectDue(list, leaseUntilBeforeMs, limit));
  return rows.map(rowCodecs.attempts.read);
}

/** Key rows that announce something and whose lease ended before a time, oldest lease first. */
export async function abandonedIntentions(
  database: Database,
  leaseUntilBeforeMs: number,
  limit: number,
): Promise<readonly KeyRow[]> {
  const index = "idempotency_keys_intended";
  const list = { table: "idempotency_keys", index, shard: "intention_shard", due: "lease_until", id: "key_hash" };
  const rows = await query(database, "abandoned-intentions", selectDue(list, leaseUntilBeforeMs, limit));
  return rows.map(rowCodecs.idempotency_keys.read);
}

/** Holds that nobody captured before a time, longest overdue first. */
export async function overdueHolds(
  database: Database,
  captureBeforeMs: number,
  limit: number,
): Promise<readonly PaymentIntent[]> {
  const index = "payment_intents_held_until";
  const list = { table: "payment_intents", index, shard: "hold_shard", due: "capture_before", id: "intent_id" };
  const rows = await query(database, "overdue-holds", selectDue(list, captureBeforeMs, limit));
  return rows.map(rowCodecs.payment_intents.read);
}

/** Shards of the sharded indexes; the schema computes them from the id as a number from 0 to 7. */
const shards = [0, 1, 2, 3, 4, 5, 6, 7] as const;

/** A list that is read page by page: names of the schema, only the values of `filters` come from outside. */
interface List {
  readonly table: string;
  /** Ordered by `created_at` and `id`, both descending, within a shard when it is sharded. */
  readonly index: string;
  readonly isSharded: boolean;
  readonly id: string;
  /** Columns to match, and what they have to be, or one of what; null matches everything. */
  readonly filters: Readonly<Record<string, string | readonly string[] | null>>;
}

/** What pages of all lists are asked by. */
interface PageQuery extends Omit<IntentQuery, "customer" | "startingAfter" | "endingBefore"> {
  readonly startingAfter: Cursor | null;
  readonly endingBefore: Cursor | null;
}

type Cursor = Pick<PaymentIntent, "id" | "createdAtMs">;

/** One row more than the page, which says whether another page follows. */
function selectPage(list: List, asked: PageQuery): Statement {
  const { table, index, isSharded, id } = list;
  const order = isBackward(asked) ? `created_at, ${id}` : `created_at DESC, ${id} DESC`;
  const { conditions, params, types } = conditionsOf(list, asked);
  const page = `ORDER BY ${order} LIMIT ${Math.trunc(asked.limit) + 1}`;
  const parts = isSharded ? shards.map((shard) => [`list_shard = ${shard}`]) : [[]];
  const keys = parts.map(
    (part) =>
      `(SELECT ${id}, created_at FROM ${table}@{FORCE_INDEX=${index}} ` +
      `WHERE ${[...part, ...conditions].join(" AND ")} ${page})`,
  );
  const newest = `SELECT ${id} FROM (${keys.join(" UNION ALL ")}) ${page}`;
  return { sql: `SELECT t.* FROM ${table} t WHERE t.${id} IN (${newest}) ORDER BY ${order}`, params, types };
}

function pageOf<Row>(
  found: readonly Row[],
  asked: PageQuery,
): { readonly page: readonly Row[]; readonly hasMore: boolean } {
  const page = found.slice(0, asked.limit);
  return { page: isBackward(asked) ? page.reverse() : page, hasMore: found.length > asked.limit };
}

function conditionsOf(
  { id, filters }: List,
  asked: PageQuery,
): Pick<Statement, "params" | "types"> & { readonly conditions: string[] } {
  const conditions = ["account_id = @account"];
  const params: Record<string, string | readonly string[]> = { account: asked.accountId };
  const types: Record<string, ParameterType> = { account: "string" };
  const add = (condition: string, name: string, type: "string" | "timestamp", value: string) => {
    if (condition !== "") conditions.push(condition);
    params[name] = value;
    types[name] = type;
  };
  for (const [column, value] of Object.entries(filters)) {
    if (typeof value === "string") add(`${column} = @${column}`, column, "string", value);
    else if (value !== null) {
      conditions.push(`${column} IN UNNEST(@${column})`);
      params[column] = value;
      types[column] = { type: "array", child: "string" };
    }
  }
  if (asked.createdFromMs !== null) add("created_at >= @from", "from", "timestamp", sendTime(asked.createdFromMs));
  if (asked.createdBeforeMs !== null)
    add("created_at < @before", "before", "timestamp", sendTime(asked.createdBeforeMs));
  const cursors = [
    ["after", "<", asked.startingAfter],
    ["until", ">", asked.endingBefore],
  ] as const;
  for (const [name, sign, cursor] of cursors) {
    if (cursor === null) continue;
    add(`created_at ${sign}= @${name}`, name, "timestamp", sendTime(cursor.createdAtMs));
    add(`(created_at != @${name} OR ${id} ${sign} @${name}_id)`, `${name}_id`, "string", cursor.id);
  }
  return { conditions, params, types };
}

/** Before a cursor the page nearest to it is wanted, so it is read from the cursor towards newer rows. */
function isBackward(asked: PageQuery): boolean {
  return asked.endingBefore !== null && asked.startingAfter === null;
}

/** Work that is due: rows of a null-filtered index, by the time at which they fall due. */
interface DueList {
  readonly table: string;
  /** Ordered by `shard` and `due`; a row that is not waiting has no shard and no entry. */
  readonly index: string;
  readonly shard: string;
  readonly due: string;
  readonly id: string;
}

function selectDue({ table, index, shard, due, id }: DueList, beforeMs: number, limit: number): Statement {
  const page = `ORDER BY ${due}, ${id} LIMIT ${Math.trunc(limit)}`;
  // The emulator cannot prove that a condition on the shard leaves no row out, the cloud can and ignores that hint.
  const hints = `FORCE_INDEX=${index}, spanner_emulator.disable_query_null_filtered_index_check=true`;
  const keys = shards.map(
    (number) =>
      `(SELECT ${id}, ${due} FROM ${table}@{${hints}} WHERE ${shard} = ${number} AND ${due} < @before ${page})`,
  );
  const oldest = `SELECT ${id} FROM (${keys.join(" UNION ALL ")}) ${page}`;
  return {
    sql: `SELECT t.* FROM ${table} t WHERE t.${id} IN (${oldest}) ORDER BY t.${due}, t.${id}`,
    params: { before: sendTime(beforeMs) },
    types: { before: "timestamp" },
  };
}
