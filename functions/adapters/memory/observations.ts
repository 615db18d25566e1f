/**
 * Tries to pay in memory, for the laptop and for tests.
 * It must never hand out an object that it keeps, and never answer in the same turn of the event loop.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Observation } from "../../domain/velocity.ts";
import type { Observations } from "../../flows/risk-ports.ts";

/** None yet. */
export function memoryObservations(): Observations {
  const kept = new Map<string, Observation>();
  return {
    record: async (observations) => {
      await nextTurn();
      for (const one of observations) kept.set(JSON.stringify([one.subject, one.atMs, one.chargeId]), { ...one });
    },
    between: async (subject, fromMs, untilMs, limit) => {
      await nextTurn();
      return [...kept.values()]
        .filter((one) => one.subject === subject && one.atMs > fromMs && one.atMs < untilMs)
        .sort((one, other) => one.atMs - other.atMs)
        .slice(0, limit)
        .map((one) => ({ ...one }));
    },
  };
}
