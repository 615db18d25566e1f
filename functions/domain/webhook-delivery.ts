/**
 * The record of one delivery, an event to one endpoint: the truth of which a task is only a wake-up (design section 7).
 * It never changes by itself: what a record becomes is decided in delivery-record.ts.
 */
import { createHash } from "node:crypto";
import type { AttemptFailure, DeadLetterReason, Trigger } from "./delivery.ts";
import type { Window } from "./delivery-schedule.ts";
import { type DomainError, refuse } from "./errors.ts";

/** One delivery. */
export interface WebhookDelivery {
  readonly id: string;
  readonly accountId: string;
  readonly endpointId: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly createdAtMs: number;
  /** The bytes that every attempt sends, rendered once. */
  readonly body: Uint8Array;
  readonly state: "pending" | "delivered" | "dead";
  readonly window: Window;
  /** The scheduled attempt that comes next; null when none does. */
  readonly next: { readonly number: number; readonly atMs: number } | null;
  /** A person's resend that was not sent yet; null when there is none. */
  readonly resend: { readonly id: string; readonly atMs: number } | null;
  /** Part of the next task's name, raised whenever a task of the same attempt may have been lost or is to come later. */
  readonly epoch: number;
  /** The attempt that is being sent; null when none is. */
  readonly inFlight: InFlight | null;
  /** What was sent, oldest first; the newest `attemptsKept` of them. */
  readonly attempts: readonly AttemptRecord[];
  /** Why it is dead; null while it is not. */
  readonly dead: { readonly reason: DeadLetterReason; readonly atMs: number } | null;
  /** From when on the sweep looks at it; null when nothing is due any more. */
  readonly sweepAtMs: number | null;
  /** When its record may go. */
  readonly deleteAfterMs: number;
  /** The trace that each of its attempts goes on with, as a value of `traceparent`; absent where nothing is traced. */
  readonly traceparent?: string;
}

/** An attempt that was claimed, by whom, and until when nobody else sends. */
export interface InFlight {
  /** Random, never reused: by it the claimer knows its own claim again. */
  readonly id: string;
  readonly trigger: Trigger;
  readonly startedAtMs: number;
  readonly leaseUntilMs: number;
}

/** One attempt as the log of the API shows it. */
export interface AttemptRecord {
  readonly id: string;
  readonly trigger: Trigger;
  /** Null in the first window. */
  readonly redriveId: string | null;
  readonly startedAtMs: number;
  readonly durationMs: number;
  /** Null for success. */
  readonly failure: AttemptFailure | null;
  /** HTTP status; null when no answer came. */
  readonly status: number | null;
  /** Beginning of the answer's body, inert, or why there was no answer, in our own words. */
  readonly excerpt: string;
}

/** What a task tells the dispatcher. */
export interface DeliveryWakeUp {
  readonly deliveryId: string;
  readonly redriveId: string | null;
  /** Number of the scheduled attempt; null for a resend. */
  readonly number: number | null;
  readonly resendId: string | null;
}

/** The id of the one delivery of an event to an endpoint; a digest, so that no range of ids is hot. */
export function deliveryIdOf(eventId: string, endpointId: string): string {
  return `wd_${createHash("sha256").update(`${eventId} ${endpointId}`).digest("hex").slice(0, 32)}`;
}

/** What a wake-up finds to do. */
export type Look =
  | { readonly kind: "attempt"; readonly trigger: Trigger }
  /** Its attempt was recorded, or is not due yet: only the task of what comes next has to stand. */
  | { readonly kind: "ensure" }
  /** Somebody else is sending. */
  | { readonly kind: "busy" }
  | { readonly kind: "nothing" };

/** What is to be done for a wake-up: it is believed only as far as the record says the same. */
export function lookAt(delivery: WebhookDelivery, wakeUp: DeliveryWakeUp, nowMs: number): Look {
  const { next, resend, inFlight, window } = delivery;
  const isBusy = inFlight !== null && nowMs < inFlight.leaseUntilMs;
  if (wakeUp.resendId !== null) {
    if (resend === null || resend.id !== wakeUp.resendId || isEarly(resend.atMs, nowMs)) return ensure(delivery);
    return isBusy ? { kind: "busy" } : { kind: "attempt", trigger: { kind: "resend", resendId: resend.id } };
  }
  if (next === null) return ensure(delivery);
  const isNext = wakeUp.number === next.number && wakeUp.redriveId === window.redriveId;
  if (!isNext || isEarly(next.atMs, nowMs)) return ensure(delivery);
  return isBusy ? { kind: "busy" } : { kind: "attempt", trigger: { kind: "schedule", number: next.number } };
}

