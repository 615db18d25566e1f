/**
 * How an attempt ends or waits on: the acquirer's answer to the intent, the charge, the booking and the events (contract 5.3).
 * It never settles an attempt twice: an attempt that the intent does not wait for is a bug and throws.
 */
import type { AcquirerResult, Attempt, CancellationReason } from "./attempt.ts";
import type { Changed } from "./changed.ts";
import type { Charge } from "./charge.ts";
import { bookCharge } from "./ledger.ts";
import type { LedgerTerms } from "./ledger-terms.ts";
import type { PaymentIntent } from "./payment-intent.ts";
import { authorized } from "./settle-authorization.ts";

/**
 * What the acquirer's answer makes of an authorization, a capture or a void.
 * @throws Error when the intent does not wait for the attempt, its charge was not read, or the answer fits no such order
 */
export function settle(
  intent: PaymentIntent,
  attempt: Attempt,
  charge: Charge | null,
  result: AcquirerResult,
  terms: LedgerTerms,
  nowMs: number,
): Changed {
  if (!isAwaited(intent, attempt)) {
    throw new Error(`Attempt ${attempt.id} is not the open attempt of ${intent.id}; it must not be settled.`);
  }
  const free = { ...intent, version: intent.version + 1, activeAttemptId: null };
  if (attempt.kind === "authorize") return authorized(free, attempt, charge, result, terms, nowMs);
  if (charge === null || charge.id !== attempt.chargeId)
    throw new Error(`The charge of attempt ${attempt.id} was not read.`);
  if (result.kind === "approved") {
    const closed: Attempt = { ...attempt, state: "succeeded", closedAtMs: nowMs };
    return attempt.kind === "capture" ? captured(free, closed, charge, terms, nowMs) : voided(free, closed, nowMs);
  }
  if (result.kind !== "declined") throw new Error(`A ${attempt.kind} is done or refused, but it is ${result.kind}.`);
  const closed: Attempt = { ...attempt, state: "declined", closedAtMs: nowMs };
  return { intent: free, attempt: closed, charge: null, events: [], refusal: result.failure };
}

/** The intent, canceled. */
export function canceledIntent(intent: PaymentIntent, reason: CancellationReason | null, nowMs: number): PaymentIntent {
  return {
    ...intent,
    version: intent.version + 1,
    status: "canceled",
    amountCapturableMinor: 0n,
    captureBeforeMs: null,
    nextAction: null,
    canceledAtMs: nowMs,
    cancellationReason: reason,
  };
}

/** An open attempt holds the slot; one that the acquirer settles later does not, and the intent is `processing` for it. */
function isAwaited(intent: PaymentIntent, attempt: Attempt): boolean {
  if (attempt.state === "open" || attempt.state === "voiding") return intent.activeAttemptId === attempt.id;
  return (
    attempt.state === "pending" &&
    intent.status === "processing" &&
    intent.activeAttemptId === null &&
    intent.latestChargeId === attempt.chargeId
  );
}

/** Takes what was asked of the hold; the rest of it is released by the network. */
function captured(free: PaymentIntent, attempt: Attempt, held: Charge, terms: LedgerTerms, nowMs: number): Changed {
  const charge = { ...held, version: held.version + 1, capturedMinor: attempt.amountMinor };
  return {
    intent: {
      ...free,
      status: "succeeded",
      amountReceivedMinor: attempt.amountMinor,
      amountCapturableMinor: 0n,
      captureBeforeMs: null,
    },
    attempt,
    charge,
    booking: bookCharge(charge, terms, nowMs),
    events: [
      { type: "charge.captured", about: "charge" },
      { type: "payment_intent.succeeded", about: "payment_intent" },
    ],
  };
}

function voided(free: PaymentIntent, attempt: Attempt, nowMs: number): Changed {
  const intent = { ...canceledIntent(free, attempt.cancellationReason, nowMs), version: free.version };
  return { intent, attempt, charge: null, events: [{ type: "payment_intent.canceled", about: "payment_intent" }] };
}
