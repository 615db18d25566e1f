/**
 * What webhooks keep in Firestore, over one database: endpoints, deliveries, and how endpoints fare.
 * It must never open a database of its own.
 */
import type { Deliveries, EndpointHealthStore } from "../flows/delivery-ports.ts";
import type { WebhookEndpoints } from "../flows/webhook-endpoint-ports.ts";
import { firestoreDeliveries, firestoreEndpointHealth } from "./firestore-deliveries.ts";
import { firestoreWebhookEndpoints } from "./firestore-webhook-endpoints.ts";

/** All three; the names are those of `firestoreNames`. */
export function firestoreWebhookStores(documents: WebhookDocuments): WebhookStores {
  return {
    endpoints: firestoreWebhookEndpoints(documents),
    deliveries: firestoreDeliveries(documents),
    health: firestoreEndpointHealth(documents),
  };
}

/** Where they are. */
export type WebhookDocuments = Parameters<typeof firestoreWebhookEndpoints>[0] &
  Parameters<typeof firestoreDeliveries>[0] &
  Parameters<typeof firestoreEndpointHealth>[0];

/** The stores, by the names that the flows know them by. */
export interface WebhookStores {
  readonly endpoints: WebhookEndpoints;
  readonly deliveries: Deliveries;
  readonly health: EndpointHealthStore;
}
