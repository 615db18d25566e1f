// The shapes of answers about webhooks, stricter than the official client's types.
// It must never follow the serializers: required fields come from the client's types, values from the contract (8.1).
import type Stripe from "stripe";
import { nullable, objectOf, type Schema } from "./json-schema.ts";
import { choice, id, metadata, no, nothing, seconds, text } from "./schema-words.ts";

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
