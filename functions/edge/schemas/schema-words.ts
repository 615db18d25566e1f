// The words that the schemas of answers are made of: scalars, choices, and the parts that several objects share.
// It must never describe a whole object of the API.
import type Stripe from "stripe";
import { nullable, objectOf, type Schema } from "./json-schema.ts";

/** Any text. */
export const text: Schema = { type: "string" };
/** A whole number. */
export const integer: Schema = { type: "integer" };
/** An amount in minor units, never negative. */
export const amount: Schema = { type: "integer", minimum: 0 };
/** Seconds: a time in milliseconds would be beyond the year 5000, and one below 2001 is no time of ours. */
export const seconds: Schema = { type: "integer", minimum: 1_000_000_000 };
/** What this API never fills. */
export const nothing: Schema = { type: "null" };
/** What is never true here. */
export const no: Schema = { const: false };
/** One of a few words, and no other. */
export const choice = (...values: readonly string[]): Schema => ({ type: "string", enum: values });
/** An id with its prefix. */
export const id = (prefix: string): Schema => ({ type: "string", pattern: `^${prefix}_[A-Za-z0-9]+$` });
/** A currency code, in lower case. */
export const currency: Schema = { type: "string", pattern: "^[a-z]{3}$" };
/** Text under free names. */
export const metadata: Schema = { type: "object", additionalProperties: text };
/** Where a code is explained. */
export const documentation: Schema = {
  type: "string",
  pattern: "^https://docs\\.stripe\\.com/error-codes/[a-z]+(-[a-z]+)*$",
};
/** Brands of the test cards. */
export const brand = choice("amex", "diners", "discover", "jcb", "mastercard", "unionpay", "visa");
/** How a card is funded. */
export const funding = choice("credit", "debit", "prepaid", "unknown");
/** The last digits of a card. */
export const lastFour: Schema = { type: "string", pattern: "^[0-9]{4}$" };
/** Codes of declines (contract section 5.4). */
export const declineCodes = [
  "card_declined",
  "expired_card",
  "incorrect_cvc",
  "processing_error",
  "authentication_required",
  "insufficient_funds",
  "account_closed",
  "payment_intent_authentication_failure",
];

/** Where something is. */
export const address = objectOf<Stripe.Address>({
  city: nullable(text),
  country: nullable(text),
  line1: nullable(text),
  line2: nullable(text),
  postal_code: nullable(text),
  state: nullable(text),
});

/** Whom a charge is billed to. */
export const billingDetails = objectOf<Stripe.Charge.BillingDetails>({
  address: nullable(address),
  email: nullable(text),
  name: nullable(text),
  phone: nullable(text),
  tax_id: nullable(text),
});
