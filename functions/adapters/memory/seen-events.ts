/**
 * The events that a receiver has seen, in memory, for the laptop and for tests.
 * It must never answer in the same turn of the event loop, nor forget: it lives as long as its process.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { SeenEvents } from "../../flows/receiver-ports.ts";

/** An empty memory. */
export function memorySeenEvents(): SeenEvents {
  const marks = new Map<string, { owner: string; leaseUntilMs: number; done: boolean }>();
  return {
    begin: async (eventId, { owner, nowMs, leaseUntilMs }) => {
      await nextTurn();
      const mark = marks.get(eventId);
      if (mark?.done === true) return "done";
      if (mark !== undefined && mark.owner !== owner && nowMs < mark.leaseUntilMs) return "busy";
      marks.set(eventId, { owner, leaseUntilMs, done: false });
      return "begun";
    },
    finish: async (eventId, owner) => {
      await nextTurn();
      const mark = marks.get(eventId);
      if (mark?.owner !== owner) return "lost";
      mark.done = true;
      return "finished";
    },
    release: async (eventId, owner) => {
      await nextTurn();
      const mark = marks.get(eventId);
      if (mark?.owner === owner && !mark.done) marks.delete(eventId);
    },
  };
}
