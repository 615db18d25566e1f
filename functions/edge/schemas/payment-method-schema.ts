// The shape of a payment method, as strict as those of `answer-schemas.ts`.
// It must never follow the serializers: required fields come from the client's types, values from the contract.
import type Stripe from "stripe";
import { nullable, objectOf } from "./json-schema.ts";
import {
  billingDetails,
  brand,
  choice,
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

/** A payment method. */
export const paymentMethod = objectOf<Stripe.PaymentMethod>(
  {
    id: id("pm"),
    object: { const: "payment_method" },
    billing_details: billingDetails,
    created: seconds,
    customer: nullable(text),
    customer_account: nothing,
    livemode: no,
    metadata: nullable(metadata),
    type: choice("card", "us_bank_account"),
  },
  {
    us_bank_account: objectOf<Stripe.PaymentMethod.UsBankAccount>({
      account_holder_type: choice("individual", "company"),
      account_type: choice("checking", "savings"),
      bank_name: nullable(text),
      financial_connections_account: nothing,
      fingerprint: nothing,
      last4: lastFour,
      networks: nothing,
      routing_number: nullable(text),
      status_details: nothing,
    }),
    card: objectOf<Stripe.PaymentMethod.Card>({
      brand,
      checks: nothing,
      country: nothing,
      display_brand: nullable(brand),
      exp_month: integer,
      exp_year: integer,
      funding,
      generated_from: nothing,
      last4: lastFour,
      networks: nullable(
        objectOf<Stripe.PaymentMethod.Card.Networks>({
          available: { type: "array", items: brand },
          preferred: nullable(brand),
        }),
      ),
      regulated_status: nothing,
      three_d_secure_usage: nothing,
      wallet: nothing,
    }),
  },
);
