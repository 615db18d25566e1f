/**
 * Single column values, from domain types to what the Spanner client sends and back.
 * It must never round: amounts travel as text and become bigint, times keep their milliseconds.
 */

/** A row as it is sent: every value is text (INT64, TIMESTAMP and JSON too), BOOL, bytes, a list of text, or NULL. */
export type SentColumns = Readonly<Record<string, string | boolean | Buffer | readonly string[] | null>>;

/** A row as the client hands it out, by column name; see `queryOptions`. */
export type FoundColumns = Readonly<Record<string, unknown>>;

/** A TIMESTAMP from milliseconds since the epoch. */
export function sendTime(milliseconds: number): string;
export function sendTime(milliseconds: number | null): string | null;
export function sendTime(milliseconds: number | null): string | null {
  return milliseconds === null ? null : new Date(milliseconds).toISOString();
}

/** A BYTES value; the client knows Buffer alone. */
export function sendBytes(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** A JSON value; text, because the client would take an array for an ARRAY. */
export function sendJson(value: object): string;
export function sendJson(value: object | null): string | null;
export function sendJson(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value);
}

/** Reads the columns of one found row; each reader throws when a column is not what the schema says. */
export function reader(columns: FoundColumns): ColumnReader {
  const present = (name: string): unknown => {
    const value = columns[name];
    if (value === undefined || value === null) throw new Error(`Column ${name} is missing or NULL.`);
    return value;
  };
  const orNull = <Value>(name: string, read: (name: string) => Value): Value | null =>
    columns[name] === null ? null : read(name);
  const text = <Text extends string>(name: string) => present(name) as Text;
  const amount = (name: string) => BigInt((present(name) as { readonly value: string }).value);
  const count = (name: string) => Number(amount(name));
  const time = (name: string) => (present(name) as Date).getTime();
  const exactTime = (name: string) => (present(name) as Date).toISOString();
  const flag = (name: string) => present(name) as boolean;
  const bytes = (name: string) => Uint8Array.from(present(name) as Buffer);
  const json = <Value>(name: string) => present(name) as Value;
  return {
    text,
    textOrNull: <Text extends string>(name: string) => orNull(name, text<Text>),
    amount,
    count,
    countOrNull: (name) => orNull(name, count),
    time,
    timeOrNull: (name) => orNull(name, time),
    exactTime,
    flag,
    bytes,
    bytesOrNull: (name) => orNull(name, bytes),
    json,
    jsonOrNull: <Value>(name: string) => orNull(name, json<Value>),
  };
}

/** Readers by type of column; those without `OrNull` refuse NULL. */
export interface ColumnReader {
  text<Text extends string>(name: string): Text;
  textOrNull<Text extends string>(name: string): Text | null;
  /** INT64 that is money. */
  amount(name: string): bigint;
  /** INT64 that stays small. */
  count(name: string): number;
  countOrNull(name: string): number | null;
  /** TIMESTAMP in milliseconds since the epoch. */
  time(name: string): number;
  timeOrNull(name: string): number | null;
  /** TIMESTAMP as text with all its nine digits behind the second: the client's own dates keep them. */
  exactTime(name: string): string;
  /** BOOL. */
  flag(name: string): boolean;
  bytes(name: string): Uint8Array;
  bytesOrNull(name: string): Uint8Array | null;
  /** JSON, ARRAY<STRING> or ARRAY<STRUCT>, already parsed by the client. */
  json<Value>(name: string): Value;
  jsonOrNull<Value>(name: string): Value | null;
}
