/**
 * A webhook endpoint: where an account's events are sent, which of them, and under which secrets (contract section 8.1).
 * It never holds a secret in the clear: what is kept is sealed.
 */
import { createHash } from "node:crypto";
import { type DomainError, refuse } from "./errors.ts";
import { type EventType, eventTypes } from "./events.ts";
import { type IntentChanges, mergeMetadata } from "./payment-intent.ts";

/** One endpoint. */
export interface WebhookEndpoint {
  readonly id: string;
  readonly accountId: string;
  readonly url: string;
  /** Types of events, or `*` for all of them. */
  readonly enabledEvents: readonly EnabledEvent[];
  readonly status: "enabled" | "disabled";
  /** Why it is disabled; null while it is enabled. */
  readonly disabledBecause: DisabledBecause | null;
  readonly description: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  /** The version that the client asked for; null when it asked for none. */
  readonly apiVersion: string | null;
  readonly createdAtMs: number;
  /** Since when it gets deliveries, or got them until it was disabled: what failed before does not count against it. */
  readonly enabledAtMs: number;
  /** Its signing secrets as JSON, sealed with its id as the context. */
  readonly sealedSecrets: string;
}

/** By its owner, by a 410 of its receiver, or because nothing succeeded for days (design section 7). */
export type DisabledBecause = "by_request" | "gone" | "failing";

/** The type of the notice that an endpoint was switched off: told by events, kept by no ledger; an extension of ours. */
export const disabledNoticeType = "webhook_endpoint.disabled";

/** The type of a test event, which nothing but a call for one endpoint sends; an extension of ours. */
export const testEventType = "webhook_endpoint.test";

/** What an endpoint may be enabled for. */
export type EnabledEvent = EventType | "*" | typeof disabledNoticeType;

/** Every word that an endpoint may be enabled for. */
export const enabledEventWords: readonly EnabledEvent[] = ["*", ...eventTypes, disabledNoticeType];

/**
 * True when an event of this type, which happened then, goes to the endpoint: only if the endpoint existed already. Events
 * tell their time to the second, so seconds are compared, and one of the same second goes to it.
 */
export function wantsEvent(
  endpoint: WebhookEndpoint,
  event: { readonly type: string; readonly createdAtMs: number },
): boolean {
  const isLater = Math.floor(endpoint.createdAtMs / 1000) > Math.floor(event.createdAtMs / 1000);
  if (endpoint.status !== "enabled" || isLater) return false;
  return endpoint.enabledEvents.some((word) => word === "*" || word === event.type);
}

/** The id of the notice that an endpoint was switched off: one for each time that it was enabled. */
export function disabledNoticeId({ id, enabledAtMs }: WebhookEndpoint): string {
  return `evt_${createHash("sha256").update(`disabled ${id} ${enabledAtMs}`).digest("hex").slice(0, 32)}`;
}

/** What a valid new endpoint is made from. */
export interface EndpointInput {
  readonly url: string;
  readonly enabledEvents: readonly EnabledEvent[];
  readonly description: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly apiVersion: string | null;
}

/** Changes that an update asks for; an absent field stays, null clears. */
export interface EndpointChanges {
  readonly url?: string;
  readonly enabledEvents?: readonly EnabledEvent[];
  readonly description?: string | null;
  readonly metadata?: IntentChanges["metadata"];
  readonly disabled?: boolean;
}

/**
 * The endpoint after an update.
 * @throws DomainError `parameter_invalid` with param `metadata` when too many keys would remain
 */
export function changedEndpoint(endpoint: WebhookEndpoint, changes: EndpointChanges, nowMs: number): WebhookEndpoint {
  const { disabled, metadata, ...fields } = changes;
  const state =
    disabled === undefined
      ? {}
      : disabled
        ? ({ status: "disabled", disabledBecause: endpoint.disabledBecause ?? "by_request" } as const)
        : enabled(endpoint, nowMs);
  return { ...endpoint, ...fields, ...state, metadata: mergeMetadata(endpoint.metadata, metadata) };
}

function enabled(endpoint: WebhookEndpoint, nowMs: number) {
  if (endpoint.status === "enabled") return {};
  return { status: "enabled", disabledBecause: null, enabledAtMs: nowMs } as const;
}

/** Most endpoints of one account (contract section 8.1). */
export const endpointsMax = 16;

/** 400: the account has as many endpoints as it may have. */
export function tooManyEndpoints(): DomainError {
  return refuse(
    "parameter_invalid",
    `You have reached the maximum of ${endpointsMax} webhook endpoints. Delete one before you create another.`,
  );
}

/** 404, naming the parameter that held the id. */
export function noSuchEndpoint(endpointId: string, param = "webhook_endpoint"): DomainError {
  return refuse("resource_missing", `No such webhook endpoint: '${endpointId}'`, { param });
}

/**
 * An id that follows from one use of an idempotency key, so that whoever carries the same intention out again makes the
 * same thing (design section 4.9). The row's creation is part of it, because a key is free again after a day.
 */
export function intentionId(prefix: string, row: { readonly keyHash: string; readonly createdAtMs: number }): string {
  const digest = createHash("sha256").update(`${row.keyHash} ${row.createdAtMs}`).digest("hex");
  // 128 bits: no two intentions share an id, and it is as long as ids of other objects.
  return `${prefix}_${digest.slice(0, 32)}`;
}
