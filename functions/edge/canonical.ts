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
  return [...map]
    .map(([name, parameter]) => [name, canonical(parameter)] as const)
    .sort(([left], [right]) => compareCodePoints(left, right));
}

function canonical(parameter: Parameter): Canonical {
  return typeof parameter === "string" ? parameter : pairs(parameter);
}

/** By code point, not by UTF-16 unit, so that another implementation sorting UTF-8 bytes gets the same text. */
function compareCodePoints(left: string, right: string): number {
  const others = [...right];
  for (const [index, character] of [...left].entries()) {
    const other = others[index];
    if (other === undefined) return 1;
    const difference = (character.codePointAt(0) ?? 0) - (other.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return [...left].length - others.length;
}
