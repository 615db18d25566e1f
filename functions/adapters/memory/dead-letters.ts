/**
 * Dead letters and redrives in memory, for the laptop and for tests.
 * It must never hand out an object that it keeps, and never answer in the same turn of the event loop.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { KeptLetter } from "../../domain/dead-letter.ts";
import type { DeadLetters, Redrive } from "../../flows/dead-letter-ports.ts";

/** None yet. */
export function memoryDeadLetters(): DeadLetters {
  const letters = new Map<string, KeptLetter>();
  const redrives = new Map<string, Redrive>();
  const found = (ids: readonly string[]) => ids.flatMap((id) => letters.get(id) ?? []);
  return {
    record: async (letter) => {
      await nextTurn();
      if (letters.has(letter.id)) return "known";
      letters.set(letter.id, structuredClone({ ...letter, state: "waiting", redriveId: null }));
      return "recorded";
    },
    waiting: async (limit) => {
      await nextTurn();
      return [...letters.values()]
        .filter(({ state }) => state === "waiting")
        .slice(0, limit)
        .map(({ id, source, eventId, eventType, data }) => ({ id, source, eventId, eventType, isKept: data !== null }));
    },
    findRedrive: async (id) => {
      await nextTurn();
      return structuredClone(redrives.get(id));
    },
    startRedrive: async (redrive) => {
      await nextTurn();
      const standing = redrives.get(redrive.id);
      if (standing === undefined) redrives.set(redrive.id, structuredClone(redrive));
      return structuredClone(standing ?? redrive);
    },
    finishRedrive: async (id, receipt) => {
      await nextTurn();
      const standing = redrives.get(id);
      if (standing !== undefined) redrives.set(id, { ...standing, receipt: { ...receipt } });
    },
    take: async (letterIds, redriveId) => {
      await nextTurn();
      const before = structuredClone(found(letterIds));
      for (const letter of before) {
        if (letter.state === "waiting")
          letters.set(letter.id, structuredClone({ ...letter, state: "sending", redriveId }));
      }
      return before;
    },
    settle: async (letterIds, redriveId) => {
      await nextTurn();
      for (const letter of found(letterIds)) {
        if (letter.redriveId === redriveId) letters.set(letter.id, { ...letter, state: "sent" });
      }
    },
  };
}
