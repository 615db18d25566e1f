/**
 * The SQL of the views over the functions' log lines in BigQuery: each line once, and what is counted from them by day.
 * It must never show a line's whole payload: what a later version logs by mistake stays in the table of raw rows.
 */

/**
 * One row per line, however often it was delivered. `archived_day` is the partition of its row: a question that bounds it
 * reads no other. A time has nine digits there, and a TIMESTAMP six. `servicePrefix` is put before every service's name.
 */
export function logLinesQuery(source: string, servicePrefix = ""): string {
  const unfolded = Object.entries(lineColumns).map(([name, expression]) => `  ANY_VALUE(${expression}) AS ${name},`);
  return [
    "SELECT",
    "  JSON_VALUE(data, '$.insertId') AS line_id,",
    "  TIMESTAMP_TRUNC(publish_time, DAY, 'UTC') AS archived_day,",
    ...unfolded,
    `  ANY_VALUE(SUBSTR(JSON_VALUE(data, '$.resource.labels.service_name'), ${servicePrefix.length + 1})) AS service`,
    `FROM ${source}`,
    "WHERE JSON_VALUE(data, '$.insertId') IS NOT NULL AND JSON_VALUE(data, '$.jsonPayload.message') IS NOT NULL",
    "GROUP BY line_id, archived_day",
  ].join("\n");
}

/** Lines about a key that name its account, with what the life of a key shows. `lines` is the view above, as below. */
export function keyLinesQuery(lines: string): string {
  return `SELECT
  account_id, key_id, logged_at, archived_day, line_id, severity, message, service,
  request_id, original_request_id, key_outcome, generation, method, path, status, code, duration_ms,
  attempt_id, payment_intent_id, event_id, delivery_id, trace_id, span_id
FROM ${lines}
WHERE account_id IS NOT NULL AND key_id IS NOT NULL`;
}

/** How keyed requests ended, by account and day (UTC). A replay is work that was saved. */
export function replayDaysQuery(lines: string): string {
  return `SELECT
  account_id,
  TIMESTAMP_TRUNC(logged_at, DAY, 'UTC') AS day,
  archived_day,
  COUNTIF(key_outcome = 'executed') AS executed,
  COUNTIF(key_outcome = 'replayed') AS replayed,
  COUNTIF(key_outcome = 'waited') AS waited,
  COUNTIF(key_outcome = 'in_use') AS in_use,
  COUNTIF(key_outcome = 'mismatch') AS mismatch,
  COUNTIF(key_outcome = 'adopted') AS adopted,
  COUNTIF(key_outcome = 'released') AS released
FROM ${lines}
WHERE message = 'request' AND account_id IS NOT NULL AND key_outcome IS NOT NULL
GROUP BY account_id, day, archived_day`;
}

/**
 * Attempts to deliver webhooks by account, day (UTC) and endpoint. Counts under a limit instead of quantiles, because they
 * can be added up over days, and approximate quantiles cannot be tried anywhere but in BigQuery.
 */
export function deliveryDaysQuery(lines: string): string {
  return `SELECT
  account_id,
  TIMESTAMP_TRUNC(logged_at, DAY, 'UTC') AS day,
  archived_day,
  endpoint_id,
  COUNT(*) AS attempts,
  COUNTIF(outcome = 'succeeded') AS succeeded,
  SUM(COALESCE(duration_ms, 0)) AS duration_sum_ms,
  MAX(COALESCE(duration_ms, 0)) AS duration_max_ms,
  COUNTIF(COALESCE(duration_ms, 0) <= 100) AS within_100_ms,
  COUNTIF(COALESCE(duration_ms, 0) <= 500) AS within_500_ms,
  COUNTIF(COALESCE(duration_ms, 0) <= 1000) AS within_1000_ms,
  COUNTIF(COALESCE(duration_ms, 0) <= 5000) AS within_5000_ms
FROM ${lines}
WHERE message = 'webhook attempt' AND account_id IS NOT NULL AND endpoint_id IS NOT NULL
GROUP BY account_id, day, archived_day, endpoint_id`;
}

