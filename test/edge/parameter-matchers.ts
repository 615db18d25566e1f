// Turns trees and refusals into plain values that a test can compare at a glance.
// It must never hide a prototype's key: plain objects made here have none.
import { DomainError } from "../../functions/domain/errors.ts";
import type { Parameter } from "../../functions/edge/parameter-tree.ts";

/** A tree as an object of objects; its keys are own keys, `__proto__` too. */
export function plain(parameter: Parameter | undefined): unknown {
  if (parameter === undefined || typeof parameter === "string") return parameter;
  return Object.fromEntries([...parameter].map(([name, inner]) => [name, plain(inner)]));
}

/** Code and parameter of the `DomainError` that `act` throws; any other end fails the test. */
export function refusal(act: () => unknown): { code: string; param: string | undefined } {
  try {
    act();
  } catch (error) {
    if (error instanceof DomainError) return { code: error.code, param: error.param };
    throw error;
  }
  throw new Error("nothing was refused");
}