/** True while a resend must wait: an attempt is being sent, or a resend is about to be. */
export function isBusy(delivery: WebhookDelivery, nowMs: number): boolean {
  return delivery.resend !== null || (delivery.inFlight !== null && nowMs < delivery.inFlight.leaseUntilMs);
}

/** True when the resend is in the record already: waiting, being sent, or sent. */
export function resentAs({ resend, inFlight, attempts }: WebhookDelivery, resendId: string): boolean {
  const isIt = (trigger: Trigger | undefined) => trigger?.kind === "resend" && trigger.resendId === resendId;
  return resend?.id === resendId || isIt(inFlight?.trigger) || attempts.some(({ trigger }) => isIt(trigger));
}

/** 404, naming the parameter that held the id. */
export function noSuchDelivery(deliveryId: string, param = "webhook_delivery"): DomainError {
  return refuse("resource_missing", `No such webhook delivery: '${deliveryId}'`, { param });
}

/**
 * The task of what comes next, under a name that no other attempt and no other epoch has; null when nothing comes.
 * @param isHealthy whether the endpoint's last attempt succeeded: only then a first attempt goes into the fast queue
 */
export function deliveryTask(delivery: WebhookDelivery, isHealthy: boolean): DeliveryTask | null {
  const { traceparent } = delivery;
  const task = untracedTask(delivery, isHealthy);
  return task === null || traceparent === undefined ? task : { ...task, traceparent };
}

function untracedTask(delivery: WebhookDelivery, isHealthy: boolean): DeliveryTask | null {
  const { id, next, resend, epoch, window, endpointId } = delivery;
  if (resend !== null && (next === null || resend.atMs <= next.atMs)) {
    return {
      queue: isHealthy ? "webhookFast" : "webhookSlow",
      name: `${id} resend ${resend.id} ${epoch}`,
      shardBy: endpointId,
      path: deliveryPath,
      body: { deliveryId: id, redriveId: null, number: null, resendId: resend.id },
      scheduleAtMs: resend.atMs,
    };
  }
  if (next === null) return null;
  return {
    queue: isHealthy && next.number === 1 ? "webhookFast" : "webhookSlow",
    name: `${id} ${window.redriveId ?? ""} ${next.number} ${epoch}`,
    shardBy: endpointId,
    path: deliveryPath,
    body: { deliveryId: id, redriveId: window.redriveId, number: next.number, resendId: null },
    scheduleAtMs: next.atMs,
  };
}

/** A wake-up to be put into a queue. */
export interface DeliveryTask {
  readonly queue: "webhookFast" | "webhookSlow";
  readonly name: string;
  /** The endpoint: what it does to a queue it does to one shard. */
  readonly shardBy: string;
  readonly path: string;
  readonly body: { readonly [Member in keyof DeliveryWakeUp]: DeliveryWakeUp[Member] };
  readonly scheduleAtMs: number;
  readonly traceparent?: string;
}

/** Where the dispatcher takes wake-ups. */
export const deliveryPath = "/deliver";

/** When a task for it is due; null when none is. */
export function dueAtMs({ next, resend }: WebhookDelivery): number | null {
  if (next === null) return resend?.atMs ?? null;
  return Math.min(next.atMs, resend?.atMs ?? Number.POSITIVE_INFINITY);
}

/** A task may be dispatched a moment early by our clock; past this tolerance it is one that was put off. */
const earlyToleranceMs = 2_000;

function isEarly(atMs: number, nowMs: number): boolean {
  return atMs > nowMs + earlyToleranceMs;
}

function ensure(delivery: WebhookDelivery): Look {
  return { kind: dueAtMs(delivery) === null ? "nothing" : "ensure" };
}
