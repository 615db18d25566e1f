/**
 * What each payment-intent endpoint takes, and how its parameters become the words of the flows (contract section 5.2).
 * It never looks at a store: everything refused here leaves the idempotency key free.
 */
import { refuse } from "../domain/errors.ts";
import { checkAmount } from "../domain/money.ts";
import { type IntentChanges, mergeMetadata } from "../domain/payment-intent.ts";
import { requireAllowedType } from "../domain/payment-methods.ts";
import type { Change } from "../flows/change-payment-intent.ts";
import type { CreateInput } from "../flows/create-payment-intent.ts";
import type { Parsed } from "./endpoint.ts";
import type { ParameterMap } from "./parameter-tree.ts";
import {
  askingOf,
  confirming,
  currency,
  describing,
  detailsOf,
  everyType,
  expanding,
  noDetails,
  paymentMethodToken,
  paymentMethodTypes,
  refuseWithoutConfirm,
  shippingOf,
} from "./payment-intent-fields.ts";
import { clearable, object, optional, readParameters, required, withDefault } from "./read-parameters.ts";
import { amountMinor, boolean, oneOf } from "./scalar-readers.ts";

/**
 * Parameters of `POST /v1/payment_intents`.
 * @throws DomainError naming the first parameter at fault
 */
export function createParameters(parameters: ParameterMap, baseUrl: string): Parsed<CreateInput> {
  const values = readParameters(parameters, {
    amount: required(amountMinor()),
    currency: required(currency),
    confirm: withDefault(boolean(), false),
    payment_method: optional(paymentMethodToken),
    payment_method_types: optional(paymentMethodTypes),
    automatic_payment_methods: optional(
      object({ enabled: required(boolean()), allow_redirects: optional(oneOf(["always", "never"])) }),
    ),
    capture_method: withDefault(oneOf(["automatic", "automatic_async", "manual"]), "automatic_async"),
    confirmation_method: withDefault(oneOf(["automatic", "manual"]), "automatic"),
    ...describing,
    ...confirming,
    ...expanding,
  });
  checkAmount(values.amount, values.currency);
  const token = values.payment_method ?? null;
  if (values.confirm && token === null) {
    throw refuse("parameter_missing", "You must provide a payment method when you confirm. Pass payment_method.", {
      param: "payment_method",
    });
  }
  const automatic = values.automatic_payment_methods;
  const types = values.payment_method_types ?? (automatic?.enabled === true ? everyType : ["card"]);
  if (token !== null) requireAllowedType(token, types);
  if (!values.confirm) refuseWithoutConfirm(values);
  return {
    expand: values.expand,
    input: {
      amountMinor: values.amount,
      currency: values.currency,
      captureMethod: values.capture_method,
      confirmationMethod: values.confirmation_method,
      paymentMethodToken: token,
      confirm: values.confirm,
      asking: askingOf(values, baseUrl),
      details: {
        ...noDetails,
        ...definedOnly(detailsOf(values)),
        metadata: mergeMetadata({}, values.metadata),
        paymentMethodTypes: types,
        automaticPaymentMethods:
          automatic === undefined
            ? null
            : { enabled: automatic.enabled, allowRedirects: automatic.allow_redirects ?? null },
      },
    },
  };
}

/** Parameters of `POST /v1/payment_intents/:id`. @throws DomainError naming the first parameter at fault */
export function updateParameters(parameters: ParameterMap): Parsed<Change> {
  const values = readParameters(parameters, {
    amount: optional(amountMinor()),
    currency: optional(currency),
    payment_method: optional(clearable(paymentMethodToken)),
    payment_method_types: optional(paymentMethodTypes),
    capture_method: optional(oneOf(["automatic", "automatic_async", "manual"])),
    ...describing,
    ...expanding,
  });
  // With one of the two alone the intent decides, and that is execution already.
  if (values.amount !== undefined && values.currency !== undefined) checkAmount(values.amount, values.currency);
  const changes: IntentChanges = {
    ...definedOnly(detailsOf(values)),
    ...definedOnly({
      amountMinor: values.amount,
      currency: values.currency,
      captureMethod: values.capture_method,
      paymentMethodToken: values.payment_method,
      paymentMethodTypes: values.payment_method_types,
      metadata: values.metadata,
    }),
  };
  return { expand: values.expand, input: { kind: "update", changes } };
}

/** Parameters of `POST /v1/payment_intents/:id/confirm`. @throws DomainError naming the first parameter at fault */
export function confirmParameters(parameters: ParameterMap, baseUrl: string): Parsed<Change> {
  const values = readParameters(parameters, {
    payment_method: optional(paymentMethodToken),
    capture_method: optional(oneOf(["automatic", "automatic_async", "manual"])),
    receipt_email: describing.receipt_email,
    setup_future_usage: describing.setup_future_usage,
    shipping: describing.shipping,
    ...confirming,
    ...expanding,
  });
  const changes: IntentChanges = definedOnly({
    captureMethod: values.capture_method,
    paymentMethodToken: values.payment_method,
    receiptEmail: values.receipt_email,
    setupFutureUsage: values.setup_future_usage,
    shipping: shippingOf(values.shipping),
  });
  return { expand: values.expand, input: { kind: "confirm", changes, asking: askingOf(values, baseUrl) } };
}

/** Parameters of `POST /v1/payment_intents/:id/capture`. @throws DomainError naming the first parameter at fault */
export function captureParameters(parameters: ParameterMap): Parsed<Change> {
  const values = readParameters(parameters, {
    amount_to_capture: optional(amountMinor()),
    final_capture: optional(oneOf(["true"])),
    metadata: describing.metadata,
    ...expanding,
  });
  const amount = values.amount_to_capture ?? null;
  return { expand: values.expand, input: { kind: "capture", amountMinor: amount, metadata: values.metadata } };
}

/** Parameters of `POST /v1/payment_intents/:id/cancel`. @throws DomainError naming the first parameter at fault */
export function cancelParameters(parameters: ParameterMap): Parsed<Change> {
  const values = readParameters(parameters, {
    cancellation_reason: optional(oneOf(["duplicate", "fraudulent", "requested_by_customer", "abandoned"])),
    ...expanding,
  });
  return { expand: values.expand, input: { kind: "cancel", reason: values.cancellation_reason ?? null } };
}

/** Leaves out what was not sent, because an absent field stays and a null one clears. */
function definedOnly<Values extends object>(
  values: Values,
): { [Name in keyof Values]?: Exclude<Values[Name], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Values]?: Exclude<Values[Name], undefined>;
  };
}
