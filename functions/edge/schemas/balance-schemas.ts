// The shapes of the balance and its transactions, as strict as those of `answer-schemas.ts`.
// It must never follow the serializers: required fields come from the client's types, values from the contract.
import type Stripe from "stripe";
import { nullable, objectOf, type Schema } from "./json-schema.ts";
import { amount, choice, currency, id, integer, no, nothing, seconds, text } from "./schema-words.ts";

/** What is booked here. */
const bookingKind = choice("charge", "refund", "refund_failure");

/** A booking as the merchant sees it. */
export const balanceTransaction = objectOf<Stripe.BalanceTransaction>({
  id: id("txn"),
  object: { const: "balance_transaction" },
  amount: integer,
  available_on: seconds,
  balance_type: choice("payments"),
  created: seconds,
  currency,
  description: nullable(text),
  exchange_rate: nothing,
  fee: amount,
  fee_details: {
    type: "array",
    items: objectOf<Stripe.BalanceTransaction.FeeDetail>({
      amount: { type: "integer", minimum: 1 },
      application: nothing,
      currency,
      description: nullable(text),
      type: choice("stripe_fee"),
    }),
  },
  net: integer,
  reporting_category: bookingKind,
  source: { anyOf: [id("ch"), id("re"), { $ref: "charge" }, { $ref: "refund" }] },
  status: choice("pending", "available"),
  type: bookingKind,
});

const lines: Schema = {
  type: "array",
  items: objectOf<Stripe.Balance.Available>(
    { amount: integer, currency },
    { source_types: objectOf<Stripe.Balance.Available.SourceTypes>({}, { card: integer }) },
  ),
};

/** A balance. */
export const balance = objectOf<Stripe.Balance>({
  object: { const: "balance" },
  available: lines,
  livemode: no,
  pending: lines,
});
