/**
 * What the acquirer's answer to an authorization makes of a payment: paid, held, refused, challenged, or settled later.
 * It never looks at the slot: `settle.ts` has freed it, and has made sure that the attempt is the awaited one.
 */
import type { AcquirerResult, Attempt, Declined } from "./attempt.ts";
import { nextLookMs } from "./challenge.ts";
import type { Changed } from "./changed.ts";
import type { Charge } from "./charge.ts";
import { bookCharge } from "./ledger.ts";
import type { LedgerTerms } from "./ledger-terms.ts";
import { captureWindowMs, type PaymentIntent } from "./payment-intent.ts";

/**
 * @param free the intent with its slot free, one version higher
 * @param accepted the charge of a pending attempt; null for one that was not answered before
 * @throws Error for a challenge that the attempt's terms do not allow
 */
export function authorized(
  free: PaymentIntent,
  attempt: Attempt,
  accepted: Charge | null,
  result: AcquirerResult,
  terms: LedgerTerms,
  nowMs: number,
): Changed {
  switch (result.kind) {
    case "challenge":
      return challenged(free, attempt, result, nowMs);
    case "pending":
      return pending(free, attempt, accepted, result, nowMs);
    case "declined":
      return declined(free, attempt, accepted, result, nowMs);
    case "approved":
      return approved(free, attempt, accepted, { reference: result.reference, terms }, nowMs);
  }
}

function challenged(
  free: PaymentIntent,
  attempt: Attempt,
  { reference, pageUrl }: Extract<AcquirerResult, { kind: "challenge" }>,
  nowMs: number,
): Changed {
  const { challenge } = attempt;
  if (challenge === null) throw new Error(`Attempt ${attempt.id} was challenged, and nobody may be asked.`);
  const waiting: Attempt = {
    ...attempt,
    state: "challenged",
    authentication: reference,
    challenge: { ...challenge, pageUrl },
    leaseUntilMs: nowMs + nextLookMs(attempt, nowMs),
  };
  const nextAction = { attemptId: attempt.id, url: challenge.startUrl, returnUrl: challenge.merchantReturnUrl };
  return {
    intent: { ...free, status: "requires_action", nextAction, lastPaymentError: null },
    attempt: waiting,
    charge: null,
    events: [{ type: "payment_intent.requires_action", about: "payment_intent" }],
  };
}

/** The first time it makes the charge; later it only moves the time at which to look again. */
function pending(
  free: PaymentIntent,
  attempt: Attempt,
  accepted: Charge | null,
  { reference, settlesAtMs }: Extract<AcquirerResult, { kind: "pending" }>,
  nowMs: number,
): Changed {
  const waiting: Attempt = { ...attempt, state: "pending", leaseUntilMs: settlesAtMs };
  if (accepted !== null) return { intent: free, attempt: waiting, charge: null, events: [] };
  const charge = { ...chargeOf(free, attempt, nowMs), status: "pending", acquirerReference: reference } as const;
  return {
    intent: { ...free, status: "processing", latestChargeId: charge.id, lastPaymentError: null },
    attempt: waiting,
    charge,
    events: [
      { type: "charge.pending", about: "charge" },
      { type: "payment_intent.processing", about: "payment_intent" },
    ],
  };
}

function declined(
  free: PaymentIntent,
  attempt: Attempt,
  accepted: Charge | null,
  { failure }: Declined,
  nowMs: number,
): Changed {
  const made = accepted === null ? chargeOf(free, attempt, nowMs) : { ...accepted, version: accepted.version + 1 };
  const charge = { ...made, status: "failed", failure } as const;
  const paymentMethod = { id: attempt.paymentMethodId, token: attempt.paymentMethodToken };
  return {
    intent: {
      ...free,
      status: "requires_payment_method",
      latestChargeId: charge.id,
      paymentMethod: null,
      lastPaymentError: { ...failure, chargeId: charge.id, paymentMethod },
    },
    attempt: { ...attempt, state: attempt.state === "voiding" ? "voided" : "declined", closedAtMs: nowMs },
    charge,
    events: [
      { type: "charge.failed", about: "charge" },
      { type: "payment_intent.payment_failed", about: "payment_intent" },
    ],
  };
}

function approved(
  free: PaymentIntent,
  attempt: Attempt,
  accepted: Charge | null,
  { reference, terms }: { readonly reference: string; readonly terms: LedgerTerms },
  nowMs: number,
): Changed {
  const made = accepted === null ? chargeOf(free, attempt, nowMs) : { ...accepted, version: accepted.version + 1 };
  const capturedMinor = attempt.captureLater ? 0n : attempt.amountMinor;
  const charge = { ...made, status: "succeeded", acquirerReference: reference, capturedMinor } as const;
  const intent = { ...free, latestChargeId: charge.id, lastPaymentError: null };
  const closed: Attempt = { ...attempt, state: "succeeded", closedAtMs: nowMs };
  if (attempt.captureLater) {
    return {
      intent: {
        ...intent,
        status: "requires_capture",
        amountCapturableMinor: attempt.amountMinor,
        captureBeforeMs: nowMs + captureWindowMs,
      },
      attempt: closed,
      charge,
      events: [
        { type: "charge.succeeded", about: "charge" },
        { type: "payment_intent.amount_capturable_updated", about: "payment_intent" },
      ],
    };
  }
  return {
    intent: { ...intent, status: "succeeded", amountReceivedMinor: attempt.amountMinor },
    attempt: closed,
    charge,
    booking: bookCharge(charge, terms, nowMs),
    events: [
      { type: "charge.succeeded", about: "charge" },
      { type: "payment_intent.succeeded", about: "payment_intent" },
    ],
  };
}

/** A charge of the attempt, as nobody has answered it yet. */
function chargeOf(intent: PaymentIntent, attempt: Attempt, nowMs: number): Charge {
  return {
    id: attempt.chargeId,
    accountId: attempt.accountId,
    intentId: attempt.intentId,
    attemptId: attempt.id,
    version: 1,
    status: "pending",
    amountMinor: attempt.amountMinor,
    capturedMinor: 0n,
    refundReservedMinor: 0n,
    refundedMinor: 0n,
    currency: attempt.currency,
    createdAtMs: nowMs,
    paymentMethodId: attempt.paymentMethodId,
    paymentMethodToken: attempt.paymentMethodToken,
    acquirerReference: null,
    failure: null,
    description: intent.description,
    customer: intent.customer,
    receiptEmail: intent.receiptEmail,
    statementDescriptor: intent.statementDescriptor,
    statementDescriptorSuffix: intent.statementDescriptorSuffix,
    metadata: intent.metadata,
  };
}
