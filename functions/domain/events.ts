/**
 * Events: what happened, to which object, and the frozen bytes that tell it (contract section 7).
 * It never renders: the bytes are made once, beside the change, and stay as they are.
 */

/** Types of events that exist in this API. There is no `payment_intent.updated`. */
export const eventTypes = [
  "payment_intent.created",
  "payment_intent.succeeded",
  "payment_intent.payment_failed",
  "payment_intent.canceled",
  "payment_intent.requires_action",
  "payment_intent.processing",
  "payment_intent.amount_capturable_updated",
  "charge.succeeded",
  "charge.pending",
  "charge.failed",
  "charge.captured",
  "charge.refunded",
  "refund.created",
  "refund.updated",
  "refund.failed",
] as const;

/** One type of event. */
export type EventType = (typeof eventTypes)[number];

/** The types that a pattern names: one exactly, all of a kind (`charge.*`), or all (`*`). */
export function eventTypesMatching(pattern: string): readonly EventType[] {
  if (!pattern.endsWith("*")) return eventTypes.filter((type) => type === pattern);
  const prefix = pattern.slice(0, -1);
  return prefix === "" || prefix.endsWith(".") ? eventTypes.filter((type) => type.startsWith(prefix)) : [];
}

/** How long events can be retrieved: 30 days (contract section 7). */
export const eventRetentionMs = 30 * 24 * 60 * 60 * 1000;

/**
 * Attributes of a message on the topic `payment-events`: what subscriptions filter by, and what the views in BigQuery read
 * beside the message's data, which is the event's JSON (contract section 7).
 */
export const eventAttributes = {
  /** The event's id. */
  eventId: "event_id",
  /** The event's type, for example `payment_intent.succeeded`. */
  type: "event_type",
  /** The account that it belongs to. */
  account: "account_id",
  /** Version of the object inside; projections order by it, effects never do (design section 6). */
  objectVersion: "object_version",
  /** The trace that it belongs to (W3C Trace Context). */
  traceparent: "traceparent",
} as const;

/** An event that a decision asks for; the flow gives it an id and its bytes. */
export interface EventDraft {
  readonly type: EventType;
  /** Which of the decision's objects the event shows. */
  readonly about: "payment_intent" | "charge" | "refund";
}

/** One event as it is stored. */
export interface PaymentEvent {
  readonly id: string;
  readonly accountId: string;
  readonly type: EventType;
  readonly objectId: string;
  /** Version of the object in `data`; projections order by it, effects never do (design section 6). */
  readonly objectVersion: number;
  readonly createdAtMs: number;
  /** Request that caused it. */
  readonly requestId: string;
  /** The client's key of that request; null when it sent none. */
  readonly idempotencyKey: string | null;
  /** JSON bytes of the event's `data` member, frozen. */
  readonly data: Uint8Array;
  /** The trace of the request that committed it, as a value of `traceparent`; absent where nothing is traced. */
  readonly traceparent?: string;
}

/** A row of the outbox: an event that still has to be published. */
export interface OutboxRow {
  readonly eventId: string;
  readonly createdAtMs: number;
  /** Until then a relay publishes it; null while none does. */
  readonly leaseUntilMs: number | null;
}
