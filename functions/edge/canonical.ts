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

type Canonical = string | readonly Pair[];
type Pair = readonly [name: string, value: Canonical];

function pairs(map: ParameterMap): readonly Pair[] {
  const found: Pair[] = [];
  if (map.size > fewNames) {
    for (const [name, parameter] of map) found.push([name, canonical(parameter)]);
    return found.sort(byName);
  }
  for (const [name, parameter] of map) insert(found, [name, canonical(parameter)]);
  return found;
}

/**
 * Every request passes here, and has a dozen names: the engine's sort sets up one and a half kilobytes before it begins. Of
 * more names than this, inserting would compare too many.
 */
const fewNames = 16;

/** Puts a pair in its place among sorted ones. */
function insert(sorted: Pair[], pair: Pair): void {
  let place = sorted.push(pair) - 1;
  for (; place > 0; place -= 1) {
    const before = sorted[place - 1] as Pair;
    if (byName(before, pair) <= 0) break;
    sorted[place] = before;
  }
  sorted[place] = pair;
}

function canonical(parameter: Parameter): Canonical {
  return typeof parameter === "string" ? parameter : pairs(parameter);
}

function byName(left: Pair, right: Pair): number {
  return compareCodePoints(left[0], right[0]);
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
