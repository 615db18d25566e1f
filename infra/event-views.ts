/**
 * The SQL of the views over the events in BigQuery: each event once, each payment as it stands, and its days.
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
  MAX(object_version) AS version
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
  SUM(amount_received_minor) AS received_minor,
  SAFE_DIVIDE(COUNTIF(status = 'succeeded'), COUNT(*)) AS success_rate
FROM ${payments}
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
  currency: "JSON_VALUE(data, '$.data.object.currency')",
};
