// The list of deliberate faults: each is a piece of the product's text and what stands in its place.
// It must never let a fault rot: one whose text is not in its file exactly once is a problem, and so says which.

import { readFileSync } from "node:fs";
import path from "node:path";

/** One deliberate fault, and the test that must go red. */
export interface Mutant {
  readonly id: string;
  /** What the product does wrong with it, in one clause. */
  readonly fault: string;
  /** A file of the product, from the root. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  readonly killedBy: {
    /** A test file, from the root; its name says in which run it is. */
    readonly file: string;
    /** Part of the test's full name. */
    readonly title: string;
  };
}

/** Reads the list. */
export function readMutants(root: string): readonly Mutant[] {
  return JSON.parse(readFileSync(path.join(root, "test", "proof", "mutants.json"), "utf8")) as readonly Mutant[];
}

/** Why the fault cannot be put in, in one line; undefined when it can. */
export function faultProblem(
  root: string,
  { id, file, find, replace }: Omit<Mutant, "fault" | "killedBy">,
): string | undefined {
  const times = readFileSync(path.join(root, file), "utf8").split(find).length - 1;
  if (times !== 1) return `${id}: its text stands ${times} times in ${file}, not once`;
  return find === replace ? `${id}: it changes nothing` : undefined;
}
