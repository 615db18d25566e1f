// Randomness that follows from a seed, for everything in a simulation that is left to chance, ids and tokens included.
// It must never ask the machine: the same seed gives the same numbers on every machine.
import type { Random } from "../../functions/flows/ports.ts";

/** Numbers in the order in which they are asked for. */
export interface Chance {
  /** From 0 up to but not including 1. */
  unit(): number;
  /** A whole number from `least` to `most`, both included. */
  whole(least: number, most: number): number;
  /** True `share` of the times. */
  happens(share: number): boolean;
  one<Value>(values: readonly Value[]): Value;
  /** Chance of its own for one purpose, so that a number more there changes nothing elsewhere. */
  fork(name: string): Chance;
}

/** Chance from a seed; splitmix32, whose numbers are good enough for choices and cost a few nanoseconds. */
export function chanceOf(seed: number): Chance {
  let state = seed >>> 0;
  const unit = () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
  const whole = (least: number, most: number) => least + Math.floor(unit() * (most - least + 1));
  return {
    unit,
    whole,
    happens: (share) => unit() < share,
    one: (values) => values[whole(0, values.length - 1)] as (typeof values)[number],
    fork: (name) => chanceOf(seedOf(seed, name)),
  };
}

/** Ids and tokens from chance; as long as the machine's own, so that nothing is told apart by its length. */
export function randomFrom(chance: Chance): Random {
  const text = () => {
    let made = "";
    while (made.length < 24) made += letters[chance.whole(0, letters.length - 1)];
    return made;
  };
  return { id: (prefix) => `${prefix}_${text()}`, token: text };
}

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** FNV-1a over the name, from the seed on. */
function seedOf(seed: number, name: string): number {
  let hash = (seed ^ 0x811c9dc5) >>> 0;
  for (const character of name) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193) >>> 0;
  return hash;
}
