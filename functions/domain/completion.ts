/**
 * The clock rules of attempts that nobody works on any more: how long they are driven, when to come by again, who is told.
 * It never decides that money did or did not move: only the acquirer's word does.
 */
import type { AcquirerResult, Attempt } from "./attempt.ts";
import { nextLookMs } from "./challenge.ts";
import type { Timings } from "./idempotency.ts";

/** True while an attempt is driven by repeating its call. */
export function isDriven({ createdAtMs }: Attempt, nowMs: number): boolean {
  return nowMs - createdAtMs <= driveWindowMs;
}

/** True once only a person can say what became of an attempt. */
export function needsPerson({ createdAtMs }: Attempt, nowMs: number): boolean {
  return nowMs - createdAtMs >= personAfterMs;
}

/** When the next sweep may act on an attempt that this one takes: the end of its own lease, or the next look. */
export function nextVisitMs(attempt: Attempt, nowMs: number, timings: Timings): number {
  switch (attempt.state) {
    case "challenged":
      return nowMs + nextLookMs(attempt, nowMs);
    case "pending":
      return nowMs + pendingLookMs;
    default:
      return isDriven(attempt, nowMs) ? nowMs + timings.leaseMs : nowMs + backOffMs(attempt);
  }
}

/** What an authorization ends with that was voided: for its payment the same as one that failed. */
export const voidedAttempt: AcquirerResult = {
  kind: "declined",
  failure: {
    code: "processing_error",
    declineCode: null,
    message: "The payment could not be completed in time and was voided. You were not charged.",
  },
};

/** How long after its creation an attempt is still driven by repeating its call (design section 5). */
export const driveWindowMs = 15 * 60 * 1000;

/** After a day no machine has found out, so a person is asked (design section 5). */
export const personAfterMs = 24 * 60 * 60 * 1000;

/** What did not settle when it was due is looked at every minute. */
const pendingLookMs = 60_000;

/**
 * An old attempt must not take the place of one that a sweep can end: it is left alone for ten minutes, which keep its
 * alert open until a person has ended it. One that is being voided is looked at again soon, because its end is near.
 */
function backOffMs(attempt: Attempt): number {
  return attempt.state === "voiding" ? 60_000 : 10 * 60 * 1000;
}
