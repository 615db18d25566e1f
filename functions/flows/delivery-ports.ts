/**
 * What the flows need to deliver webhooks: the records of deliveries and of endpoints' health, types only.
 * It never names a product; memory twins and Firestore satisfy these types under one contract suite.
 */
import type { EndpointHealth } from "../domain/endpoint-health.ts";
import type { StoredOutcome } from "../domain/idempotency.ts";
import type { WebhookDelivery } from "../domain/webhook-delivery.ts";
import type { WebhookEndpoint } from "../domain/webhook-endpoint.ts";
import type { BusMessage } from "./bus-ports.ts";

/** A delivery with the opaque version under which it was read or written. */
export interface VersionedDelivery {
  readonly delivery: WebhookDelivery;
  readonly version: string;
}

/** Deliveries by id. Every method may reject with `store_unavailable` or `permission_denied`. */
export interface Deliveries {
  /** Creates the record if there is none; a lost reply of one's own create is `exists`. */
  create(delivery: WebhookDelivery): Promise<"created" | "exists">;
  /** The record, or undefined. */
  read(id: string): Promise<VersionedDelivery | undefined>;
  /**
   * Replaces the record, but for its body, if its version is still `version`; otherwise touches nothing. A lost reply of
   * one's own write is recognised.
   */
  replace(version: string, delivery: WebhookDelivery): Promise<ReplacedDelivery>;
  /** Records whose `sweepAtMs` is over, at most `limit` in all, longest overdue first as far as that is cheap. */
  overdue(nowMs: number, limit: number): Promise<readonly VersionedDelivery[]>;
  /** One page of an account's deliveries, newest first. */
  list(query: DeliveryQuery): Promise<{ readonly deliveries: readonly WebhookDelivery[]; readonly hasMore: boolean }>;
}

/** How a conditional write ended. */
export type ReplacedDelivery = { readonly kind: "replaced"; readonly version: string } | { readonly kind: "lost" };

/** Which deliveries to list; a filter that is null lets all through. */
export interface DeliveryQuery {
  readonly accountId: string;
  readonly endpointId: string | null;
  readonly eventId: string | null;
  readonly state: WebhookDelivery["state"] | null;
  readonly limit: number;
  readonly startingAfter: WebhookDelivery | null;
  readonly endingBefore: WebhookDelivery | null;
}

/** How endpoints fare. Writes are unconditional: two at once differ by a minute at most, and the next attempt writes again. */
export interface EndpointHealthStore {
  /** The record; undefined for an endpoint that nothing was sent to. */
  read(endpointId: string): Promise<EndpointHealth | undefined>;
  write(endpointId: string, health: EndpointHealth): Promise<void>;
}

/** What one instance lets through to one endpoint. Whoever enters must leave. */
export interface DeliveryGate {
  /** `seed` spreads those that find no place. */
  enter(
    endpointId: string,
    isHealthy: boolean,
    seed: string,
  ): { readonly kind: "enters" } | { readonly kind: "waits"; readonly atMs: number };
  leave(endpointId: string): void;
}

/** The notice of an endpoint that was switched off, as a message of the bus; the edge renders it. */
export type RenderNotice = (notice: EndpointNotice) => BusMessage;

/** What a notice tells. */
export interface EndpointNotice {
  /** The same however often it is told, so that consumers know it again. */
  readonly eventId: string;
  readonly endpoint: WebhookEndpoint;
  readonly atMs: number;
}

/** Deliveries as answers, and the event of a test as bytes; the edge implements it. */
export interface DeliveryRenderer {
  /** A 200 answer. */
  deliveryAnswer(delivery: WebhookDelivery): StoredOutcome;
  /** The envelope of a test event. */
  testEvent(eventId: string, endpoint: WebhookEndpoint, atMs: number): Uint8Array;
}
