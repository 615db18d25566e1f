/**
 * A charge in the words of the API (contract section 6), typed as the official client's own type.
 * It never decides anything and never loads anything: the intent it belongs to stays an id here (see `expand.ts`).
 */
import type Stripe from "stripe";
import { bookingOfCharge } from "../domain/balance-transaction.ts";
import type { Charge } from "../domain/charge.ts";
import { billingDetails, serializePaymentMethodDetails } from "./serialize-payment-method.ts";
import { wireAmount, wireMetadata, wireSeconds } from "./wire-scalars.ts";

/** The charge with every field that the client's type promises; amounts in minor units, times in seconds. */
export function serializeCharge(charge: Charge): Stripe.Charge {
  const succeeded = charge.status === "succeeded";
  const amount = wireAmount(charge.amountMinor);
  return {
    id: charge.id,
    object: "charge",
    amount,
    amount_captured: wireAmount(charge.capturedMinor),
    amount_refunded: wireAmount(charge.refundedMinor),
    application: null,
    application_fee: null,
    application_fee_amount: null,
    // Null until something was captured: what is only held is not booked.
    balance_transaction: bookingOfCharge(charge),
    billing_details: billingDetails(null),
    calculated_statement_descriptor: charge.statementDescriptor,
    captured: charge.capturedMinor > 0n,
    created: wireSeconds(charge.createdAtMs),
    currency: charge.currency,
    customer: charge.customer,
    description: charge.description,
    disputed: false,
    failure_balance_transaction: null,
    failure_code: charge.failure?.code ?? null,
    failure_message: charge.failure?.message ?? null,
    fraud_details: {},
    livemode: false,
    metadata: wireMetadata(charge.metadata),
    on_behalf_of: null,
    outcome: outcomeOf(charge),
    paid: succeeded,
    payment_intent: charge.intentId,
    payment_method: charge.paymentMethodId,
    payment_method_details: serializePaymentMethodDetails(charge.paymentMethodToken, succeeded ? amount : null),
    receipt_email: charge.receiptEmail,
    receipt_number: null,
    receipt_url: null,
    // Only when nothing is left of it (contract section 6).
    refunded: charge.capturedMinor > 0n && charge.refundedMinor === charge.capturedMinor,
    review: null,
    shipping: null,
    source: null,
    source_transfer: null,
    statement_descriptor: charge.statementDescriptor,
    statement_descriptor_suffix: charge.statementDescriptorSuffix,
    status: charge.status,
    transfer_data: null,
    transfer_group: null,
  };
}

/** The one test card that is stopped before the network is asked; every other refusal comes from the issuer. */
const blockedToken = "pm_card_radarBlock";

/** Null while the network has not decided. */
function outcomeOf(charge: Charge): Stripe.Charge.Outcome | null {
  const codes = { advice_code: null, network_advice_code: null, network_decline_code: null };
  if (charge.status === "pending") return null;
  if (charge.failure === null) {
    return {
      ...codes,
      network_status: "approved_by_network",
      reason: null,
      risk_level: "normal",
      seller_message: "The payment was approved.",
      type: "authorized",
    };
  }
  if (charge.paymentMethodToken === blockedToken) {
    return {
      ...codes,
      network_status: "not_sent_to_network",
      reason: "highest_risk_level",
      risk_level: "highest",
      seller_message: "The payment was blocked as too risky.",
      type: "blocked",
    };
  }
  return {
    ...codes,
    network_status: "declined_by_network",
    reason: charge.failure.declineCode ?? charge.failure.code,
    risk_level: "normal",
    seller_message: "The card's issuer declined the payment.",
    type: "issuer_declined",
  };
}
