/**
 * Readers for single values: integers, amounts, texts, choices, ids and URLs.
 * They must never accept a second spelling of a value: `1e3`, ` 100 ` or `TRUE` are errors (contract section 2, scalars).
 */
import { type ErrorCode, refuse } from "../domain/errors.ts";
import { amountMaxMinor } from "../domain/money.ts";
import { bracketName, invalid, type Parameter } from "./parameter-tree.ts";
import { type Path, type Reader, refuseEmpty } from "./read-parameters.ts";

/** Bounds of an integer, both inclusive. */
export interface IntegerBounds {
  readonly min?: number;
  readonly max?: number;
}

/** A whole number without sign. Raises `parameter_invalid_integer`, also outside its bounds. */
export function integer({ min = 0, max = Number.MAX_SAFE_INTEGER }: IntegerBounds = {}): Reader<number> {
  return (parameter, path) => {
    const value = digits(parameter, path);
    if (value < BigInt(min)) throw badInteger(path, `must be at least ${min}`);
    if (value > BigInt(max)) throw badInteger(path, `must be at most ${max}`);
    return Number(value);
  };
}

/**
 * An amount in minor units, at least 1. The minimum of a currency is the domain's to check, it needs the currency.
 * Raises `parameter_invalid_integer`, `amount_too_small`, `amount_too_large`.
 */
export function amountMinor(): Reader<bigint> {
  return (parameter, path) => {
    const value = digits(parameter, path);
    if (value < 1n) throw badAmount("amount_too_small", path, "must be at least 1");
    if (value > amountMaxMinor) throw badAmount("amount_too_large", path, `must be at most ${amountMaxMinor}`);
    return value;
  };
}

/** A text of at most `charactersMax` code points, not empty. Raises `parameter_invalid_empty`, `parameter_invalid`. */
export function text({ charactersMax }: { readonly charactersMax: number }): Reader<string> {
  return (parameter, path) => {
    const value = scalar(parameter, path, "a string");
    if (isLongerThan(value, charactersMax)) throw invalid(path, `must have at most ${charactersMax} characters`);
    return value;
  };
}

/** One of a few words. Raises `parameter_invalid_empty`, `parameter_invalid`. */
export function oneOf<const Word extends string>(words: readonly Word[]): Reader<Word> {
  return (parameter, path) => {
    const value = scalar(parameter, path, `one of ${words.join(", ")}`);
    const word = words.find((candidate) => candidate === value);
    if (word === undefined) throw invalid(path, `must be one of ${words.join(", ")}`);
    return word;
  };
}

/** `true` or `false`; explicit false is not absence (field case F19). Raises `parameter_invalid_empty`, `parameter_invalid`. */
export function boolean(): Reader<boolean> {
  const word = oneOf(["true", "false"]);
  return (parameter, path) => word(parameter, path) === "true";
}

/** Longest id, in characters after its prefix; ours have 24, and other systems' ids stay below this. */
const idCharactersMax = 200;

/**
 * The id of an object, such as `pi_...`. An id that no object can have is as good as one that no object has.
 * Raises `parameter_invalid_empty`, `resource_missing` ("No such payment_intent: 'x'"), `parameter_invalid` for an object.
 */
export function id({ noun, prefix }: { readonly noun: string; readonly prefix: string }): Reader<string> {
  return (parameter, path) => {
    const value = scalar(parameter, path, "a string");
    if (!isId(value, prefix)) {
      const shown = isLongerThan(value, idCharactersMax) ? `${value.slice(0, 20).toWellFormed()}…` : value;
      throw refuse("resource_missing", `No such ${noun}: '${shown}'`, { param: bracketName(path) });
    }
    return value;
  };
}

/** True when `value` is the prefix and letters, digits or underscores; for ids in a path as well. */
export function isId(value: string, prefix: string): boolean {
  const rest = value.slice(prefix.length);
  return value.startsWith(prefix) && rest.length <= idCharactersMax && /^[A-Za-z0-9_]+$/.test(rest);
}

/** Longest URL that is kept; what browsers and proxies reliably pass on. */
const urlCharactersMax = 2_048;

/** An absolute http or https URL. Raises `parameter_invalid_empty`, `url_invalid`; `parameter_invalid` for an object. */
export function url(): Reader<string> {
  return (parameter, path) => {
    const value = scalar(parameter, path, "a URL");
    const scheme = URL.canParse(value) ? new URL(value).protocol : "";
    if (value.length > urlCharactersMax || (scheme !== "https:" && scheme !== "http:")) {
      throw refuse("url_invalid", `Parameter ${bracketName(path)} must be an absolute http or https URL.`, {
        param: bracketName(path),
      });
    }
    return value;
  };
}

/** A text that is not empty, or the error for what stands there instead. */
export function scalar(parameter: Parameter, path: Path, expected: string): string {
  if (typeof parameter !== "string") throw invalid(path, `must be ${expected}, not an object or a list`);
  if (parameter === "") throw refuseEmpty(path);
  return parameter;
}

/** More digits than any number here has; a megabyte of nines is refused before it is converted. */
const digitsMax = 40;

function digits(parameter: Parameter, path: Path): bigint {
  if (typeof parameter !== "string") throw badInteger(path, "must be an integer, not an object or a list");
  if (parameter === "") throw refuseEmpty(path);
  if (!/^[0-9]+$/.test(parameter)) throw badInteger(path, "must be an integer written in digits only");
  // Anything this long is above every bound, and its bound says the error.
  return BigInt(parameter.length > digitsMax ? "9".repeat(digitsMax) : parameter);
}

/** Counts code points, without counting all of a megabyte. */
function isLongerThan(value: string, charactersMax: number): boolean {
  return value.length > 2 * charactersMax || [...value].length > charactersMax;
}

function badInteger(path: Path, message: string) {
  const name = bracketName(path);
  return refuse("parameter_invalid_integer", `Parameter ${name} ${message}.`, { param: name });
}

function badAmount(code: ErrorCode, path: Path, message: string) {
  const name = bracketName(path);
  return refuse(code, `Parameter ${name} ${message}, in the currency's smallest unit.`, { param: name });
}
