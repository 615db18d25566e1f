/**
 * The outbox in Spanner, as its relay sees it.
 * It must never hold a range of it locked: the rows are found by a plain read, and only those are leased in a transaction.
 */
import type { Database } from "@google-cloud/spanner";
import type { LeaseQuery, Outbox, OutboxBacklog } from "../flows/bus-ports.ts";
import { type FoundColumns, reader, sendTime } from "./spanner-columns.ts";
import { insertBlindly } from "./spanner-insert.ts";
import { query } from "./spanner-query.ts";
import { rowCodecs } from "./spanner-rows.ts";
import { inTransaction } from "./spanner-transaction.ts";

/** The outbox of an open database (see `openSpanner`). */
export function spannerOutbox(deps: { readonly database: Database }): Outbox {
  const { database } = deps;
  return {
    lease: (asked) => lease(database, asked),
    remove: async (eventIds) => {
      if (eventIds.length === 0) return;
      await insertBlindly({ database, tag: "outbox-remove" }, (target) => target.deleteRows("outbox", [...eventIds]));
    },
    backlog: (createdBeforeMs, countMax) => backlog(database, createdBeforeMs, countMax),
  };
}

/** Shards of the index; the schema computes them from the id as a number from 0 to 7. */
const shards = [0, 1, 2, 3, 4, 5, 6, 7] as const;

/** Finds candidates, leases those of them that are still free, and reads the events of those: three round trips and a commit. */
async function lease(database: Database, asked: LeaseQuery) {
  const found = await query(database, "outbox-candidates", {
    sql: oldest("AND (lease_until IS NULL OR lease_until <= @now)", asked.limit),
    params: { before: sendTime(asked.createdBeforeMs), now: sendTime(asked.nowMs) },
    types: { before: "timestamp", now: "timestamp" },
  });
  if (found.length === 0) return [];
  const leased = await inTransaction({ database, tag: "outbox-lease" }, (open) =>
    open.query({
      sql:
        "UPDATE outbox SET lease_until = @until, committed_at = PENDING_COMMIT_TIMESTAMP() WHERE event_id IN UNNEST(@ids) " +
        "AND (lease_until IS NULL OR lease_until <= @now) THEN RETURN event_id",
      params: { until: sendTime(asked.leaseUntilMs), now: sendTime(asked.nowMs), ids: idsOf(found) },
      types: { until: "timestamp", now: "timestamp", ids: textList },
    }),
  );
  if (leased.length === 0) return [];
  const events = await query(database, "outbox-events", {
    sql: "SELECT t.* FROM events t WHERE t.event_id IN UNNEST(@ids) ORDER BY t.created_at, t.event_id",
    params: { ids: idsOf(leased) },
    types: { ids: textList },
  });
  return events.map(rowCodecs.events.read);
}

async function backlog(database: Database, createdBeforeMs: number, countMax: number): Promise<OutboxBacklog> {
  const [found] = await query(database, "outbox-backlog", {
    sql: `SELECT COUNT(*) AS waiting, MIN(created_at) AS oldest FROM (${oldest("", countMax)})`,
    params: { before: sendTime(createdBeforeMs) },
    types: { before: "timestamp" },
  });
  if (found === undefined) throw new Error("A count found no row.");
  const read = reader(found);
  return { count: read.count("waiting"), oldestCreatedAtMs: read.timeOrNull("oldest") };
}

/** The oldest rows before a time: a page of each shard, merged, so that nothing is sorted as a whole. */
function oldest(condition: string, limit: number): string {
  const page = `ORDER BY created_at, event_id LIMIT ${Math.trunc(limit)}`;
  const parts = shards.map(
    (shard) =>
      `(SELECT event_id, created_at FROM outbox@{FORCE_INDEX=outbox_oldest} ` +
      `WHERE outbox_shard = ${shard} AND created_at < @before ${condition} ${page})`,
  );
  return `SELECT event_id, created_at FROM (${parts.join(" UNION ALL ")}) ${page}`;
}

const textList = { type: "array", child: "string" } as const;

function idsOf(found: readonly FoundColumns[]): readonly string[] {
  return found.map((columns) => reader(columns).text("event_id"));
}
