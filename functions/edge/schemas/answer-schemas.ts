// The shapes of our answers, stricter than the official client's types: closed enums, no undescribed field.
// It must never follow the serializers: required fields come from the client's types, values from the contract.
import type Stripe from "stripe";
import type { WireAccount } from "../account-endpoint.ts";
import { balance, balanceTransaction } from "./balance-schemas.ts";
import { charge, refund } from "./charge-schemas.ts";
import { nullable, objectOf, type Schema } from "./json-schema.ts";
import { keyLife, ledgerHealth, paymentTimeline } from "./life-schemas.ts";
import { paymentMethod } from "./payment-method-schema.ts";
import {
  address,
  amount,
  choice,
  currency,
  declineCodes,
  documentation,
  id,
  integer,
  metadata,
  no,
  nothing,
  seconds,
  text,
} from "./schema-words.ts";
import { webhookAttempt, webhookDelivery, webhookEndpoint } from "./webhook-schemas.ts";

/** The objects that have a schema; `error` is a whole error body, `list` a page of what can be listed. */
export type SchemaKind =
  | ("payment_intent" | "charge" | "refund" | "event" | "payment_method" | "error" | "list")
  | ("account" | "balance" | "balance_transaction")
  | ("idempotency_key_life" | "payment_timeline" | "ledger_health")
  | "webhook_endpoint"
  | "webhook_delivery"
  | "webhook_attempt";

const errorType = choice("api_error", "card_error", "idempotency_error", "invalid_request_error");

const lastPaymentError = objectOf<Stripe.PaymentIntent.LastPaymentError>(
  { type: choice("card_error", "invalid_request_error") },
  {
    charge: id("ch"),
    code: choice(...declineCodes),
    decline_code: text,
    doc_url: documentation,
    message: text,
    param: choice("cvc"),
    payment_method: paymentMethod,
  },
);

const shipping = objectOf<Stripe.PaymentIntent.Shipping>(
  {},
  { address, carrier: nullable(text), name: text, phone: nullable(text), tracking_number: nullable(text) },
);

const paymentIntent = objectOf<Stripe.PaymentIntent>({
  id: id("pi"),
  object: { const: "payment_intent" },
  allowed_payment_method_types: nothing,
  amount,
  amount_capturable: amount,
  amount_received: amount,
  application: nothing,
  application_fee_amount: nothing,
  automatic_payment_methods: nullable(
    objectOf<Stripe.PaymentIntent.AutomaticPaymentMethods>(
      { enabled: { type: "boolean" } },
      { allow_redirects: choice("always", "never") },
    ),
  ),
  canceled_at: nullable(seconds),
  cancellation_reason: nullable(choice("duplicate", "fraudulent", "requested_by_customer", "abandoned", "automatic")),
  capture_method: choice("automatic", "automatic_async", "manual"),
  client_secret: nullable({ type: "string", pattern: "^pi_[A-Za-z0-9]+_secret_[A-Za-z0-9_-]+$" }),
  confirmation_method: choice("automatic", "manual"),
  created: seconds,
  currency,
  customer: nullable(text),
  customer_account: nothing,
  description: nullable(text),
  excluded_payment_method_types: nothing,
  last_payment_error: nullable(lastPaymentError),
  latest_charge: { anyOf: [id("ch"), nothing, { $ref: "charge" }] },
  livemode: no,
  managed_payments: nothing,
  metadata,
  next_action: nullable({
    anyOf: [
      objectOf<Stripe.PaymentIntent.NextAction>(
        { type: { const: "redirect_to_url" } },
        { redirect_to_url: objectOf({ url: text, return_url: text }) },
      ),
      objectOf<Stripe.PaymentIntent.NextAction>(
        { type: { const: "use_stripe_sdk" } },
        { use_stripe_sdk: objectOf({ type: { const: "three_d_secure_redirect" }, stripe_js: text }) },
      ),
    ],
  }),
  on_behalf_of: nothing,
  payment_method: nullable(id("pm")),
  payment_method_configuration_details: nothing,
  payment_method_options: nothing,
  payment_method_types: { type: "array", items: text },
  payment_record: nothing,
  processing: nothing,
  receipt_email: nullable(text),
  review: nothing,
  setup_future_usage: nullable(choice("on_session", "off_session")),
  shipping: nullable(shipping),
  source: nothing,
  statement_descriptor: nullable(text),
  statement_descriptor_suffix: nullable(text),
  status: choice(
    "requires_payment_method",
    "requires_confirmation",
    "requires_action",
    "processing",
    "requires_capture",
    "succeeded",
    "canceled",
  ),
  transfer_group: nullable(text),
});

