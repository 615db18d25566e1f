/**
 * Readers for what has several values: lists, metadata and the `created` range of lists.
 * They must never take one value of several for the whole.
 */
import { bracketName, invalid, listEntries } from "./parameter-tree.ts";
import { object, optional, type Reader, refuseEmpty } from "./read-parameters.ts";
import { integer, text } from "./scalar-readers.ts";

/**
 * A list of at most `entriesMax` entries, `expand[]=a` or `expand[0]=a`, in the order of its indexes.
 * Raises `parameter_invalid_empty`, `parameter_invalid`, and what the entry's reader raises.
 */
export function list<Entry>(read: Reader<Entry>, { entriesMax }: { readonly entriesMax: number }): Reader<Entry[]> {
  return (parameter, path) => {
    if (parameter === "") throw refuseEmpty(path);
    const entries = typeof parameter === "string" ? undefined : listEntries(parameter);
    if (entries === undefined) throw invalid(path, `must be a list, sent as ${bracketName(path)}[]`);
    if (entries.length > entriesMax) throw invalid(path, `must have at most ${entriesMax} entries`);
    return entries.map(([index, entry]) => read(entry, [...path, index]));
  };
}

/** Most keys of one object's metadata, and so of one request; the object's total is the domain's to check. */
const metadataKeysMax = 50;
/** Longest key, in characters. */
const metadataKeyCharactersMax = 40;
/** Longest value, in characters. */
const metadataValueCharactersMax = 500;

/**
 * Changes to metadata (contract section 2, scalars): each named key gets its text, or goes when that is null (`metadata[k]=`);
 * null as a whole removes all (`metadata=`). The record has no prototype, so any key is safe. Raises `parameter_invalid`.
 */
export function metadata(): Reader<Readonly<Record<string, string | null>> | null> {
  const readValue = text({ charactersMax: metadataValueCharactersMax });
  return (parameter, path) => {
    if (parameter === "") return null;
    if (typeof parameter === "string") throw invalid(path, "must be an object of strings");
    if (parameter.size > metadataKeysMax) throw invalid(path, `must have at most ${metadataKeysMax} keys`);
    const changes: Record<string, string | null> = Object.create(null);
    for (const [key, value] of parameter) {
      const inner = [...path, key];
      if ([...key].length > metadataKeyCharactersMax) {
        throw invalid(inner, `must have a key of at most ${metadataKeyCharactersMax} characters`);
      }
      changes[key] = value === "" ? null : readValue(value, inner);
    }
    return changes;
  };
}

/** A range of times in milliseconds since 1970; null is open. */
export interface CreatedRange {
  /** At or after. */
  readonly createdFromMs: number | null;
  /** Before. */
  readonly createdBeforeMs: number | null;
}

/** The last second of the year 9999, beyond which no store has a timestamp. */
const secondsMax = 253_402_300_799;

/**
 * `created=N`, or `created[gt|gte|lt|lte]=N` in any combination; a second stands for all its milliseconds.
 * Raises `parameter_invalid_integer`, `parameter_invalid_empty`, `parameter_unknown`.
 */
export function createdRange(): Reader<CreatedRange> {
  const seconds = integer({ max: secondsMax });
  const bound = optional(seconds);
  const readBounds = object({ gt: bound, gte: bound, lt: bound, lte: bound });
  return (parameter, path) => {
    if (typeof parameter === "string") {
      const exact = seconds(parameter, path);
      return { createdFromMs: exact * 1_000, createdBeforeMs: (exact + 1) * 1_000 };
    }
    const { gt, gte, lt, lte } = readBounds(parameter, path);
    const from = [gt === undefined ? undefined : gt + 1, gte].filter((second) => second !== undefined);
    const before = [lt, lte === undefined ? undefined : lte + 1].filter((second) => second !== undefined);
    return {
      createdFromMs: from.length === 0 ? null : Math.max(...from) * 1_000,
      createdBeforeMs: before.length === 0 ? null : Math.min(...before) * 1_000,
    };
  };
}
