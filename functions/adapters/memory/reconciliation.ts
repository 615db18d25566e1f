/**
 * Attempts beside their bookings and the table of breaks in memory, for the laptop and for tests.
 * It must never open a break twice, and never answer in the same turn of the event loop.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Attempt } from "../../domain/attempt.ts";
import { type AttemptInBooks, type Break, isOpen, openedBreak } from "../../domain/reconcile.ts";
import type { ReconciliationStore } from "../../flows/reconciliation-ports.ts";
import { frozenCopy, type MemoryTables } from "./tables.ts";

/** No breaks yet over the attempts and bookings of a memory ledger's tables. */
export function memoryReconciliation(tables: MemoryTables): ReconciliationStore {
  const breaks = new Map<string, Break>();
  return {
    attempts: async ({ fromMs, beforeMs }, cursor, limit) => {
      await nextTurn();
      const all = tables
        .rows("attempts")
        .filter(({ createdAtMs }) => createdAtMs >= fromMs && createdAtMs < beforeMs)
        .filter(({ id }) => cursor === null || id > cursor)
        .sort((one, other) => (one.id < other.id ? -1 : 1));
      const page = all.slice(0, limit);
      const next = all.length > limit ? (page.at(-1)?.id ?? null) : null;
      return { rows: page.map((attempt) => inBooks(tables, attempt)), next };
    },
    attempt: async (id) => {
      await nextTurn();
      const attempt = tables.row("attempts", id);
      return attempt && inBooks(tables, attempt);
    },
    openBreaks: async (after, limit) => {
      await nextTurn();
      return [...breaks.entries()]
        .filter(([, each]) => isOpen(each))
        .filter(([key]) => after === null || key > keyOf(after))
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .slice(0, limit)
        .map(([, found]) => found);
    },
    record: async (about, { findings, untold, atMs }) => {
      await nextTurn();
      const standing = [...breaks.values()].filter(
        (each) => each.subject === about.subject && each.closedAtMs === null,
      );
      const opened = findings
        .filter(({ kind }) => !standing.some((each) => each.kind === kind))
        .map((finding) => frozenCopy(openedBreak(about, finding, atMs)) as Break);
      const closed = standing
        .filter(({ kind }) => !untold.has(kind) && !findings.some((finding) => finding.kind === kind))
        .map((gone) => frozenCopy({ ...gone, closedAtMs: atMs }) as Break);
      for (const each of [...opened, ...closed]) breaks.set(keyOf(each), each);
      return { opened, closed };
    },
    change: async (key, change) => {
      await nextTurn();
      const standing = breaks.get(keyOf(key));
      if (standing === undefined || standing.closedAtMs !== null) return undefined;
      const changed = frozenCopy(change(standing)) as Break;
      breaks.set(keyOf(key), changed);
      return changed;
    },
  };
}

/** No id holds a blank. */
function keyOf({ subject, kind }: Pick<Break, "subject" | "kind">): string {
  return `${subject} ${kind}`;
}

function inBooks(tables: MemoryTables, attempt: Attempt): AttemptInBooks {
  const { refundId, chargeId } = attempt;
  const keys = refundId === null ? [`charge/${chargeId}`] : [`refund/${refundId}`, `refund_failure/${refundId}`];
  return { attempt, bookings: keys.flatMap((key) => tables.row("ledger_transactions", key) ?? []) };
}
