/**
 * What the record of a delivery becomes: by a claim, an attempt, a cap, the sweep, a resend, a redrive.
 * It never sends, stores or reads a clock: each function takes a record and gives the next one.
 */
import type { FailedAttempt, NextStep, SuccessfulAttempt, Trigger } from "./delivery.ts";
import { type AttemptRecord, deliveryIdOf, dueAtMs, type InFlight, type WebhookDelivery } from "./webhook-delivery.ts";

/** A delivery whose first attempt is due now. */
export function newDelivery(
  about: Pick<WebhookDelivery, "accountId" | "endpointId" | "eventId" | "eventType" | "body" | "traceparent">,
  nowMs: number,
): WebhookDelivery {
  return finished({
    ...about,
    id: deliveryIdOf(about.eventId, about.endpointId),
    createdAtMs: nowMs,
    state: "pending",
    window: { startedAtMs: nowMs, redriveId: null },
    next: { number: 1, atMs: nowMs },
    resend: null,
    epoch: 1,
    inFlight: null,
    attempts: [],
    dead: null,
    sweepAtMs: null,
    deleteAfterMs: nowMs + undeliveredKeptMs,
  });
}

/** The record while an attempt is sent. */
export function claimed(delivery: WebhookDelivery, trigger: Trigger, attemptId: string, nowMs: number) {
  const inFlight: InFlight = { id: attemptId, trigger, startedAtMs: nowMs, leaseUntilMs: nowMs + inFlightLeaseMs };
  return finished({ ...delivery, inFlight });
}

/** The record after an attempt that a cap of its endpoint put off: it was none, and comes again later. */
export function putOff(delivery: WebhookDelivery, trigger: Trigger, atMs: number): WebhookDelivery {
  const { next, resend } = delivery;
  const later =
    trigger.kind === "schedule" ? { next: next && { ...next, atMs } } : { resend: resend && { ...resend, atMs } };
  return finished({ ...delivery, ...later, epoch: delivery.epoch + 1 });
}

/** The record after an attempt. */
export function recorded(
  delivery: WebhookDelivery,
  attempt: SuccessfulAttempt | FailedAttempt,
  attemptId: string,
  step: NextStep,
): WebhookDelivery {
  const { exchange, trigger, startedAtMs, endedAtMs } = attempt;
  const record: AttemptRecord = {
    id: attemptId,
    trigger,
    redriveId: delivery.window.redriveId,
    startedAtMs,
    durationMs: exchange.durationMs,
    failure: attempt.outcome === "failed" ? attempt.failure : null,
    status: exchange.kind === "answered" ? exchange.status : null,
    excerpt: exchange.kind === "answered" ? exchange.excerpt : exchange.reason,
  };
  const attempts = [...delivery.attempts, record].slice(-attemptsKept);
  return after({ ...delivery, attempts }, trigger, step, endedAtMs);
}

/** The record after what happened in place of an attempt; `step` comes from `stepInsteadOf`. */
export function unsent(delivery: WebhookDelivery, trigger: Trigger, step: NextStep, nowMs: number): WebhookDelivery {
  return after(delivery, trigger, step, nowMs);
}

/** The record of an overdue delivery, whose task is to be made anew under a name that was never used. */
export function sweptUp(delivery: WebhookDelivery, nowMs: number): WebhookDelivery {
  const sweepAtMs = dueAtMs(delivery) === null ? null : nowMs + sweepAgainMs;
  return { ...delivery, epoch: delivery.epoch + 1, sweepAtMs };
}

/** The record with a resend to be sent at once. */
export function withResend(delivery: WebhookDelivery, resendId: string, nowMs: number): WebhookDelivery {
  return finished({ ...delivery, resend: { id: resendId, atMs: nowMs } });
}

/** A dead delivery in a new window of three days. */
export function redriven(delivery: WebhookDelivery, redriveId: string, nowMs: number): WebhookDelivery {
  return finished({
    ...delivery,
    state: "pending",
    window: { startedAtMs: nowMs, redriveId },
    next: { number: 1, atMs: nowMs },
    dead: null,
    epoch: delivery.epoch + 1,
    deleteAfterMs: nowMs + undeliveredKeptMs,
  });
}

/** Ten of a window, and as many resends and redrives again and again: what people look at, in under 50 KB. */
export const attemptsKept = 50;

/** 60 s: twice the longest attempt, so that a claim outlives it also when the clocks of two instances differ. */
export const inFlightLeaseMs = 60_000;

/** A queue that is behind by three minutes is busy; a task that is later than that may be lost. */
const overdueAfterMs = 3 * 60_000;

/** A second new task for the same attempt only makes sense when the first one had its time in a busy queue. */
const sweepAgainMs = 10 * 60_000;

/** 30 days, as long as the event itself can be retrieved (contract section 7). */
const deliveredKeptMs = 30 * 24 * 3_600_000;

/** 90 days: as long as every other dead letter is kept for a redrive. */
const undeliveredKeptMs = 90 * 24 * 3_600_000;

function after(delivery: WebhookDelivery, trigger: Trigger, step: NextStep, nowMs: number): WebhookDelivery {
  const resend = trigger.kind === "resend" ? null : delivery.resend;
  const free = { ...delivery, inFlight: null, resend };
  switch (step.kind) {
    case "delivered":
      return finished({
        ...free,
        ...{ state: "delivered", next: null, resend: null, dead: null },
        deleteAfterMs: nowMs + deliveredKeptMs,
      });
    case "retry":
      return finished({ ...free, next: { number: step.number, atMs: step.atMs } });
    case "dead_letter":
      // A resend of what was delivered before cannot undo that.
      if (delivery.state === "delivered") return finished(free);
      return finished({
        ...free,
        ...{ state: "dead", next: null, dead: { reason: step.reason, atMs: nowMs } },
        deleteAfterMs: nowMs + undeliveredKeptMs,
      });
    case "unchanged":
      // The task of a scheduled attempt that came meanwhile found this one in flight and is gone.
      return finished({ ...free, epoch: delivery.epoch + 1 });
  }
}

/** With the sweep's time, which follows from all else. */
function finished(delivery: WebhookDelivery): WebhookDelivery {
  // A claim that was never recorded is looked at when its lease ends.
  if (delivery.inFlight !== null) return { ...delivery, sweepAtMs: delivery.inFlight.leaseUntilMs };
  const dueMs = dueAtMs(delivery);
  return { ...delivery, sweepAtMs: dueMs === null ? null : dueMs + overdueAfterMs };
}
