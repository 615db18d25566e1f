/**
 * The outbox in memory, over the tables of the memory ledger: the same answers as Spanner's.
 * It must never give one row to two relays at once, nor answer in the same turn of the event loop.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { OutboxRow } from "../../domain/events.ts";
import type { Change } from "../../domain/rows.ts";
import type { Outbox } from "../../flows/bus-ports.ts";
import { type MemoryTables, preparedChanges } from "./tables.ts";

/** The outbox of the ledger that has these tables. */
export function memoryOutbox(tables: MemoryTables): Outbox {
  return {
    lease: async ({ createdBeforeMs, nowMs, leaseUntilMs, limit }) => {
      await nextTurn();
      const taken = waitingIn(tables, createdBeforeMs)
        .filter((row) => row.leaseUntilMs === null || row.leaseUntilMs <= nowMs)
        .slice(0, limit);
      commit(
        tables,
        taken.map((row) => ({ op: "update", table: "outbox", row: { ...row, leaseUntilMs } })),
      );
      return taken.map(({ eventId }) => {
        const event = tables.row("events", eventId);
        if (event === undefined) throw new Error(`The outbox names event ${eventId}, which is not there.`);
        return event;
      });
    },
    remove: async (eventIds) => {
      await nextTurn();
      commit(
        tables,
        eventIds.map((eventId) => ({ op: "delete", table: "outbox", row: { eventId } })),
      );
    },
    backlog: async (createdBeforeMs, countMax) => {
      await nextTurn();
      const waiting = waitingIn(tables, createdBeforeMs);
      return { count: Math.min(waiting.length, countMax), oldestCreatedAtMs: waiting[0]?.createdAtMs ?? null };
    },
  };
}

function commit(tables: MemoryTables, changes: readonly Change[]): void {
  if (changes.length > 0) tables.commit(preparedChanges(changes));
}

/** Oldest first; ids decide within a millisecond. */
function waitingIn(tables: MemoryTables, createdBeforeMs: number): readonly OutboxRow[] {
  return tables
    .rows("outbox")
    .filter(({ createdAtMs }) => createdAtMs < createdBeforeMs)
    .sort((one, other) => one.createdAtMs - other.createdAtMs || (one.eventId < other.eventId ? -1 : 1));
}
