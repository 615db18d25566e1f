/**
 * A delivery and its attempts in the words of the API: objects of ours, which the official client has no types for.
 * It never shows a URL's credentials, a signature or what was sent; what a receiver answered is shown as inert text.
 */
import type { AttemptRecord, WebhookDelivery } from "../domain/webhook-delivery.ts";
import { testEventType } from "../domain/webhook-endpoint.ts";
import type { DeliveryRenderer } from "../flows/delivery-ports.ts";
import { serializeWebhookEndpoint } from "./serialize-webhook-endpoint.ts";
import { webhookEvent } from "./webhook-notice.ts";
import { wireSeconds } from "./wire-scalars.ts";

/** A delivery on the wire; times in seconds. */
export interface WireDelivery {
  readonly id: string;
  readonly object: "webhook_delivery";
  /** Attempts that the log has: the newest fifty. */
  readonly attempts: number;
  readonly created: number;
  /** Why it ended without success; null while it did not. */
  readonly dead_letter_reason: string | null;
  readonly event: string;
  readonly event_type: string;
  readonly livemode: false;
  readonly next_attempt_at: number | null;
  /** The redrive that opened its present window; null in the first one. */
  readonly redrive: string | null;
  readonly status: "pending" | "delivered" | "dead";
  readonly webhook_endpoint: string;
}

/** An attempt on the wire. */
export interface WireAttempt {
  readonly id: string;
  readonly object: "webhook_attempt";
  readonly created: number;
  readonly duration_ms: number;
  /** Why it failed; null for success. */
  readonly failure: string | null;
  /** Status of the answer; null when none came. */
  readonly http_status: number | null;
  /** Its place on the schedule; null for a resend. */
  readonly number: number | null;
  readonly redrive: string | null;
  readonly resend: string | null;
  /** Beginning of the answer, inert, or in our own words why there was none. */
  readonly response_excerpt: string;
  readonly webhook_delivery: string;
}

/** The delivery. */
export function serializeDelivery(delivery: WebhookDelivery): WireDelivery {
  return {
    id: delivery.id,
    object: "webhook_delivery",
    attempts: delivery.attempts.length,
    created: wireSeconds(delivery.createdAtMs),
    dead_letter_reason: delivery.dead?.reason ?? null,
    event: delivery.eventId,
    event_type: delivery.eventType,
    livemode: false,
    next_attempt_at: delivery.next === null ? null : wireSeconds(delivery.next.atMs),
    redrive: delivery.window.redriveId,
    status: delivery.state,
    webhook_endpoint: delivery.endpointId,
  };
}

/** One attempt of the delivery. */
export function serializeAttempt(delivery: WebhookDelivery, attempt: AttemptRecord): WireAttempt {
  const { trigger } = attempt;
  return {
    id: attempt.id,
    object: "webhook_attempt",
    created: wireSeconds(attempt.startedAtMs),
    duration_ms: attempt.durationMs,
    failure: attempt.failure,
    http_status: attempt.status,
    number: trigger.kind === "schedule" ? trigger.number : null,
    redrive: attempt.redriveId,
    resend: trigger.kind === "resend" ? trigger.resendId : null,
    response_excerpt: attempt.excerpt,
    webhook_delivery: delivery.id,
  };
}

/** The wire's implementation of the port. */
export const wireDeliveryRenderer: DeliveryRenderer = {
  deliveryAnswer: (delivery) => ({ status: 200, body: bytes(serializeDelivery(delivery)) }),
  testEvent: (eventId, endpoint, atMs) => {
    const event = webhookEvent(eventId, testEventType, serializeWebhookEndpoint(endpoint, null), atMs);
    return bytes({ ...event, pending_webhooks: 1 });
  },
};

function bytes(value: object): Uint8Array {
  return Buffer.from(JSON.stringify(value), "utf8");
}
