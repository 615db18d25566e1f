/**
 * The tree that forms and JSON bodies are read into, its bounds and its notation.
 * It must never be built from plain objects: a parameter named `__proto__` is a name like any other (field case F20).
 */
import { type DomainError, refuse } from "../domain/errors.ts";

/**
 * One parameter: a text, or named parameters. Numbers stand as they were written (`1e3`), booleans as `true` and `false`,
 * null as the empty text, which means unset (contract section 2); an empty object or list is absent.
 */
export type Parameter = string | ParameterMap;

/**
 * Named parameters. A list is a map with the names `0`, `1`, ...: on the wire `metadata[0]=x` is a list and a map with the
 * key 0 at once, and only the field that reads it knows which was meant.
 */
export type ParameterMap = ReadonlyMap<string, Parameter>;

/** The same while it is being built. */
export type GrowingMap = Map<string, string | GrowingMap>;

/** Most texts in one request: what an update of everything with 50 metadata keys needs, ten times over. */
export const parametersMax = 1_000;

/** Deepest name, `a[b]` counting 2: the deepest field of the API has 4, and no reader recurses further than this. */
export const nestingMax = 8;

/** A list index as it is written; 6 digits are far more than `parametersMax` entries need. */
export const listIndex = /^(?:0|[1-9][0-9]{0,5})$/;

/** `["a", "b", "0"]` as `a[b][0]`: how errors name a parameter (contract section 4). */
export function bracketName(path: readonly string[]): string {
  const [first = "", ...rest] = path;
  return `${first}${rest.map((part) => `[${part}]`).join("")}`;
}

/** The entries of a list in their order, or undefined when a name is no index. Gaps close (`a[0]`, `a[7]` are two entries). */
export function listEntries(
  map: ParameterMap,
): readonly (readonly [index: string, parameter: Parameter])[] | undefined {
  if (![...map.keys()].every((key) => listIndex.test(key))) return undefined;
  return [...map].sort(([left], [right]) => Number(left) - Number(right));
}

/**
 * Refuses a text that no store and no JSON answer could give back unchanged: NUL, or half of a surrogate pair (F03).
 * Raises `parameter_invalid`.
 */
export function checkText(text: string, path: readonly string[]): void {
  if (text.includes("\u0000")) throw invalid(path, "must not contain the NUL character");
  if (!text.isWellFormed()) throw invalid(path, "must not contain half of a surrogate pair");
}

/** Refuses a name that brackets cannot spell, so that a form and a JSON body can say the same. Raises `parameter_invalid`. */
export function checkName(name: string, path: readonly string[]): void {
  if (name === "") throw invalid(path, "must not have an empty name");
  if (/[[\]]/.test(name)) throw invalid(path, "must not have brackets in a name");
  checkText(name, path);
}

/** Refuses a name deeper than `nestingMax`. Raises `parameter_invalid`. */
export function checkDepth(path: readonly string[]): void {
  if (path.length > nestingMax) {
    throw invalid(path.slice(0, nestingMax), `must not be nested deeper than ${nestingMax} levels`);
  }
}

/** Refuses the text after the last that is allowed. Raises `body_invalid`. */
export function checkCount(count: number): void {
  if (count > parametersMax) throw refuse("body_invalid", `A request holds at most ${parametersMax} parameters.`);
}

/** `parameter_invalid` for the parameter at `path`; the text is a sentence that starts with its name. */
export function invalid(path: readonly string[], text: string): DomainError {
  const name = shownName(bracketName(path));
  return refuse("parameter_invalid", `Parameter ${name} ${text}.`, { param: name });
}

/** Longest name that an error repeats; the longest real one, `metadata[<40 characters>]`, has 50. */
const shownNameMax = 100;

/** A client's name as an error may show it: bounded, and always encodable. */
export function shownName(name: string): string {
  const whole = name.toWellFormed().replaceAll("\u0000", "\ufffd");
  return whole.length <= shownNameMax ? whole : `${whole.slice(0, shownNameMax).toWellFormed()}…`;
}
