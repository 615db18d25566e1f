// The shapes of answers about webhooks, stricter than the official client's types.
// It must never follow the serializers: required fields come from the client's types, values from the contract (8.1).
import type Stripe from "stripe";
import type { WireAttempt, WireDelivery } from "../serialize-webhook-delivery.ts";
import { nullable, objectOf, type Schema } from "./json-schema.ts";
import { choice, id, integer, metadata, no, nothing, seconds, text } from "./schema-words.ts";

const standing = objectOf<Stripe.WebhookEndpoint>(
  {
    id: id("we"),
    object: { const: "webhook_endpoint" },
    api_version: nullable(choice("2026-10-28.endive")),
    application: nothing,
    created: seconds,
    description: nullable(text),
    enabled_events: { type: "array", items: { type: "string", pattern: "^(\\*|[a-z_]+(\\.[a-z_]+)+)$" } },
    livemode: no,
    metadata,
    status: choice("enabled", "disabled"),
    url: { type: "string", pattern: "^https?://" },
  },
  // Standard base64 of 32 bytes: what all three receiving libraries take (contract 8.4).
  { secret: { type: "string", pattern: "^whsec_[A-Za-z0-9+/]{43}=$" } },
);

const deleted = objectOf<Stripe.DeletedWebhookEndpoint>({
  id: id("we"),
  object: { const: "webhook_endpoint" },
  deleted: { const: true },
});

/** An endpoint, or what is told of one that is gone. */
export const webhookEndpoint: Schema = { anyOf: [standing, deleted] };

/** A delivery: an object of ours. */
export const webhookDelivery = objectOf<WireDelivery>({
  id: id("wd"),
  object: { const: "webhook_delivery" },
  attempts: integer,
  created: seconds,
  dead_letter_reason: nullable(
    choice(
      ...["exhausted", "window_over", "endpoint_gone", "endpoint_disabled", "endpoint_deleted"],
      "blocked_destination",
    ),
  ),
  event: id("evt"),
  event_type: { type: "string", pattern: "^[a-z_]+(\\.[a-z_]+)+$" },
  livemode: no,
  next_attempt_at: nullable(seconds),
  redrive: nullable(id("rd")),
  status: choice("pending", "delivered", "dead"),
  webhook_endpoint: id("we"),
});

/** An attempt: an object of ours. */
export const webhookAttempt = objectOf<WireAttempt>({
  id: id("wa"),
  object: { const: "webhook_attempt" },
  created: seconds,
  duration_ms: { type: "integer", minimum: 0 },
  failure: nullable(
    choice(
      ...["redirect", "gone", "status", "blocked_destination", "dns_error", "connection_error"],
      ...["tls_error", "timeout", "protocol_error"],
    ),
  ),
  http_status: nullable(integer),
  number: nullable({ type: "integer", minimum: 1 }),
  redrive: nullable(id("rd")),
  resend: nullable(id("rs")),
  response_excerpt: text,
  webhook_delivery: id("wd"),
});
