/**
 * The notice of an endpoint that was switched off, as an event on the bus: like every event, but the ledger does not know it.
 * It never shows a secret, and its id is given: told twice, it is one event.
 */
import type Stripe from "stripe";
import { eventAttributes } from "../domain/events.ts";
import { disabledNoticeType } from "../domain/webhook-endpoint.ts";
import type { RenderNotice } from "../flows/delivery-ports.ts";
import { servedVersion } from "./answer-headers.ts";
import { serializeWebhookEndpoint } from "./serialize-webhook-endpoint.ts";
import { wireSeconds } from "./wire-scalars.ts";

/** The message; its reason stands beside the endpoint, so that the endpoint's shape stays the client's. */
export const renderNotice: RenderNotice = ({ eventId, endpoint, atMs }) => ({
  data: Buffer.from(
    JSON.stringify({
      ...webhookEvent(eventId, disabledNoticeType, serializeWebhookEndpoint(endpoint, null), atMs),
      reason: endpoint.disabledBecause,
    }),
    "utf8",
  ),
  attributes: {
    [eventAttributes.eventId]: eventId,
    [eventAttributes.type]: disabledNoticeType,
    [eventAttributes.account]: endpoint.accountId,
    // One state of the endpoint is newer than another by the time it was enabled; nothing orders by it.
    [eventAttributes.objectVersion]: String(endpoint.enabledAtMs),
  },
});

/** An event about an endpoint, as the client's type has it. */
export function webhookEvent(id: string, type: string, object: Stripe.WebhookEndpoint, atMs: number): object {
  return {
    id,
    object: "event",
    api_version: servedVersion,
    created: wireSeconds(atMs),
    data: { object },
    livemode: false,
    pending_webhooks: 0,
    request: { id: null, idempotency_key: null },
    type,
  };
}
