/**
 * The test acquirer's journal in memory, for the laptop and for tests.
 * It must never change a line once it stands, and never answer in the same turn of the event loop.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { AcquirerJournal, JournalLine } from "../../flows/acquirer-ports.ts";

/** An empty journal. */
export function memoryAcquirerJournal(): AcquirerJournal {
  const lines = new Map<string, JournalLine>();
  return {
    record: async (offered) => {
      const line = structuredClone(offered);
      await nextTurn();
      const standing = lines.get(line.key);
      if (standing !== undefined) return structuredClone(standing);
      lines.set(line.key, line);
      return structuredClone(line);
    },
    read: async (key) => {
      await nextTurn();
      return structuredClone(lines.get(key));
    },
    list: async (limit) => {
      await nextTurn();
      const newestFirst = [...lines.values()].sort((one, other) => other.createdAtMs - one.createdAtMs);
      return structuredClone(newestFirst.slice(0, limit));
    },
    between: async ({ fromMs, beforeMs }, after, limit) => {
      await nextTurn();
      const oldestFirst = [...lines.values()]
        .filter(({ createdAtMs }) => createdAtMs >= fromMs && createdAtMs < beforeMs)
        .filter((line) => after === null || inOrder(line, after) > 0)
        .sort(inOrder);
      return structuredClone(oldestFirst.slice(0, limit));
    },
  };
}

/** Oldest first; keys decide between lines of the same millisecond. */
function inOrder(one: JournalLine, other: JournalLine): number {
  return one.createdAtMs - other.createdAtMs || (one.key < other.key ? -1 : Number(one.key > other.key));
}
