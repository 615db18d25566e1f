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
  };
}
