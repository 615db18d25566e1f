/**
 * What may be asked of the history at once: bounded ranges of time, bounded pages, and cursors that name one line.
 * It never looks at a store: whatever answers checks its questions here first, so that all refuse the same.
 */
import { refuse } from "./errors.ts";

/** From a time, before another one; milliseconds since the epoch. */
export interface HistoryRange {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** 400 days: a year beside the one before is two questions, and one question never reads a store for ever. */
export const historyRangeMaxMs = 400 * 24 * 60 * 60 * 1000;

/** Rows of one answer: a year of days in two currencies, with room to spare. */
export const historyLimitMax = 1_000;

/**
 * Lets a question through whose account, range and number of rows are inside the bounds.
 * @throws DomainError `parameter_invalid` with param `account`, `from`, `until` or `limit`
 */
export function requireBounds(asked: { readonly accountId?: string; readonly range: HistoryRange; limit: number }) {
  const { accountId, range, limit } = asked;
  if (accountId !== undefined && (accountId.length === 0 || accountId.length > 255))
    throw refuse("parameter_invalid", "An account's id has 1 to 255 characters.", { param: "account" });
  requireMoment("from", range.fromMs);
  requireMoment("until", range.untilMs);
  if (range.untilMs <= range.fromMs)
    throw refuse("parameter_invalid", "The end of a range must be after its beginning.", { param: "until" });
  if (range.untilMs - range.fromMs > historyRangeMaxMs)
    throw refuse("parameter_invalid", "A range of the history is at most 400 days.", { param: "until" });
  if (!Number.isInteger(limit) || limit < 1 || limit > historyLimitMax)
    throw refuse("parameter_invalid", `A page has 1 to ${historyLimitMax} rows.`, { param: "limit" });
}

/**
 * Lets the identity of a key through, as `keyIdentity` makes it.
 * @throws DomainError `parameter_invalid` with param `key`
 */
export function requireKeyId(keyId: string): void {
  if (!/^[0-9a-f]{64}$/.test(keyId))
    throw refuse("parameter_invalid", "The identity of a key is 64 hexadecimal digits.", { param: "key" });
}

/** A line's place in the order newest first: its time in microseconds, and its id among those of the same time. */
export interface LinePlace {
  readonly atMicros: number;
  readonly lineId: string;
}

/** The place as text that a URL can carry. */
export function cursorOf({ atMicros, lineId }: LinePlace): string {
  return `${atMicros}.${lineId}`;
}

/**
 * The place in a cursor.
 * @throws DomainError `parameter_invalid` with param `before`
 */
export function placeIn(cursor: string): LinePlace {
  const match = /^([0-9]{1,16})\.([\w-]{1,128})$/.exec(cursor);
  if (match === null)
    throw refuse("parameter_invalid", "This is no cursor that a page of lines gave.", { param: "before" });
  return { atMicros: Number(match[1]), lineId: match[2] ?? "" };
}

/** Times that BigQuery's TIMESTAMP and JavaScript's Date both hold, whole milliseconds. */
function requireMoment(param: string, atMs: number): void {
  if (!Number.isInteger(atMs) || atMs < 0 || atMs > yearTenThousandMs)
    throw refuse("parameter_invalid", "A time is whole milliseconds since 1970, before the year 10000.", { param });
}

/** 9999-12-31T23:59:59.999Z. */
const yearTenThousandMs = 253_402_300_799_999;
