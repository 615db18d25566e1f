/**
 * A webhook endpoint in the words of the API (contract section 8.1), and the answers that the flows store.
 * It never shows a secret that it was not given for this one answer.
 */
import type Stripe from "stripe";
import type { WebhookEndpoint } from "../domain/webhook-endpoint.ts";
import type { EndpointRenderer } from "../flows/webhook-endpoint-ports.ts";
import { wireMetadata, wireSeconds } from "./wire-scalars.ts";

/** The endpoint with every field that the client's type promises; `secret` only where one is given. */
export function serializeWebhookEndpoint(endpoint: WebhookEndpoint, secret: string | null): Stripe.WebhookEndpoint {
  return {
    id: endpoint.id,
    object: "webhook_endpoint",
    api_version: endpoint.apiVersion,
    application: null,
    created: wireSeconds(endpoint.createdAtMs),
    description: endpoint.description,
    enabled_events: [...endpoint.enabledEvents],
    livemode: false,
    metadata: wireMetadata(endpoint.metadata),
    ...(secret === null ? {} : { secret }),
    status: endpoint.status,
    url: endpoint.url,
  };
}

/** The wire's implementation of the port. */
export const wireEndpointRenderer: EndpointRenderer = {
  endpointAnswer: (endpoint, secret) => answer(serializeWebhookEndpoint(endpoint, secret)),
  deletedAnswer: (id) => {
    const body: Stripe.DeletedWebhookEndpoint = { id, object: "webhook_endpoint", deleted: true };
    return answer(body);
  },
};

function answer(body: object) {
  return { status: 200, body: Buffer.from(JSON.stringify(body), "utf8") };
}
