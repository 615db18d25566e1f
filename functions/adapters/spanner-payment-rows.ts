/**
 * Payments as rows of `payment_intents` and `charges`: money, state and what is searched in columns of their
 * own, all other fields as JSON. It must never put an amount or a state into JSON, where no constraint guards it.
 */
import type { Charge } from "../domain/charge.ts";
import type { PaymentIntent } from "../domain/payment-intent.ts";
import { type FoundColumns, reader, type SentColumns, sendJson, sendTime } from "./spanner-columns.ts";

/** The row of an intent; its list shard is computed by the schema. */
export function sendIntent(intent: PaymentIntent): SentColumns {
  return {
    intent_id: intent.id,
    account_id: intent.accountId,
    version: String(intent.version),
    status: intent.status,
    amount_minor: String(intent.amountMinor),
    amount_capturable_minor: String(intent.amountCapturableMinor),
    amount_received_minor: String(intent.amountReceivedMinor),
    currency: intent.currency,
    capture_method: intent.captureMethod,
    confirmation_method: intent.confirmationMethod,
    client_secret: intent.clientSecret,
    created_at: sendTime(intent.createdAtMs),
    canceled_at: sendTime(intent.canceledAtMs),
    capture_before: sendTime(intent.captureBeforeMs),
    cancellation_reason: intent.cancellationReason,
    payment_method_id: intent.paymentMethod?.id ?? null,
    payment_method_token: intent.paymentMethod?.token ?? null,
    latest_charge_id: intent.latestChargeId,
    last_payment_error: sendJson(intent.lastPaymentError),
    next_action: sendJson(intent.nextAction),
    authentication: intent.authentication,
    active_attempt_id: intent.activeAttemptId,
    customer: intent.customer,
    details: sendJson(intentDetails(intent)),
    metadata: sendJson(intent.metadata),
  };
}

/** The intent of a found row. */
export function readIntent(columns: FoundColumns): PaymentIntent {
  const read = reader(columns);
  const paymentMethodId = read.textOrNull("payment_method_id");
  return {
    ...read.json<ReturnType<typeof intentDetails>>("details"),
    id: read.text("intent_id"),
    accountId: read.text("account_id"),
    version: read.count("version"),
    status: read.text("status"),
    amountMinor: read.amount("amount_minor"),
    amountCapturableMinor: read.amount("amount_capturable_minor"),
    amountReceivedMinor: read.amount("amount_received_minor"),
    currency: read.text("currency"),
    captureMethod: read.text("capture_method"),
    confirmationMethod: read.text("confirmation_method"),
    clientSecret: read.text("client_secret"),
    createdAtMs: read.time("created_at"),
    canceledAtMs: read.timeOrNull("canceled_at"),
    captureBeforeMs: read.timeOrNull("capture_before"),
    cancellationReason: read.textOrNull("cancellation_reason"),
    paymentMethod: paymentMethodId === null ? null : { id: paymentMethodId, token: read.text("payment_method_token") },
    latestChargeId: read.textOrNull("latest_charge_id"),
    lastPaymentError: read.jsonOrNull("last_payment_error"),
    nextAction: read.jsonOrNull("next_action"),
    authentication: read.textOrNull("authentication"),
    activeAttemptId: read.textOrNull("active_attempt_id"),
    customer: read.textOrNull("customer"),
    metadata: read.json("metadata"),
  };
}

/** The row of a charge. */
export function sendCharge(charge: Charge): SentColumns {
  return {
    charge_id: charge.id,
    account_id: charge.accountId,
    intent_id: charge.intentId,
    attempt_id: charge.attemptId,
    version: String(charge.version),
    status: charge.status,
    amount_minor: String(charge.amountMinor),
    captured_minor: String(charge.capturedMinor),
    refund_reserved_minor: String(charge.refundReservedMinor),
    refunded_minor: String(charge.refundedMinor),
    currency: charge.currency,
    created_at: sendTime(charge.createdAtMs),
    payment_method_id: charge.paymentMethodId,
    payment_method_token: charge.paymentMethodToken,
    acquirer_reference: charge.acquirerReference,
    failure: sendJson(charge.failure),
    customer: charge.customer,
    details: sendJson(chargeDetails(charge)),
    metadata: sendJson(charge.metadata),
  };
}

/** The charge of a found row. */
export function readCharge(columns: FoundColumns): Charge {
  const read = reader(columns);
  return {
    ...read.json<ReturnType<typeof chargeDetails>>("details"),
    id: read.text("charge_id"),
    accountId: read.text("account_id"),
    intentId: read.text("intent_id"),
    attemptId: read.text("attempt_id"),
    version: read.count("version"),
    status: read.text("status"),
    amountMinor: read.amount("amount_minor"),
    capturedMinor: read.amount("captured_minor"),
    refundReservedMinor: read.amount("refund_reserved_minor"),
    refundedMinor: read.amount("refunded_minor"),
    currency: read.text("currency"),
    createdAtMs: read.time("created_at"),
    paymentMethodId: read.text("payment_method_id"),
    paymentMethodToken: read.text("payment_method_token"),
    acquirerReference: read.textOrNull("acquirer_reference"),
    failure: read.jsonOrNull("failure"),
    customer: read.textOrNull("customer"),
    metadata: read.json("metadata"),
  };
}

/** What of an intent no query asks for; the members of the JSON are the domain's names. */
function intentDetails(intent: PaymentIntent) {
  return {
    description: intent.description,
    receiptEmail: intent.receiptEmail,
    statementDescriptor: intent.statementDescriptor,
    statementDescriptorSuffix: intent.statementDescriptorSuffix,
    transferGroup: intent.transferGroup,
    setupFutureUsage: intent.setupFutureUsage,
    shipping: intent.shipping,
    paymentMethodTypes: intent.paymentMethodTypes,
    automaticPaymentMethods: intent.automaticPaymentMethods,
  };
}

function chargeDetails(charge: Charge) {
  return {
    description: charge.description,
    receiptEmail: charge.receiptEmail,
    statementDescriptor: charge.statementDescriptor,
    statementDescriptorSuffix: charge.statementDescriptorSuffix,
  };
}
