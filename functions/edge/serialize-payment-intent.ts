/**
 * A payment intent in the words of the API (contract section 5.1), typed as the official client's own type.
 * It never decides anything and never loads anything: its latest charge stays an id here (see `expand.ts`).
 */
import type Stripe from "stripe";
import type {
  AutomaticPaymentMethods,
  LastPaymentError,
  NextAction,
  PaymentIntent,
  Shipping,
} from "../domain/payment-intent.ts";
import { cardError } from "./error-table.ts";
import { serializePaymentMethod } from "./serialize-payment-method.ts";
import { wireAmount, wireMetadata, wireSeconds } from "./wire-scalars.ts";

/** The intent with every field that the client's type promises; amounts in minor units, times in seconds. */
export function serializePaymentIntent(intent: PaymentIntent): Stripe.PaymentIntent {
  return {
    id: intent.id,
    object: "payment_intent",
    allowed_payment_method_types: null,
    amount: wireAmount(intent.amountMinor),
    amount_capturable: wireAmount(intent.amountCapturableMinor),
    amount_received: wireAmount(intent.amountReceivedMinor),
    application: null,
    application_fee_amount: null,
    automatic_payment_methods: automaticOf(intent.automaticPaymentMethods),
    canceled_at: intent.canceledAtMs === null ? null : wireSeconds(intent.canceledAtMs),
    cancellation_reason: intent.cancellationReason,
    capture_method: intent.captureMethod,
    client_secret: intent.clientSecret,
    confirmation_method: intent.confirmationMethod,
    created: wireSeconds(intent.createdAtMs),
    currency: intent.currency,
    customer: intent.customer,
    customer_account: null,
    description: intent.description,
    excluded_payment_method_types: null,
    last_payment_error: lastErrorOf(intent.lastPaymentError, intent.createdAtMs),
    latest_charge: intent.latestChargeId,
    livemode: false,
    managed_payments: null,
    metadata: wireMetadata(intent.metadata),
    next_action: nextActionOf(intent.nextAction),
    on_behalf_of: null,
    payment_method: intent.paymentMethod?.id ?? null,
    payment_method_configuration_details: null,
    payment_method_options: null,
    payment_method_types: [...intent.paymentMethodTypes],
    payment_record: null,
    processing: null,
    receipt_email: intent.receiptEmail,
    review: null,
    setup_future_usage: intent.setupFutureUsage,
    shipping: shippingOf(intent.shipping),
    source: null,
    statement_descriptor: intent.statementDescriptor,
    statement_descriptor_suffix: intent.statementDescriptorSuffix,
    status: intent.status,
    transfer_group: intent.transferGroup,
  };
}

function automaticOf(automatic: AutomaticPaymentMethods | null): Stripe.PaymentIntent.AutomaticPaymentMethods | null {
  if (automatic === null) return null;
  const { enabled, allowRedirects } = automatic;
  return { ...(allowRedirects === null ? {} : { allow_redirects: allowRedirects }), enabled };
}

/** A redirect for who named a place to come back to; else the merchant's page shows the challenge (contract section 5.4). */
function nextActionOf(action: NextAction | null): Stripe.PaymentIntent.NextAction | null {
  if (action === null) return null;
  const { url, returnUrl } = action;
  if (returnUrl === null)
    return { type: "use_stripe_sdk", use_stripe_sdk: { type: "three_d_secure_redirect", stripe_js: url } };
  return { type: "redirect_to_url", redirect_to_url: { url, return_url: returnUrl } };
}

function lastErrorOf(
  error: LastPaymentError | null,
  createdAtMs: number,
): Stripe.PaymentIntent.LastPaymentError | null {
  if (error === null) return null;
  const { type, code, decline_code, doc_url, message, param } = cardError(error);
  return {
    ...(error.chargeId === null ? {} : { charge: error.chargeId }),
    ...(code === undefined ? {} : { code }),
    ...(decline_code === undefined ? {} : { decline_code }),
    ...(doc_url === undefined ? {} : { doc_url }),
    message,
    ...(param === undefined ? {} : { param }),
    payment_method: serializePaymentMethod(error.paymentMethod, createdAtMs),
    type,
  };
}

function shippingOf(shipping: Shipping | null): Stripe.PaymentIntent.Shipping | null {
  if (shipping === null) return null;
  const { line1, line2, city, state, postal_code, country } = shipping.address;
  return {
    address: { city, country, line1, line2, postal_code, state },
    carrier: shipping.carrier,
    // The client's type has an optional name, never a null one.
    ...(shipping.name === null ? {} : { name: shipping.name }),
    phone: shipping.phone,
    tracking_number: shipping.trackingNumber,
  };
}
