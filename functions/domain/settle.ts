/**
 * How an attempt ends: the acquirer's answer to the intent, the charge, the booking and the events (contract section 5.3).
 * It never settles an attempt twice: an attempt that is not the intent's open one is a bug and throws.
 */
import type { AcquirerResult, Attempt, CancellationReason } from "./attempt.ts";
import type { Charge } from "./charge.ts";
import type { EventDraft } from "./events.ts";
import { bookCharge, type LedgerTransaction } from "./ledger.ts";
import { captureWindowMs, type PaymentIntent } from "./payment-intent.ts";

/**
 * Ends an authorization, a capture or a void.
 * @throws Error when the attempt is not the open one of the intent, or its charge was not read
 */
export function settle(
  intent: PaymentIntent,
  attempt: Attempt,
  charge: Charge | null,
  result: AcquirerResult,
  nowMs: number,
): Changed {
  if (attempt.state !== "open" || intent.activeAttemptId !== attempt.id) {
    throw new Error(`Attempt ${attempt.id} is not the open attempt of ${intent.id}; it must not be settled.`);
  }
  const free = { ...intent, version: intent.version + 1, activeAttemptId: null };
  const closed: Attempt = {
    ...attempt,
    state: result.kind === "approved" ? "succeeded" : "declined",
    closedAtMs: nowMs,
  };
  if (attempt.kind === "authorize") return authorized(free, closed, result, nowMs);
  if (charge === null || charge.id !== attempt.chargeId)
    throw new Error(`The charge of attempt ${attempt.id} was not read.`);
  if (result.kind === "declined")
    return { intent: free, attempt: closed, charge: null, events: [], refusal: result.failure };
  return attempt.kind === "capture" ? captured(free, closed, charge, nowMs) : voided(free, closed, nowMs);
}

/** What one transaction commits of a decision. */
export interface Changed {
  readonly intent: PaymentIntent;
  readonly events: readonly EventDraft[];
  readonly attempt?: Attempt;
  /** The charge that is made or changed; null or absent when none is. */
  readonly charge?: Charge | null;
  readonly booking?: LedgerTransaction;
  /** Why the acquirer refused to capture or void, after which the intent is as it was. */
  readonly refusal?: Charge["failure"];
}

/** The intent, canceled. */
export function canceledIntent(intent: PaymentIntent, reason: CancellationReason | null, nowMs: number): PaymentIntent {
  return {
    ...intent,
    version: intent.version + 1,
    status: "canceled",
    amountCapturableMinor: 0n,
    captureBeforeMs: null,
    canceledAtMs: nowMs,
    cancellationReason: reason,
  };
}

function authorized(free: PaymentIntent, attempt: Attempt, result: AcquirerResult, nowMs: number): Changed {
  const charge = chargeOf(free, attempt, result, nowMs);
  const intent = { ...free, latestChargeId: charge.id };
  if (result.kind === "declined") {
    const paymentMethod = { id: attempt.paymentMethodId, token: attempt.paymentMethodToken };
    const lastPaymentError = { ...result.failure, chargeId: charge.id, paymentMethod };
    return {
      intent: { ...intent, status: "requires_payment_method", paymentMethod: null, lastPaymentError },
      attempt,
      charge,
      events: [
        { type: "charge.failed", about: "charge" },
        { type: "payment_intent.payment_failed", about: "payment_intent" },
      ],
    };
  }
  if (attempt.captureLater) {
    return {
      intent: {
        ...intent,
        status: "requires_capture",
        amountCapturableMinor: attempt.amountMinor,
        captureBeforeMs: nowMs + captureWindowMs,
        lastPaymentError: null,
      },
      attempt,
      charge,
      events: [
        { type: "charge.succeeded", about: "charge" },
        { type: "payment_intent.amount_capturable_updated", about: "payment_intent" },
      ],
    };
  }
  return {
    intent: { ...intent, status: "succeeded", amountReceivedMinor: attempt.amountMinor, lastPaymentError: null },
    attempt,
    charge,
    booking: bookCharge(charge, nowMs),
    events: [
      { type: "charge.succeeded", about: "charge" },
      { type: "payment_intent.succeeded", about: "payment_intent" },
    ],
  };
}

/** Takes what was asked of the hold; the rest of it is released by the network. */
function captured(free: PaymentIntent, attempt: Attempt, held: Charge, nowMs: number): Changed {
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
    booking: bookCharge(charge, nowMs),
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

function chargeOf(intent: PaymentIntent, attempt: Attempt, result: AcquirerResult, nowMs: number): Charge {
  const approved = result.kind === "approved";
  return {
    id: attempt.chargeId,
    accountId: attempt.accountId,
    intentId: attempt.intentId,
    attemptId: attempt.id,
    version: 1,
    status: approved ? "succeeded" : "failed",
    amountMinor: attempt.amountMinor,
    capturedMinor: approved && !attempt.captureLater ? attempt.amountMinor : 0n,
    refundReservedMinor: 0n,
    refundedMinor: 0n,
    currency: attempt.currency,
    createdAtMs: nowMs,
    paymentMethodId: attempt.paymentMethodId,
    paymentMethodToken: attempt.paymentMethodToken,
    acquirerReference: approved ? result.reference : null,
    failure: approved ? null : result.failure,
    description: intent.description,
    customer: intent.customer,
    receiptEmail: intent.receiptEmail,
    statementDescriptor: intent.statementDescriptor,
    statementDescriptorSuffix: intent.statementDescriptorSuffix,
    metadata: intent.metadata,
  };
}
