/**
 * Actions of operators in memory, for the laptop and for tests.
 * It must never let two writers move one action, and never answer in the same turn of the event loop.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { refuse } from "../../domain/errors.ts";
import type { OperatorAction } from "../../domain/operator-action.ts";
import type { OperatorStore } from "../../flows/operator-ports.ts";
import { frozenCopy } from "./tables.ts";

/** No actions yet. */
export function memoryOperators(): OperatorStore {
  const actions = new Map<string, OperatorAction>();
  return {
    add: async (action) => {
      await nextTurn();
      if (actions.has(action.id)) throw refuse("internal", `Action ${action.id} exists.`);
      actions.set(action.id, frozenCopy(action) as OperatorAction);
    },
    read: async (id) => {
      await nextTurn();
      return actions.get(id);
    },
    about: async (attemptId, limit) => {
      await nextTurn();
      return [...actions.values()]
        .filter((action) => action.attemptId === attemptId)
        .sort((one, other) => other.proposedAtMs - one.proposedAtMs || (one.id < other.id ? -1 : 1))
        .slice(0, limit);
    },
    confirmed: async (limit) => {
      await nextTurn();
      const timeOf = ({ confirmedAtMs }: OperatorAction) => confirmedAtMs ?? 0;
      return [...actions.values()]
        .filter(({ state }) => state === "confirmed")
        .sort((one, other) => timeOf(one) - timeOf(other) || (one.id < other.id ? -1 : 1))
        .slice(0, limit);
    },
    advance: async (action, from) => {
      await nextTurn();
      if (actions.get(action.id)?.state !== from) return "lost";
      actions.set(action.id, frozenCopy(action) as OperatorAction);
      return "advanced";
    },
  };
}
