/**
 * The SQL of the views over the events in BigQuery: each event once, payments and charges as they stand, and their days.
 * It must never show an event's whole object: that holds the buyer's client secret.
 */
import { eventAttributes } from "../functions/config.ts";

/**
 * One row per event, however often it was published or delivered. All copies of an event carry the same frozen bytes, so
 * any of them will do. `source` is the subscription's table, as SQL names it.
 */
export function eventsQuery(source: string): string {
  const unfolded = Object.entries(eventColumns).map(([name, expression]) => `  ANY_VALUE(${expression}) AS ${name},`);
  return [
    "SELECT",
    "  JSON_VALUE(data, '$.id') AS event_id,",
    ...unfolded,
    "  MIN(publish_time) AS first_published_at,",
    "  COUNT(*) AS copies",
    `FROM ${source}`,
    "WHERE JSON_VALUE(data, '$.id') IS NOT NULL",
    "GROUP BY event_id",
  ].join("\n");
}

/** One row per payment: its newest version, whatever the order in which versions arrived. `events` is the view above. */
export function paymentsQuery(events: string): string {
  return `SELECT
  object_id AS payment_intent_id,
  ANY_VALUE(account_id) AS account_id,
  ANY_VALUE(status HAVING MAX object_version) AS status,
  ANY_VALUE(amount_minor HAVING MAX object_version) AS amount_minor,
  ANY_VALUE(amount_received_minor HAVING MAX object_version) AS amount_received_minor,
  ANY_VALUE(currency HAVING MAX object_version) AS currency,
  MIN(object_created_at) AS created_at,
  MAX(occurred_at) AS changed_at,
  MAX(object_version) AS version,
  COUNTIF(type = 'payment_intent.payment_failed') AS failed_tries
FROM ${events}
WHERE object_type = 'payment_intent'
GROUP BY payment_intent_id`;
}

/** One row per account, day (UTC, of the payment's creation) and currency. `payments` is the view above. */
export function paymentDaysQuery(payments: string): string {
  return `SELECT
  account_id,
  TIMESTAMP_TRUNC(created_at, DAY, 'UTC') AS day,
  currency,
  COUNT(*) AS payments,
  COUNTIF(status = 'succeeded') AS succeeded,
  COUNTIF(status = 'canceled') AS canceled,
  COUNTIF(failed_tries > 0) AS declined,
  SUM(amount_received_minor) AS received_minor,
  SAFE_DIVIDE(COUNTIF(status = 'succeeded'), COUNT(*)) AS success_rate
FROM ${payments}
GROUP BY account_id, day, currency`;
}

/** One row per account, day (UTC, of the failure) and reason. `events` is the view of events. */
export function declineDaysQuery(events: string): string {
  return `SELECT
  account_id,
  TIMESTAMP_TRUNC(occurred_at, DAY, 'UTC') AS day,
  error_code,
  decline_code,
  COUNT(*) AS declines
FROM ${events}
WHERE type = 'payment_intent.payment_failed' AND error_code IS NOT NULL
GROUP BY account_id, day, error_code, decline_code`;
}

/** One row per charge: its newest version. `events` is the view of events. */
export function chargesQuery(events: string): string {
  return `SELECT
  object_id AS charge_id,
  ANY_VALUE(account_id) AS account_id,
  ANY_VALUE(status HAVING MAX object_version) AS status,
  ANY_VALUE(amount_captured_minor HAVING MAX object_version) AS captured_minor,
  ANY_VALUE(amount_refunded_minor HAVING MAX object_version) AS refunded_minor,
  ANY_VALUE(currency HAVING MAX object_version) AS currency,
  MIN(object_created_at) AS created_at
FROM ${events}
WHERE object_type = 'charge'
GROUP BY charge_id`;
}

/** One row per account, day (UTC, of the charge's creation) and currency; what was only held is left out. */
export function refundDaysQuery(charges: string): string {
  return `SELECT
  account_id,
  TIMESTAMP_TRUNC(created_at, DAY, 'UTC') AS day,
  currency,
  COUNT(*) AS charges,
  COUNTIF(refunded_minor > 0) AS refunded,
  SUM(captured_minor) AS captured_minor,
  SUM(refunded_minor) AS refunded_minor,
  SAFE_DIVIDE(COUNTIF(refunded_minor > 0), COUNT(*)) AS refund_rate
FROM ${charges}
WHERE captured_minor > 0
GROUP BY account_id, day, currency`;
}

/** Columns of the events' view by name: what the envelope says, what the message's attributes say, and the money. */
const eventColumns: Readonly<Record<string, string>> = {
  type: "JSON_VALUE(data, '$.type')",
  account_id: `JSON_VALUE(attributes, '$.${eventAttributes.account}')`,
  occurred_at: "TIMESTAMP_SECONDS(SAFE_CAST(JSON_VALUE(data, '$.created') AS INT64))",
  request_id: "JSON_VALUE(data, '$.request.id')",
  object_type: "JSON_VALUE(data, '$.data.object.object')",
  object_id: "JSON_VALUE(data, '$.data.object.id')",
  object_version: `SAFE_CAST(JSON_VALUE(attributes, '$.${eventAttributes.objectVersion}') AS INT64)`,
  object_created_at: "TIMESTAMP_SECONDS(SAFE_CAST(JSON_VALUE(data, '$.data.object.created') AS INT64))",
  status: "JSON_VALUE(data, '$.data.object.status')",
  amount_minor: "SAFE_CAST(JSON_VALUE(data, '$.data.object.amount') AS INT64)",
  amount_received_minor: "SAFE_CAST(JSON_VALUE(data, '$.data.object.amount_received') AS INT64)",
  amount_captured_minor: "SAFE_CAST(JSON_VALUE(data, '$.data.object.amount_captured') AS INT64)",
  amount_refunded_minor: "SAFE_CAST(JSON_VALUE(data, '$.data.object.amount_refunded') AS INT64)",
  currency: "JSON_VALUE(data, '$.data.object.currency')",
  error_code: "JSON_VALUE(data, '$.data.object.last_payment_error.code')",
  decline_code: "JSON_VALUE(data, '$.data.object.last_payment_error.decline_code')",
};
