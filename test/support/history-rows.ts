// Rows as the archive holds them: deliveries of events and log lines, of which a test says only what it is about.
import { eventAttributes } from "../../functions/config.ts";
import type { ArchivedMessage } from "../../functions/flows/history-ports.ts";

/** 2027-01-15T12:00:00Z. */
export const noonMs = Date.UTC(2027, 0, 15, 12);

/** 2027-01-15T00:00:00Z, the day of noon. */
export const dayMs = Date.UTC(2027, 0, 15);

/** The whole of that day. */
export const thatDay = { fromMs: dayMs, untilMs: dayMs + 86_400_000 };

/** What a test says of an event about a payment or a charge. */
export type GivenEvent = {
  account: string;
  event: string;
  version: number;
  type?: string;
  atMs?: number;
  publishedAtMs?: number;
  object: Readonly<Record<string, unknown>>;
};

let messages = 0;

/** One delivery; each call is another message, so the same event twice is a duplicate. */
export function eventDelivery(given: GivenEvent): ArchivedMessage {
  const { account, event, version, type = "payment_intent.succeeded", atMs = noonMs, object } = given;
  const data = {
    id: event,
    object: "event",
    type,
    created: Math.floor(atMs / 1000),
    request: { id: "req_1", idempotency_key: "order-7" },
    data: { object: { client_secret: "pi_1_secret_abc", ...object } },
  };
  const attributes = { [eventAttributes.account]: account, [eventAttributes.objectVersion]: String(version) };
  messages += 1;
  return {
    messageId: String(messages),
    publishedAtMs: given.publishedAtMs ?? atMs,
    data: JSON.stringify(data),
    attributes,
  };
}

/** A payment as events show it; created at noon. */
export function payment(id: string, status: string, more: Readonly<Record<string, unknown>> = {}) {
  const created = noonMs / 1000;
  return { id, object: "payment_intent", created, status, amount: 1500, amount_received: 0, currency: "usd", ...more };
}

/** A captured charge as events show it; created at noon. */
export function charge(id: string, more: Readonly<Record<string, unknown>> = {}) {
  const amounts = { amount: 1500, amount_captured: 1500, amount_refunded: 0 };
  return { id, object: "charge", created: noonMs / 1000, status: "succeeded", currency: "usd", ...amounts, ...more };
}

/** What a test says of a log line; everything else goes into its payload. */
export type GivenLine = {
  line: string;
  message: string;
  service?: string;
  /** With the digits that Cloud Logging writes. */
  time?: string;
  severity?: string;
  trace?: string;
  spanId?: string;
} & Readonly<Record<string, unknown>>;

/** One delivery of a log line as its sink exports it. */
export function lineDelivery(given: GivenLine): ArchivedMessage {
  const { line, service = "payments-api", time = "2027-01-15T12:00:00Z", severity = "INFO", trace, spanId } = given;
  const {
    line: _line,
    service: _service,
    time: _time,
    severity: _severity,
    trace: _trace,
    spanId: _span,
    ...payload
  } = given;
  const entry = {
    insertId: line,
    timestamp: time,
    severity,
    ...(trace === undefined ? {} : { trace: `projects/p/traces/${trace}` }),
    ...(spanId === undefined ? {} : { spanId }),
    resource: { type: "cloud_run_revision", labels: { service_name: service } },
    jsonPayload: payload,
  };
  messages += 1;
  return {
    messageId: String(messages),
    publishedAtMs: Date.parse(time),
    data: JSON.stringify(entry),
    attributes: { "logging.googleapis.com/timestamp": time },
  };
}
