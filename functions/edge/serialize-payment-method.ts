/**
 * Payment methods as the API shows them: a whole object inside errors, and the details of a charge.
 * It never shows more of a card or an account than brand and last digits, since nothing else enters the system.
 */
import type Stripe from "stripe";
import { digestOf } from "../domain/consumption.ts";
import type { PaymentMethodReference } from "../domain/payment-intent.ts";
import { type TestPaymentMethod, testPaymentMethod } from "../domain/payment-methods.ts";
import { wireSeconds } from "./wire-scalars.ts";

/**
 * The payment method of one intent (types of the client, all non-optional fields).
 * @param createdAtMs creation of its intent: a payment method here belongs to one intent and keeps no time of its own
 */
export function serializePaymentMethod(reference: PaymentMethodReference, createdAtMs: number): Stripe.PaymentMethod {
  const known = testPaymentMethod(reference.token);
  return {
    id: reference.id,
    object: "payment_method",
    billing_details: billingDetails(null),
    ...shownOf(known),
    created: wireSeconds(createdAtMs),
    customer: null,
    customer_account: null,
    livemode: false,
    metadata: {},
    type: known?.type ?? "card",
  };
}

function shownOf(known: TestPaymentMethod | undefined): Pick<Stripe.PaymentMethod, "card" | "us_bank_account"> {
  if (known === undefined) return {};
  return known.type === "card" ? { card: cardOf(known) } : { us_bank_account: bankAccountOf(known) };
}

/**
 * `payment_method_details` of a charge; only the type when the token is not one of the test payment methods.
 * @param amountAuthorized minor units that the network promised; null when it refused
 */
export function serializePaymentMethodDetails(
  token: string,
  amountAuthorized: number | null,
): Stripe.Charge.PaymentMethodDetails {
  const known = testPaymentMethod(token);
  if (known === undefined) return { type: "card" };
  if (known.type === "us_bank_account") {
    const { bank_name, last4, routing_number } = bankAccountOf(known);
    const account = { ...testAccount, bank_name, fingerprint: null, last4, payment_reference: null, routing_number };
    return { type: "us_bank_account", us_bank_account: account };
  }
  return {
    card: {
      amount_authorized: amountAuthorized,
      authorization_code: null,
      brand: known.brand,
      checks: null,
      country: null,
      electronic_commerce_indicator: null,
      // The same for every payment by one card: what a rule about cards compares.
      fingerprint: digestOf("card", token).slice(0, 16),
      ...testCard,
      installments: null,
      last4: known.last4,
      mandate: null,
      network: known.brand,
      network_transaction_id: null,
      regulated_status: null,
      three_d_secure: null,
      transaction_link_id: null,
      wallet: null,
    },
    type: "card",
  };
}

/** Billing details with nothing but, at most, the address for the receipt; the API takes no others. */
export function billingDetails(email: string | null): Stripe.Charge.BillingDetails {
  return { address: null, email, name: null, phone: null, tax_id: null };
}

function bankAccountOf(known: TestPaymentMethod): Stripe.PaymentMethod.UsBankAccount {
  return {
    ...testAccount,
    bank_name: known.brand,
    financial_connections_account: null,
    fingerprint: null,
    last4: known.last4,
    networks: null,
    routing_number: "110000000",
    status_details: null,
  };
}

/** What every test account says of itself. */
const testAccount = { account_holder_type: "individual", account_type: "checking" } as const;

function cardOf(known: { readonly brand: string; readonly last4: string }): Stripe.PaymentMethod.Card {
  return {
    brand: known.brand,
    checks: null,
    country: null,
    display_brand: known.brand,
    ...testCard,
    generated_from: null,
    last4: known.last4,
    networks: { available: [known.brand], preferred: null },
    regulated_status: null,
    three_d_secure_usage: null,
    wallet: null,
  };
}

/**
 * What every test card says of itself. The client's types demand an expiry, and a token has none: a month far enough
 * away that no demonstration meets it.
 */
const testCard = { exp_month: 12, exp_year: 2034, funding: "unknown" } as const;
