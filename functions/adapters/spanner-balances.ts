/**
 * Balances in Spanner: a page of bookings, and checkpoint and tail, each by one statement and so at one moment.
 * It must never read a whole account once there is a checkpoint, nor send a moment through a JavaScript date.
 */
import type { Database } from "@google-cloud/spanner";
import type { BalanceCheckpoint, BalanceMoment, DaySum } from "../domain/balance.ts";
import type { LedgerTransaction } from "../domain/ledger.ts";
import type { BookingQuery } from "../domain/pages.ts";
import type { Balances } from "../flows/balance-ports.ts";
import { readCheckpoint } from "./spanner-checkpoint-rows.ts";
import { type FoundColumns, reader, sendTime } from "./spanner-columns.ts";
import { translate } from "./spanner-errors.ts";
import { type ParameterType, query, queryOptions, type Statement } from "./spanner-query.ts";
import { rowCodecs } from "./spanner-rows.ts";
import { inTransaction } from "./spanner-transaction.ts";

/** The balances of an open database (see `openSpanner`). */
export function spannerBalances(deps: { readonly database: Database }): Balances {
  const { database } = deps;
  return {
    list: (asked) => listBookings(database, asked),
    moment: (accountId) => readMoment(database, accountId),
    behind: async (limit) => {
      const rows = await query(database, "accounts-behind", { ...selectBehind(limit), params: {}, types: {} });
      return rows.map((columns) => reader(columns).text("account_id"));
    },
    checkpoints: async (after, limit) =>
      (await query(database, "checkpoints", selectCheckpoints(after, limit))).map(readCheckpoint),
    prune: async (accountId, olderThan) => {
      const sql = "DELETE FROM balance_checkpoints WHERE account_id = @account AND read_at < @before";
      const params = { account: accountId, before: olderThan };
      const types = { account: "string", before: "timestamp" } as const;
      await inTransaction({ database, tag: "prune-checkpoints" }, (open) => open.query({ sql, params, types }));
    },
  };
}

/** Shards of the sharded indexes; the schema computes them from the source's id as a number from 0 to 7. */
const shards = [0, 1, 2, 3, 4, 5, 6, 7] as const;

/** How far back accounts with new bookings are looked for; the schedule calls every five minutes, so it may fail often. */
const lookBackMinutes = 60;

/** In a snapshot, because only one tells at which moment it reads. */
async function readMoment(database: Database, accountId: string): Promise<BalanceMoment> {
  try {
    const [snapshot] = await database.getSnapshot({ strong: true });
    try {
      const requestOptions = { requestTag: "balance-moment" };
      const [rows] = await snapshot.run({ ...selectMoment(accountId), ...queryOptions, requestOptions });
      const [columns] = rows as unknown as readonly FoundColumns[];
      const moment = snapshot.readTimestamp;
      if (columns === undefined || moment === undefined) throw new Error("Spanner told no moment.");
      const read = reader(columns);
      return {
        readAt: moment.toISOString(),
        checkpoint: read.json<readonly FoundColumns[]>("checkpoint").map(readCheckpoint),
        tail: read.json<readonly FoundColumns[]>("tail").map(readSum),
      };
    } finally {
      snapshot.end();
    }
  } catch (error) {
    throw translate("before", error);
  }
}

function readSum(columns: FoundColumns): DaySum {
  const read = reader(columns);
  return {
    currency: read.text("currency"),
    availableOnMs: read.time("available_on"),
    amountMinor: read.amount("amount_minor"),
  };
}

/** The tail is read from its index alone, shard by shard, from the checkpoint's moment on. */
function selectMoment(accountId: string): Statement {
  const tail =
    "SELECT AS STRUCT t.currency, t.available_on, SUM(t.payable_minor) AS amount_minor " +
    `FROM UNNEST([${shards.join(", ")}]) AS shard ` +
    "JOIN@{JOIN_METHOD=APPLY_JOIN} ledger_transactions@{FORCE_INDEX=ledger_transactions_tail} t " +
    "ON t.account_id = @account AND t.seal_shard = shard AND t.committed_at > newest.read_at " +
    "GROUP BY t.currency, t.available_on";
  const newest =
    "SELECT IFNULL(MAX(read_at), TIMESTAMP '0001-01-01T00:00:00Z') AS read_at FROM balance_checkpoints WHERE account_id = @account";
  const checkpoint =
    "SELECT AS STRUCT c.* FROM balance_checkpoints c WHERE c.account_id = @account AND c.read_at = newest.read_at";
  return {
    sql: `SELECT ARRAY(${checkpoint}) AS checkpoint, ARRAY(${tail}) AS tail FROM (${newest}) newest`,
    params: { account: accountId },
    types: { account: "string" },
  };
}