/**
 * From an event's first publication to the first time that a consumer had dealt with it, by account, day (UTC) and
 * consumer. `events` is the view of events: a consumer's line says the event, and the event says whose it is.
 */
export function consumerDaysQuery(lines: string, events: string): string {
  return `SELECT
  account_id,
  TIMESTAMP_TRUNC(dealt_at, DAY, 'UTC') AS day,
  consumer,
  COUNT(*) AS events,
  SUM(lag_ms) AS lag_sum_ms,
  MAX(lag_ms) AS lag_max_ms
FROM (
  SELECT
    event.account_id AS account_id,
    line.service AS consumer,
    MIN(line.logged_at) AS dealt_at,
    GREATEST(0, DIV(UNIX_MICROS(MIN(line.logged_at)) - UNIX_MICROS(MIN(event.first_published_at)), 1000)) AS lag_ms
  FROM ${lines} AS line
  JOIN ${events} AS event ON event.event_id = line.event_id
  WHERE line.message = 'event consumed' AND line.outcome <> 'busy'
  GROUP BY event.account_id, event.event_id, line.service
) AS dealt
GROUP BY account_id, day, consumer`;
}

/** Runs of the jobs that guard the ledger: those that ended with what they found, those that failed without. */
export function ledgerRunsQuery(lines: string): string {
  return `SELECT
  line_id,
  logged_at,
  archived_day,
  CASE message
    WHEN 'ledger verification ended' THEN 'verify'
    WHEN 'ledger sealing ended' THEN 'seal'
    WHEN 'reconciliation ended' THEN 'reconcile'
    ELSE SUBSTR(path, 2)
  END AS job,
  CASE WHEN message = 'job failed' THEN 0 ELSE 1 END AS has_ended,
  CASE message
    WHEN 'ledger verification ended' THEN CASE WHEN fault_table IS NULL THEN 0 ELSE 1 END
    WHEN 'ledger sealing ended' THEN 0
    WHEN 'reconciliation ended' THEN breaks_open
  END AS faults,
  CASE message WHEN 'ledger sealing ended' THEN bookings WHEN 'reconciliation ended' THEN attempts END AS items
FROM ${lines}
WHERE message IN ('ledger verification ended', 'ledger sealing ended', 'reconciliation ended')
  OR (message = 'job failed' AND path IN ('/verify', '/seal', '/reconcile'))`;
}

const field = (name: string) => `JSON_VALUE(data, '$.jsonPayload.${name}')`;

/** The whole part of a number, whether the line has digits behind it or not. */
const whole = (name: string) => `SAFE_CAST(REGEXP_EXTRACT(${field(name)}, r'^-?[0-9]+') AS INT64)`;

/** Columns of the lines' view by name; the fields are those that the functions write. */
const lineColumns: Readonly<Record<string, string>> = {
  logged_at:
    "SAFE_CAST(CONCAT(REGEXP_EXTRACT(JSON_VALUE(data, '$.timestamp'), r'^[0-9T:-]+(?:[.][0-9]{1,6})?'), 'Z') AS TIMESTAMP)",
  severity: "JSON_VALUE(data, '$.severity')",
  trace_id: "REGEXP_EXTRACT(JSON_VALUE(data, '$.trace'), r'([0-9a-f]{32})$')",
  span_id: "JSON_VALUE(data, '$.spanId')",
  message: field("message"),
  account_id: field("accountId"),
  key_id: field("keyId"),
  key_outcome: field("keyOutcome"),
  generation: whole("generation"),
  request_id: field("requestId"),
  original_request_id: field("originalRequestId"),
  method: field("method"),
  path: field("path"),
  status: whole("status"),
  code: field("code"),
  duration_ms: whole("durationMs"),
  outcome: field("outcome"),
  attempt_id: field("attemptId"),
  payment_intent_id: field("paymentIntentId"),
  event_id: `COALESCE(${field("eventId")}, ${field("event")})`,
  delivery_id: field("deliveryId"),
  endpoint_id: field("endpointId"),
  fault_table: field("fault.table"),
  breaks_open: whole("open"),
  bookings: whole("bookings"),
  attempts: whole("attempts"),
};
