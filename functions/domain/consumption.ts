/**
 * What a consumer of events remembers: a marker for the event and one for the business action that it stands for.
 * It never trusts one of the two alone: two events may mean one action, and a renamed action is still the same event.
 */
import { createHash } from "node:crypto";

/** An event as a consumer sees it, read from the message's signed content and never from its envelope. */
export interface ConsumedEvent {
  readonly id: string;
  /** For example `charge.succeeded`; types that are not known here are allowed. */
  readonly type: string;
  /** The merchant. */
  readonly accountId: string;
  readonly createdAtMs: number;
  /** What the event shows, in the words of the API (contract section 7). */
  readonly object: Readonly<Record<string, unknown>>;
}

/** A marker; the two of one event are written together and say the same. */
export interface Marker {
  readonly consumer: string;
  readonly eventId: string;
  /** The business action, for example `invoice:pi_…`. */
  readonly action: string;
  /** Whose it is: made anew for each delivery. */
  readonly token: string;
  readonly state: "in_progress" | "done";
  /** Until when nobody else may begin; only while in progress. */
  readonly leaseUntilMs: number;
  /** How it ended, in one word; null while in progress. */
  readonly outcome: string | null;
  readonly deleteAfterMs: number;
}

/** The ids of the two markers. Length-prefixed, so that no name can pretend to be two. */
export function markerIds({ consumer, eventId, action }: Pick<Marker, "consumer" | "eventId" | "action">): string[] {
  return [digestOf(consumer, "event", eventId), digestOf(consumer, "action", action)];
}

/** A digest of several texts that no other texts have. */
export function digestOf(...parts: readonly string[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(`${Buffer.byteLength(part, "utf8")}:`).update(part, "utf8");
  return hash.digest("hex");
}

/**
 * What markers that stand there mean for somebody who brings `token`: `ours` is his own write whose reply was lost; `done`
 * and `busy` are somebody else's; `free` may be taken over, because every lease is over.
 */
export function verdictOn(found: readonly Marker[], token: string, nowMs: number): "ours" | "done" | "busy" | "free" {
  if (found.length > 0 && found.every((marker) => marker.token === token)) return "ours";
  if (found.some((marker) => marker.state === "done")) return "done";
  return found.some((marker) => marker.leaseUntilMs > nowMs) ? "busy" : "free";
}

/**
 * 9 s: shorter than the 10 s that Pub/Sub waits at least before it brings a message again (infra/constructs/push-consumer.ts),
 * so that after a crash the next delivery finds the lease over instead of losing a turn.
 */
export const consumerLeaseMs = 9_000;

/**
 * 7 s for an effect outside, from its first byte to its last: it ends 2 s before the lease does, so that two deliveries
 * never work at the same time even when their clocks differ by a second.
 */
export const outsideEffectMs = 7_000;

/** How long a dead letter is kept for redrive: 60 days. */
export const deadLetterLifeMs = 60 * 24 * 60 * 60 * 1000;

/**
 * 90 days: longer than the 7 days that a message may wait and the 60 days that its dead letter can be redriven, so that
 * whoever did it the first time still knows it.
 */
export const markerLifeMs = 90 * 24 * 60 * 60 * 1000;
