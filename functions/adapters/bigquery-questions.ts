/**
 * The questions of the history as SQL over its views, and how the rows are read; whatever runs the SQL answers the same.
 * It must never put a value into the text of a statement: values are parameters, all of them.
 */
import { cursorOf, type LinePlace, placeIn, requireBounds, requireKeyId } from "../domain/history-bounds.ts";
import type { History, HistoryQuery } from "../flows/history-ports.ts";
import { type HistoryRow, readers, whole } from "./bigquery-rows.ts";

/** One statement; parameters are INT64 where they are numbers, STRING where they are text. */
export interface Question {
  readonly sql: string;
  readonly params: Readonly<Record<string, string | number>>;
}

/** Runs a statement and gives all its rows; it rejects with a DomainError. */
export type Ask = (question: Question) => Promise<readonly HistoryRow[]>;

/** The history, asked through `ask`; `view` gives a view's name as SQL names it. */
export function historyBy(ask: Ask, view: (name: string) => string): History {
  const read = async <Row>(query: Bounds, question: () => Question, reader: (row: HistoryRow) => Row) => {
    requireBounds(query);
    return (await ask(question())).map(reader);
  };
  return {
    paymentDays: async (query) =>
      await read(query, () => daysOf(query, view("payment_days"), paymentDays), readers.paymentDay),
    declineReasons: async (query) =>
      await read(query, () => declines(query, view("decline_days")), readers.declineReason),
    refundDays: async (query) =>
      await read(query, () => daysOf(query, view("refund_days"), refundDays), readers.refundDay),
    deliveryDays: async (query) =>
      await read(query, () => deliveries(query, view("delivery_days")), readers.deliveryDay),
    consumerLags: async (query) =>
      await read(query, () => daysOf(query, view("consumer_days"), consumerDays), readers.consumerLag),
    replayDays: async (query) => await read(query, () => replays(query, view("replay_days")), readers.replayDay),
    keyLines: async (query) => await keyLines(ask, view("key_lines"), query),
    ledgerRuns: async (query) => await read(query, () => ledgerRuns(query, view("ledger_runs")), readers.ledgerRun),
  };
}

type Bounds = Omit<HistoryQuery, "accountId"> & Partial<Pick<HistoryQuery, "accountId">>;

const paymentDays = ["currency", "payments", "succeeded", "canceled", "declined", "received_minor"];
const refundDays = ["currency", "charges", "refunded", "captured_minor", "refunded_minor"];
const consumerDays = ["consumer", "events", "DIV(lag_sum_ms, events) AS lag_average_ms", "lag_max_ms"];

/** Views with one row for each day and name; the first column is the name. */
function daysOf(query: HistoryQuery, view: string, columns: readonly string[]): Question {
  return {
    sql: `SELECT UNIX_MILLIS(day) AS day_ms, ${columns.join(", ")}
FROM ${view}
WHERE ${ownDays}
ORDER BY day DESC, ${columns[0]}
LIMIT @limit`,
    params: parametersOf(query),
  };
}

function declines(query: HistoryQuery, view: string): Question {
  return {
    sql: `SELECT error_code, decline_code, SUM(declines) AS declines
FROM ${view}
WHERE ${ownDays}
GROUP BY error_code, decline_code
ORDER BY declines DESC, error_code, decline_code
LIMIT @limit`,
    params: parametersOf(query),
  };
}

/** Views over log lines have a day once for each partition that holds lines of it. */
function deliveries(query: HistoryQuery & { readonly endpointId: string | null }, view: string): Question {
  const counts = ["attempts", "succeeded", "within_100_ms", "within_500_ms", "within_1000_ms", "within_5000_ms"];
  return {
    sql: `SELECT UNIX_MILLIS(day) AS day_ms, endpoint_id, ${sums(counts)},
  DIV(SUM(duration_sum_ms), SUM(attempts)) AS duration_average_ms, MAX(duration_max_ms) AS duration_max_ms
FROM ${view}
WHERE ${ownDays} AND ${archivedDays} AND (@endpoint = '' OR endpoint_id = @endpoint)
GROUP BY day, endpoint_id
ORDER BY day DESC, endpoint_id
LIMIT @limit`,
    params: { ...parametersOf(query), ...archivedIn(query), endpoint: query.endpointId ?? "" },
  };
}

