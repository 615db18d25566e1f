// A payment intent, a charge and a refund of literal values, for tests that need one and care about a field or two.
// It must never compute a value from the clock or at random: a test that prints one must always print the same.
import type { Attempt } from "../../functions/domain/attempt.ts";
import type { Charge } from "../../functions/domain/charge.ts";
import type { PaymentIntent } from "../../functions/domain/payment-intent.ts";
import type { Refund } from "../../functions/domain/refund.ts";
import type { PaymentView } from "../../functions/flows/ports.ts";

/** 2026-03-01T12:00:00.789Z: not a whole second, so that rounding shows. */
export const createdAtMs = 1_772_366_400_789;

/** A new intent without a payment method. */
export function anIntent(fields: Partial<PaymentIntent> = {}): PaymentIntent {
  return {
    id: "pi_1",
    accountId: "acct_1",
    version: 1,
    status: "requires_payment_method",
    amountMinor: 1099n,
    captureBeforeMs: null,
    amountCapturableMinor: 0n,
    amountReceivedMinor: 0n,
    currency: "eur",
    captureMethod: "automatic_async",
    confirmationMethod: "automatic",
    clientSecret: "pi_1_secret_abc",
    createdAtMs,
    canceledAtMs: null,
    cancellationReason: null,
    paymentMethod: null,
    latestChargeId: null,
    lastPaymentError: null,
    nextAction: null,
    authentication: null,
    activeAttemptId: null,
    customer: null,
    description: null,
    receiptEmail: null,
    statementDescriptor: null,
    statementDescriptorSuffix: null,
    transferGroup: null,
    setupFutureUsage: null,
    shipping: null,
    metadata: {},
    paymentMethodTypes: ["card"],
    automaticPaymentMethods: null,
    ...fields,
  };
}

/** The successful charge of `anIntent` with a Visa test card. */
export function aCharge(fields: Partial<Charge> = {}): Charge {
  return {
    id: "ch_1",
    accountId: "acct_1",
    intentId: "pi_1",
    attemptId: "att_1",
    version: 1,
    status: "succeeded",
    amountMinor: 1099n,
    capturedMinor: 1099n,
    refundReservedMinor: 0n,
    refundedMinor: 0n,
    currency: "eur",
    createdAtMs: createdAtMs + 1_000,
    paymentMethodId: "pm_1",
    paymentMethodToken: "pm_card_visa",
    acquirerReference: "acq_1",
    failure: null,
    description: null,
    customer: null,
    receiptEmail: null,
    statementDescriptor: null,
    statementDescriptorSuffix: null,
    metadata: {},
    ...fields,
  };
}

/** The open authorization of `anIntent`. */
export function anAttempt(fields: Partial<Attempt> = {}): Attempt {
  return {
    id: "att_1",
    accountId: "acct_1",
    intentId: "pi_1",
    kind: "authorize",
    state: "open",
    amountMinor: 1099n,
    currency: "eur",
    paymentMethodToken: "pm_card_visa",
    paymentMethodId: "pm_1",
    captureLater: false,
    acquirerReference: null,
    chargeId: "ch_1",
    refundId: null,
    cancellationReason: null,
    challenge: null,
    authentication: null,
    reversesAttemptId: null,
    keyHash: "key_1",
    leaseUntilMs: createdAtMs + 30_000,
    createdAtMs,
    closedAtMs: null,
    ...fields,
  };
}

/** An intent that was paid at the first try, with its charge. */
export function aPaidView(fields: Partial<PaymentIntent> = {}): PaymentView {
  const intent = anIntent({
    status: "succeeded",
    version: 3,
    amountReceivedMinor: 1099n,
    paymentMethod: { id: "pm_1", token: "pm_card_visa" },
    latestChargeId: "ch_1",
    ...fields,
  });
  return { intent, charge: aCharge() };
}

/** An intent whose money is held, with its authorization. */
export function aHeldView(fields: Partial<PaymentIntent> = {}): PaymentView & { readonly charge: Charge } {
  const intent = anIntent({
    status: "requires_capture",
    version: 3,
    captureMethod: "manual",
    captureBeforeMs: createdAtMs + 7 * 24 * 60 * 60 * 1000,
    amountCapturableMinor: 1099n,
    paymentMethod: { id: "pm_1", token: "pm_card_visa" },
    latestChargeId: "ch_1",
    ...fields,
  });
  return { intent, charge: aCharge({ capturedMinor: 0n }) };
}

/** A finished refund of 3.00 of `aCharge`. */
export function aRefund(fields: Partial<Refund> = {}): Refund {
  return {
    id: "re_1",
    accountId: "acct_1",
    intentId: "pi_1",
    chargeId: "ch_1",
    version: 2,
    status: "succeeded",
    amountMinor: 300n,
    currency: "eur",
    reason: null,
    metadata: {},
    createdAtMs: createdAtMs + 2_000,
    acceptedAtMs: createdAtMs + 2_100,
    ...fields,
  };
}

/** A refund with its payment. */
export function aRefundView(fields: Partial<Refund> = {}): PaymentView & { readonly refund: Refund } {
  return { ...aPaidView(), charge: aCharge({ refundedMinor: 300n, version: 3 }), refund: aRefund(fields) };
}

/** An intent whose first try was declined, with its failed charge. */
export function aDeclinedView(
  token = "pm_card_visa_chargeDeclinedInsufficientFunds",
  failure: NonNullable<Charge["failure"]> = {
    code: "card_declined",
    declineCode: "insufficient_funds",
    message: "Your card has insufficient funds.",
  },
): PaymentView {
  const charge = aCharge({
    status: "failed",
    capturedMinor: 0n,
    paymentMethodToken: token,
    acquirerReference: null,
    failure,
  });
  const lastPaymentError = { ...failure, chargeId: charge.id, paymentMethod: { id: "pm_1", token } };
  return { intent: anIntent({ version: 3, latestChargeId: charge.id, lastPaymentError }), charge };
}