const error: Schema = {
  type: "object",
  required: ["error"],
  properties: {
    error: {
      type: "object",
      required: ["type", "message"],
      properties: {
        type: errorType,
        code: choice(
          ...declineCodes,
          ...[
            "amount_too_large",
            "amount_too_small",
            "idempotency_key_in_use",
            "lock_timeout",
            "parameter_missing",
            "rate_limit",
          ],
          ...["parameter_invalid_empty", "parameter_invalid_integer", "parameter_unknown", "resource_missing"],
          ...["payment_intent_unexpected_state", "url_invalid", "charge_already_refunded"],
        ),
        decline_code: text,
        doc_url: documentation,
        message: { type: "string", pattern: "." },
        param: text,
        charge: id("ch"),
        payment_intent: paymentIntent,
        payment_method: paymentMethod,
      },
    },
  },
};

const event = objectOf<Stripe.EventBase & { object_version: number }>({
  id: id("evt"),
  object: { const: "event" },
  api_version: { const: "2026-10-28.endive" },
  created: seconds,
  data: objectOf<Stripe.Event.Data>({
    object: { anyOf: [{ $ref: "payment_intent" }, { $ref: "charge" }, { $ref: "refund" }] } as never,
  }),
  livemode: no,
  object_version: integer,
  pending_webhooks: integer,
  request: objectOf<Stripe.Event.Request>({ id: nullable(text), idempotency_key: nullable(text) }),
  type: choice(
    ...["payment_intent.created", "payment_intent.succeeded", "payment_intent.payment_failed"],
    ...["payment_intent.canceled", "payment_intent.amount_capturable_updated"],
    ...["charge.succeeded", "charge.failed", "charge.captured", "charge.refunded"],
    ...["refund.created", "refund.updated", "refund.failed"],
  ),
});

const list = objectOf<Stripe.ApiList<unknown>>({
  object: { const: "list" },
  url: { type: "string", pattern: "^/v1/[a-z_]+(/[A-Za-z0-9_]+/[a-z_]+)?$" },
  has_more: { type: "boolean" },
  data: {
    type: "array",
    items: {
      anyOf: [
        "payment_intent",
        "charge",
        "refund",
        "event",
        "webhook_endpoint",
        "webhook_delivery",
        "webhook_attempt",
        "balance_transaction",
      ].map((kind) => ({ $ref: kind })),
    },
  },
});

/** Each of them. */
export const schemas: Readonly<Record<SchemaKind, Schema>> = {
  payment_intent: paymentIntent,
  charge,
  refund,
  balance,
  balance_transaction: balanceTransaction,
  // Of the client's type it has what identifies it: the rest is about onboarding, which this project has not.
  account: objectOf<WireAccount>({ id: id("acct"), object: { const: "account" } }),
  idempotency_key_life: keyLife,
  payment_timeline: paymentTimeline,
  ledger_health: ledgerHealth,
  event,
  payment_method: paymentMethod,
  error,
  list,
  webhook_endpoint: webhookEndpoint,
  webhook_delivery: webhookDelivery,
  webhook_attempt: webhookAttempt,
};
