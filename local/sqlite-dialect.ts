// The difference between BigQuery's SQL and SQLite's, as far as the views and questions of the history use it.
// It must never change what a statement means: what it does not know reaches SQLite as it is, and is refused there.

import type { DatabaseSync, SQLInputValue, SQLOutputValue } from "node:sqlite";

/**
 * A statement of the history in SQLite's syntax. Only what SQLite cannot parse is rewritten; every other function is
 * defined by `defineFunctions`, under its own name. Any of equal values is the greatest of them, and a path of
 * JSON_VALUE is a path of json_extract, which gives numbers as numbers.
 */
export function toSqlite(sql: string): string {
  return sql
    .replace(/\bANY_VALUE\((\w+) HAVING MAX (\w+)\)/g, "ANY_VALUE_AT_MAX($1, $2)")
    .replace(/\bANY_VALUE\(/g, "MAX(")
    .replace(/\bJSON_VALUE\(/g, "json_extract(")
    .replace(/ AS (INT64|TIMESTAMP)\)/g, ", '$1')")
    .replace(/, DAY, 'UTC'\)/g, ", 'DAY', 'UTC')")
    .replace(/\br'/g, "'");
}

/** Teaches a database the functions; a TIMESTAMP is a whole number of microseconds there. */
export function defineFunctions(database: DatabaseSync): void {
  for (const [name, body] of Object.entries(functions)) {
    database.function(name, { deterministic: true, varargs: true }, (...given) =>
      given.includes(null) ? null : body(...(given as never[])),
    );
  }
  database.aggregate("COUNTIF", {
    start: 0n,
    step: (count: bigint, condition: SQLOutputValue) => (condition === null || condition === 0 ? count : count + 1n),
  });
  // The accumulator stays in JavaScript, whatever its type says.
  database.aggregate("ANY_VALUE_AT_MAX", {
    start: () => ({ value: null, at: null }) as unknown as SQLInputValue,
    step: (accumulated, value, at) => {
      const best = accumulated as unknown as Best;
      const isBetter = at !== null && (best.at === null || at > best.at);
      return isBetter ? ({ value, at } as unknown as SQLInputValue) : accumulated;
    },
    result: (accumulated) => {
      const { value } = accumulated as unknown as Best;
      return typeof value === "number" ? BigInt(value) : value;
    },
  });
}

type Best = { value: SQLOutputValue; at: SQLOutputValue };

/** By name; none of them is asked about NULL, of which all give NULL, as in BigQuery. */
const functions: Readonly<Record<string, (...given: never[]) => bigint | number | string | null>> = {
  CONCAT: (...texts: string[]) => texts.join(""),
  DIV: (dividend: number, divisor: number) => BigInt(Math.trunc(dividend / divisor)),
  GREATEST: (...numbers: number[]) => BigInt(Math.max(...numbers)),
  REGEXP_EXTRACT: (text: string | number, pattern: string) => {
    const match = new RegExp(pattern).exec(String(text));
    return match === null ? null : (match[1] ?? match[0]);
  },
  SAFE_CAST: (value: string | number, type: string) => (type === "INT64" ? integerIn(value) : microsIn(String(value))),
  SAFE_DIVIDE: (dividend: number, divisor: number) => (divisor === 0 ? null : dividend / divisor),
  TIMESTAMP_MILLIS: (millis: number) => BigInt(millis) * 1_000n,
  TIMESTAMP_SECONDS: (seconds: number) => BigInt(seconds) * 1_000_000n,
  TIMESTAMP_TRUNC: (micros: number, _part: string, _zone: string) => BigInt(Math.floor(micros / dayMicros) * dayMicros),
  UNIX_MICROS: (micros: number) => BigInt(micros),
  UNIX_MILLIS: (micros: number) => BigInt(Math.floor(micros / 1_000)),
};

/** The only part that the statements truncate to. */
const dayMicros = 86_400_000_000;

function integerIn(value: string | number): bigint | null {
  return /^-?[0-9]{1,18}$/.test(String(value)) ? BigInt(value) : null;
}

/** Date holds milliseconds, so the digits of the fraction are read by themselves; the statements leave at most six. */
function microsIn(text: string): bigint | null {
  const [, seconds = "", fraction = ""] = /^([^.]+?)(?:\.([0-9]{1,6}))?Z$/.exec(text) ?? [];
  const secondsMs = Date.parse(`${seconds}Z`);
  return Number.isNaN(secondsMs) ? null : BigInt(secondsMs) * 1_000n + BigInt(`${fraction}000000`.slice(0, 6));
}