/** Recent bookings by commit time, without those that the newest checkpoint of their account holds. */
function selectBehind(limit: number): Pick<Statement, "sql"> {
  const lately =
    `SELECT t.account_id, t.committed_at FROM UNNEST([${shards.join(", ")}]) AS shard ` +
    "JOIN@{JOIN_METHOD=APPLY_JOIN} ledger_transactions@{FORCE_INDEX=ledger_transactions_committed} t ON t.seal_shard = shard " +
    `AND t.committed_at > TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL ${lookBackMinutes} MINUTE)`;
  // Only of these accounts, by their keys: the checkpoints of all others are not looked at.
  const newest =
    "SELECT a.account_id, MAX(c.read_at) AS read_at FROM (SELECT DISTINCT account_id FROM lately) a " +
    "JOIN@{JOIN_METHOD=APPLY_JOIN} balance_checkpoints c ON c.account_id = a.account_id GROUP BY a.account_id";
  return {
    sql:
      `WITH lately AS (${lately}), newest AS (${newest}) ` +
      "SELECT l.account_id FROM lately l LEFT JOIN newest n ON n.account_id = l.account_id " +
      "WHERE n.read_at IS NULL OR l.committed_at > n.read_at " +
      `GROUP BY l.account_id ORDER BY COUNT(*) DESC, l.account_id LIMIT ${Math.trunc(limit)}`,
  };
}

/** In the order of the primary key, whose last column descends. */
function selectCheckpoints(after: BalanceCheckpoint | null, limit: number): Statement {
  const order = `ORDER BY account_id, currency, read_at DESC LIMIT ${Math.trunc(limit)}`;
  if (after === null) return { sql: `SELECT * FROM balance_checkpoints ${order}`, params: {}, types: {} };
  const behind =
    "account_id > @account OR (account_id = @account AND (currency > @currency OR (currency = @currency AND read_at < @at)))";
  return {
    sql: `SELECT * FROM balance_checkpoints WHERE ${behind} ${order}`,
    params: { account: after.accountId, currency: after.currency, at: after.readAt },
    types: { account: "string", currency: "string", at: "timestamp" },
  };
}

async function listBookings(
  database: Database,
  asked: BookingQuery,
): Promise<{ readonly bookings: readonly LedgerTransaction[]; readonly hasMore: boolean }> {
  const [columns = {}] = await query(database, "list-bookings", selectPage(asked));
  const found = reader(columns).json<readonly FoundColumns[]>("page").map(rowCodecs.ledger_transactions.read);
  const page = found.slice(0, asked.limit);
  return { bookings: isBackward(asked) ? page.reverse() : page, hasMore: found.length > asked.limit };
}

/** One row more than the page, which says whether another page follows. */
function selectPage(asked: BookingQuery): Statement {
  const down = isBackward(asked) ? "" : " DESC";
  const order = (t: string) => `ORDER BY ${t}created_at${down}, ${t}source_id${down}, ${t}kind${down}`;
  const page = `${order("")} LIMIT ${Math.trunc(asked.limit) + 1}`;
  const { conditions, params, types } = conditionsOf(asked);
  const select = (from: string, where: readonly string[]) =>
    `(SELECT kind, source_id, created_at FROM ledger_transactions@{FORCE_INDEX=${from}} WHERE ${where.join(" AND ")} ${page})`;
  // The bookings of one source are three at most, and lie under its id.
  const parts =
    asked.sourceId === null
      ? shards.map((shard) => select("ledger_transactions_newest", [`seal_shard = ${shard}`, ...conditions]))
      : [select("_BASE_TABLE", ["kind IN ('charge', 'refund', 'refund_failure')", ...conditions])];
  const keys = `SELECT kind, source_id FROM (${parts.join(" UNION ALL ")}) ${page}`;
  const join = `JOIN (${keys}) k ON t.kind = k.kind AND t.source_id = k.source_id`;
  return { sql: `SELECT ARRAY(${rowCodecs.ledger_transactions.select} ${join} ${order("t.")}) AS page`, params, types };
}

function conditionsOf(asked: BookingQuery): Pick<Statement, "params" | "types"> & { readonly conditions: string[] } {
  const conditions: string[] = [];
  const params: Record<string, string> = {};
  const types: Record<string, ParameterType> = {};
  const add = (condition: string, name: string, value: string | null, type: "string" | "timestamp" = "string") => {
    if (value === null) return;
    if (condition !== "") conditions.push(condition);
    params[name] = value;
    types[name] = type;
  };
  add("account_id = @account", "account", asked.accountId);
  add("kind = @kind", "kind", asked.kind);
  add("source_id = @source", "source", asked.sourceId);
  add("currency = @currency", "currency", asked.currency);
  add("created_at >= @from", "from", sendTime(asked.createdFromMs), "timestamp");
  add("created_at < @before", "before", sendTime(asked.createdBeforeMs), "timestamp");
  const cursors = [
    ["after", "<", asked.startingAfter],
    ["until", ">", asked.endingBefore],
  ] as const;
  for (const [name, sign, cursor] of cursors) {
    if (cursor === null) continue;
    const behind = `(source_id ${sign} @${name}_source OR (source_id = @${name}_source AND kind ${sign} @${name}_kind))`;
    add(`created_at ${sign}= @${name}`, name, sendTime(cursor.createdAtMs), "timestamp");
    add(`(created_at != @${name} OR ${behind})`, `${name}_source`, cursor.sourceId);
    add("", `${name}_kind`, cursor.kind);
  }
  return { conditions, params, types };
}

/** Before a cursor the page nearest to it is wanted, so it is read from the cursor towards newer rows. */
function isBackward(asked: BookingQuery): boolean {
  return asked.endingBefore !== null && asked.startingAfter === null;
}
