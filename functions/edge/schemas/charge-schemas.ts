// The shapes of charges and refunds, as strict as those of `answer-schemas.ts`.
// It must never follow the serializers: required fields come from the client's types, values from the contract.
import type Stripe from "stripe";
import { nullable, objectOf } from "./json-schema.ts";
import {
  amount,
  billingDetails,
  brand,
  choice,
  currency,
  declineCodes,
  funding,
  id,
  integer,
  lastFour,
  metadata,
  no,
  nothing,
  seconds,
  text,
} from "./schema-words.ts";

const outcome = objectOf<Stripe.Charge.Outcome>(
  {
    advice_code: nothing,
    network_advice_code: nothing,
    network_decline_code: nothing,
    network_status: choice("approved_by_network", "declined_by_network", "not_sent_to_network"),
    reason: nullable(text),
    seller_message: nullable(text),
    type: choice("authorized", "issuer_declined", "blocked"),
  },
  { risk_level: choice("normal", "elevated", "highest") },
);

const cardDetails = objectOf<Stripe.Charge.PaymentMethodDetails.Card>(
  {
    amount_authorized: nullable(amount),
    authorization_code: nothing,
    brand,
    checks: nothing,
    country: nothing,
    electronic_commerce_indicator: nothing,
    exp_month: integer,
    exp_year: integer,
    funding,
    installments: nothing,
    last4: lastFour,
    mandate: nothing,
    network: brand,
    network_transaction_id: nothing,
    regulated_status: nothing,
    three_d_secure: nothing,
    transaction_link_id: nothing,
    wallet: nothing,
  },
  { fingerprint: text },
);

const bankDetails = objectOf<Stripe.Charge.PaymentMethodDetails.UsBankAccount>({
  account_holder_type: choice("individual", "company"),
  account_type: choice("checking", "savings"),
  bank_name: nullable(text),
  fingerprint: nothing,
  last4: lastFour,
  payment_reference: nothing,
  routing_number: nullable(text),
});

/** A charge. */
export const charge = objectOf<Stripe.Charge>({
  id: id("ch"),
  object: { const: "charge" },
  amount,
  amount_captured: amount,
  amount_refunded: amount,
  application: nothing,
  application_fee: nothing,
  application_fee_amount: nothing,
  balance_transaction: { anyOf: [id("txn"), nothing, { $ref: "balance_transaction" }] },
  billing_details: billingDetails,
  calculated_statement_descriptor: nullable(text),
  captured: { type: "boolean" },
  created: seconds,
  currency,
  customer: nullable(text),
  description: nullable(text),
  disputed: no,
  failure_balance_transaction: nothing,
  failure_code: nullable(choice(...declineCodes)),
  failure_message: nullable(text),
  fraud_details: nullable({ type: "object" }),
  livemode: no,
  metadata,
  on_behalf_of: nothing,
  outcome: nullable(outcome),
  paid: { type: "boolean" },
  payment_intent: { anyOf: [id("pi"), nothing, { $ref: "payment_intent" }] },
  payment_method: nullable(id("pm")),
  payment_method_details: nullable(
    objectOf<Stripe.Charge.PaymentMethodDetails>(
      { type: choice("card", "us_bank_account") },
      { card: cardDetails, us_bank_account: bankDetails },
    ),
  ),
  receipt_email: nullable(text),
  receipt_number: nothing,
  receipt_url: nothing,
  refunded: { type: "boolean" },
  review: nothing,
  shipping: nothing,
  source: nothing,
  source_transfer: nothing,
  statement_descriptor: nullable(text),
  statement_descriptor_suffix: nullable(text),
  status: choice("succeeded", "pending", "failed"),
  transfer_data: nothing,
  transfer_group: nothing,
});

/** A refund. */
export const refund = objectOf<Stripe.Refund>(
  {
    id: id("re"),
    object: { const: "refund" },
    amount: { type: "integer", minimum: 1 },
    balance_transaction: { anyOf: [id("txn"), nothing, { $ref: "balance_transaction" }] },
    charge: { anyOf: [id("ch"), { $ref: "charge" }] },
    created: seconds,
    currency,
    customer: nothing,
    customer_account: nothing,
    metadata,
    payment_intent: { anyOf: [id("pi"), { $ref: "payment_intent" }] },
    payment_method: id("pm"),
    reason: nullable(choice("duplicate", "fraudulent", "requested_by_customer")),
    receipt_number: nothing,
    source_transfer_reversal: nothing,
    status: choice("pending", "succeeded", "failed"),
    transfer_reversal: nothing,
  },
  {
    failure_balance_transaction: { anyOf: [id("txn"), { $ref: "balance_transaction" }] },
    failure_reason: choice("unknown"),
  },
);
