/**
 * The two lists of the ledger, each from a sharded index: an account's intents, and the open attempts that are overdue.
 * It must never sort a whole account or table: each shard gives at most one page, and the pages are merged.
 */
import type { Database } from "@google-cloud/spanner";
import type { Attempt } from "../domain/attempt.ts";
import type { IntentPage, IntentQuery } from "../flows/ports.ts";
import { sendTime } from "./spanner-columns.ts";
import { query, type Statement } from "./spanner-query.ts";
import { rowCodecs } from "./spanner-rows.ts";

/** One page of an account's intents, newest first; ids decide between intents of the same millisecond. */
export async function listIntents(database: Database, asked: IntentQuery): Promise<IntentPage> {
  const rows = await query(database, "list-intents", selectIntents(asked));
  const found = rows.map(rowCodecs.payment_intents.read);
  const intents = found.slice(0, asked.limit);
  return { intents: isBackward(asked) ? intents.reverse() : intents, hasMore: found.length > asked.limit };
}

/** Open attempts whose lease ended before a time, oldest lease first. */
export async function overdueAttempts(
  database: Database,
  leaseUntilBeforeMs: number,
  limit: number,
): Promise<readonly Attempt[]> {
  const rows = await query(database, "overdue-attempts", selectOverdue(leaseUntilBeforeMs, limit));
  return rows.map(rowCodecs.attempts.read);
}

/** Shards of both indexes; the schema computes them from the id as a number from 0 to 7. */
const shards = [0, 1, 2, 3, 4, 5, 6, 7] as const;

/** One row more than the page, which says whether another page follows. */
function selectIntents(asked: IntentQuery): Statement {
  const order = isBackward(asked) ? "created_at, intent_id" : "created_at DESC, intent_id DESC";
  const { conditions, params, types } = conditionsOf(asked);
  const page = `ORDER BY ${order} LIMIT ${Math.trunc(asked.limit) + 1}`;
  const keys = shards.map(
    (shard) =>
      "(SELECT intent_id, created_at FROM payment_intents@{FORCE_INDEX=payment_intents_newest} " +
      `WHERE list_shard = ${shard} AND ${conditions.join(" AND ")} ${page})`,
  );
  const newest = `SELECT intent_id FROM (${keys.join(" UNION ALL ")}) ${page}`;
  return { sql: `SELECT t.* FROM payment_intents t WHERE t.intent_id IN (${newest}) ORDER BY ${order}`, params, types };
}

function conditionsOf(asked: IntentQuery): Pick<Statement, "params" | "types"> & { readonly conditions: string[] } {
  const conditions = ["account_id = @account"];
  const params: Record<string, string> = { account: asked.accountId };
  const types: Record<string, "string" | "timestamp"> = { account: "string" };
  const add = (condition: string, name: string, type: "string" | "timestamp", value: string) => {
    if (condition !== "") conditions.push(condition);
    params[name] = value;
    types[name] = type;
  };
  if (asked.customer !== null) add("customer = @customer", "customer", "string", asked.customer);
  if (asked.createdFromMs !== null) add("created_at >= @from", "from", "timestamp", sendTime(asked.createdFromMs));
  if (asked.createdBeforeMs !== null)
    add("created_at < @before", "before", "timestamp", sendTime(asked.createdBeforeMs));
  const cursors = [
    ["after", "<", asked.startingAfter],
    ["until", ">", asked.endingBefore],
  ] as const;
  for (const [name, sign, intent] of cursors) {
    if (intent === null) continue;
    add(`created_at ${sign}= @${name}`, name, "timestamp", sendTime(intent.createdAtMs));
    add(`(created_at != @${name} OR intent_id ${sign} @${name}_id)`, `${name}_id`, "string", intent.id);
  }
  return { conditions, params, types };
}

/** Before a cursor the page nearest to it is wanted, so it is read from the cursor towards newer intents. */
function isBackward(asked: IntentQuery): boolean {
  return asked.endingBefore !== null && asked.startingAfter === null;
}

function selectOverdue(leaseUntilBeforeMs: number, limit: number): Statement {
  const page = `ORDER BY lease_until, attempt_id LIMIT ${Math.trunc(limit)}`;
  // The emulator cannot prove that a condition on the shard leaves no row out, the cloud can and ignores that hint.
  const hints = "FORCE_INDEX=attempts_open, spanner_emulator.disable_query_null_filtered_index_check=true";
  const keys = shards.map(
    (shard) =>
      `(SELECT attempt_id, lease_until FROM attempts@{${hints}} ` +
      `WHERE open_shard = ${shard} AND lease_until < @before ${page})`,
  );
  const oldest = `SELECT attempt_id FROM (${keys.join(" UNION ALL ")}) ${page}`;
  return {
    sql: `SELECT t.* FROM attempts t WHERE t.attempt_id IN (${oldest}) ORDER BY t.lease_until, t.attempt_id`,
    params: { before: sendTime(leaseUntilBeforeMs) },
    types: { before: "timestamp" },
  };
}
