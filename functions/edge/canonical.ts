/**
 * One text for one meaning: the same parameters in any order give the same text, other parameters another.
 * It must never forget anything the handler can see, or a changed request would be replayed as if it were the first.
 */
import type { Parameter, ParameterMap } from "./parameter-tree.ts";

/**
 * The parameters as JSON of `[name, value]` pairs, sorted by code point at every level; the part of a fingerprint that
 * design section 4 calls canonical decoded parameters. JSON's own quoting makes it unambiguous. The order of names never
 * matters, the order of a list does, since its indexes are its names (field case F01).
 */
export function canonicalParameters(parameters: ParameterMap): string {
  return JSON.stringify(pairs(parameters));
}

type Canonical = string | readonly (readonly [string, Canonical])[];

function pairs(map: ParameterMap): readonly (readonly [string, Canonical])[] {
  const found: (readonly [string, Canonical])[] = [];
  for (const [name, parameter] of map) found.push([name, canonical(parameter)]);
  return found.sort(byName);
}

function canonical(parameter: Parameter): Canonical {
  return typeof parameter === "string" ? parameter : pairs(parameter);
}

function byName([left]: readonly [string, Canonical], [right]: readonly [string, Canonical]): number {
  return compareCodePoints(left, right);
}

/** By code point, not by UTF-16 unit, so that another implementation sorting UTF-8 bytes gets the same text. */
function compareCodePoints(left: string, right: string): number {
  const shorter = Math.min(left.length, right.length);
  for (let index = 0; index < shorter; index += 1) {
    const difference = rank(left.charCodeAt(index)) - rank(right.charCodeAt(index));
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/** A UTF-16 unit's place by code points: surrogates stand for the highest ones, above the units behind them. */
function rank(unit: number): number {
  if (unit < firstSurrogate) return unit;
  return unit < firstBehindSurrogates ? unit + 0x10000 : unit;
}

const [firstSurrogate, firstBehindSurrogates] = [0xd800, 0xe000];