function replays(query: HistoryQuery, view: string): Question {
  const counts = ["executed", "replayed", "waited", "in_use", "mismatch", "adopted", "released"];
  return {
    sql: `SELECT UNIX_MILLIS(day) AS day_ms, ${sums(counts)}
FROM ${view}
WHERE ${ownDays} AND ${archivedDays}
GROUP BY day
ORDER BY day DESC
LIMIT @limit`,
    params: { ...parametersOf(query), ...archivedIn(query) },
  };
}

function ledgerRuns(query: Bounds, view: string): Question {
  return {
    sql: `SELECT job, UNIX_MILLIS(logged_at) AS at_ms, has_ended, faults, items
FROM ${view}
WHERE ${inRange("logged_at")} AND ${archivedDays}
ORDER BY logged_at DESC, line_id DESC
LIMIT @limit`,
    params: { ...rangeOf(query), ...archivedIn(query) },
  };
}

async function keyLines(ask: Ask, view: string, query: Parameters<History["keyLines"]>[0]) {
  requireBounds(query);
  requireKeyId(query.keyId);
  const before = query.before === null ? beginning : placeIn(query.before);
  const found = await ask({
    sql: `SELECT UNIX_MICROS(logged_at) AS at_micros, line_id, severity, message, service, request_id, original_request_id,
  key_outcome, generation, method, path, status, code, duration_ms, attempt_id, payment_intent_id, event_id,
  delivery_id, trace_id, span_id
FROM ${view}
WHERE account_id = @account AND key_id = @key AND ${inRange("logged_at")} AND ${archivedDays}
  AND (UNIX_MICROS(logged_at) < @beforeMicros OR (UNIX_MICROS(logged_at) = @beforeMicros AND line_id < @beforeLine))
ORDER BY logged_at DESC, line_id DESC
LIMIT @limit`,
    params: {
      ...parametersOf(query),
      ...archivedIn(query),
      ...{ key: query.keyId, beforeMicros: before.atMicros, beforeLine: before.lineId },
      // One more than is shown tells whether there is another page.
      limit: query.limit + 1,
    },
  });
  const page = found.slice(0, query.limit);
  const last = found.length > page.length ? page.at(-1) : undefined;
  const next =
    last === undefined ? null : cursorOf({ atMicros: whole(last["at_micros"]), lineId: String(last["line_id"]) });
  return { lines: page.map(readers.keyLine), next };
}

/** Before it is every line: a time that none has. */
const beginning: LinePlace = { atMicros: Number.MAX_SAFE_INTEGER, lineId: "" };

const inRange = (column: string) => `${column} >= TIMESTAMP_MILLIS(@from) AND ${column} < TIMESTAMP_MILLIS(@until)`;

const ownDays = `account_id = @account AND ${inRange("day")}`;

/** Keeps BigQuery to the partitions that can hold the range's lines. */
const archivedDays =
  "archived_day >= TIMESTAMP_MILLIS(@archivedFrom) AND archived_day < TIMESTAMP_MILLIS(@archivedUntil)";

const sums = (columns: readonly string[]) => columns.map((name) => `SUM(${name}) AS ${name}`).join(", ");

function rangeOf({ range, limit }: Bounds) {
  return { from: range.fromMs, until: range.untilMs, limit };
}

function parametersOf(query: HistoryQuery) {
  return { account: query.accountId, ...rangeOf(query) };
}

/** From the beginning of the first day to two days after the end: a line may be late by a day of trouble. */
function archivedIn({ range }: Bounds) {
  return { archivedFrom: range.fromMs - (range.fromMs % dayMs), archivedUntil: range.untilMs + 2 * dayMs };
}

const dayMs = 86_400_000;
