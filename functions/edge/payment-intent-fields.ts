/**
 * The parameters that several payment-intent endpoints share, and their values in the words of the domain.
 * It never accepts a card number: only tokens of payment methods enter the system.
 */
import type { Asking } from "../domain/challenge.ts";
import { refuse } from "../domain/errors.ts";
import { readCurrency } from "../domain/money.ts";
import type { AddressLine, Shipping } from "../domain/payment-intent.ts";
import { testPaymentMethod } from "../domain/payment-methods.ts";
import { list, metadata } from "./collection-readers.ts";
import { clearable, object, optional, type Reader, required, withDefault } from "./read-parameters.ts";
import { boolean, id, oneOf, scalar, text, url } from "./scalar-readers.ts";

/** A currency we take, folded to lower case. */
export const currency: Reader<ReturnType<typeof readCurrency>> = (parameter, path) =>
  readCurrency(scalar(parameter, path, "a currency code"));

/** Only tokens enter the system; something that looks like a card number is refused without being repeated. */
export const paymentMethodToken: Reader<string> = (parameter, path) => {
  const token = scalar(parameter, path, "the id of a payment method");
  if (/^[0-9][0-9 -]{10,}$/.test(token)) {
    throw refuse("card_data_refused", "Card numbers are not accepted. Pass the id of a payment method.", {
      param: "payment_method",
    });
  }
  if (testPaymentMethod(token) === undefined) {
    throw refuse("resource_missing", `No such PaymentMethod: '${token.slice(0, 80).toWellFormed()}'`, {
      param: "payment_method",
    });
  }
  return token;
};

/** An address that a mail system could take; whether it exists only a delivery can show. */
const email: Reader<string> = (parameter, path) => {
  const address = text({ charactersMax: 800 })(parameter, path);
  if (!/^[^\s@]+@[^\s@]+$/.test(address)) {
    throw refuse("parameter_invalid", `Invalid email address: ${address.slice(0, 80).toWellFormed()}`, {
      param: "receipt_email",
    });
  }
  return address;
};

const line = clearable(text({ charactersMax: 500 }));

/** Fields that describe a payment; all of them may be cleared by an empty value (contract section 2). */
export const describing = {
  customer: optional(clearable(id({ noun: "customer", prefix: "cus_" }))),
  description: optional(clearable(text({ charactersMax: 1000 }))),
  metadata: optional(metadata()),
  receipt_email: optional(clearable(email)),
  setup_future_usage: optional(clearable(oneOf(["on_session", "off_session"]))),
  statement_descriptor: optional(clearable(text({ charactersMax: 22 }))),
  statement_descriptor_suffix: optional(clearable(text({ charactersMax: 22 }))),
  transfer_group: optional(clearable(text({ charactersMax: 500 }))),
  shipping: optional(
    clearable(
      object({
        name: required(line),
        phone: withDefault(line, null),
        carrier: withDefault(line, null),
        tracking_number: withDefault(line, null),
        address: required(
          object({
            line1: withDefault(line, null),
            line2: withDefault(line, null),
            city: withDefault(line, null),
            state: withDefault(line, null),
            postal_code: withDefault(line, null),
            country: withDefault(line, null),
          }),
        ),
      }),
    ),
  ),
};

/** Parameters of a confirm about the buyer: are they there, may they be asked, and where do they go afterwards. */
export const confirming = {
  return_url: optional(url()),
  off_session: optional(oneOf(["true", "false", "one_off", "recurring"])),
  error_on_requires_action: optional(boolean()),
};

/** Values of `confirming`, as they were read. */
interface ConfirmingValues {
  readonly return_url?: string | undefined;
  readonly off_session?: string | undefined;
  readonly error_on_requires_action?: boolean | undefined;
}

/** Whether and how the buyer may be asked who they are: not when they are away, nor when the client rather fails. */
export function askingOf(values: ConfirmingValues, baseUrl: string): Asking {
  const isAway = values.off_session !== undefined && values.off_session !== "false";
  return {
    isAllowed: !isAway && values.error_on_requires_action !== true,
    baseUrl,
    merchantReturnUrl: values.return_url ?? null,
  };
}

/**
 * Makes sure that a create without confirm says nothing about one: it would be lost.
 * @throws DomainError `parameter_invalid` naming the parameter
 */
export function refuseWithoutConfirm(values: ConfirmingValues): void {
  for (const name of ["return_url", "off_session", "error_on_requires_action"] as const) {
    if (values[name] === undefined) continue;
    throw refuse("parameter_invalid", `${name} can only be passed together with confirm=true.`, { param: name });
  }
}

/** The kinds of payment methods there are. */
export const everyType = ["card", "us_bank_account"] as const;

/** Kinds of payment methods that an intent takes. */
export const paymentMethodTypes = list(oneOf(everyType), { entriesMax: 20 });

/** Paths to expand; each is checked against what the answer shows. */
export const expanding = { expand: withDefault(list(text({ charactersMax: 200 }), { entriesMax: 20 }), []) };

/** Values of `describing`, as they were read. */
export interface DescribingValues {
  readonly customer?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly receipt_email?: string | null | undefined;
  readonly setup_future_usage?: "on_session" | "off_session" | null | undefined;
  readonly statement_descriptor?: string | null | undefined;
  readonly statement_descriptor_suffix?: string | null | undefined;
  readonly transfer_group?: string | null | undefined;
  readonly shipping?: ShippingValues | null | undefined;
}

interface ShippingValues {
  readonly name: string | null;
  readonly phone: string | null;
  readonly carrier: string | null;
  readonly tracking_number: string | null;
  readonly address: Readonly<Record<AddressLine, string | null>>;
}

/** Describing values in the words of the domain; what was not sent is undefined. */
export function detailsOf(values: DescribingValues) {
  return {
    customer: values.customer,
    description: values.description,
    receiptEmail: values.receipt_email,
    setupFutureUsage: values.setup_future_usage,
    statementDescriptor: values.statement_descriptor,
    statementDescriptorSuffix: values.statement_descriptor_suffix,
    transferGroup: values.transfer_group,
    shipping: shippingOf(values.shipping),
  };
}

/** A shipping address in the words of the domain. */
export function shippingOf(values: ShippingValues | null | undefined): Shipping | null | undefined {
  if (values === undefined || values === null) return values;
  const { tracking_number: trackingNumber, ...rest } = values;
  return { ...rest, trackingNumber };
}

/** Details of an intent of which nothing was sent. */
export const noDetails = {
  customer: null,
  description: null,
  receiptEmail: null,
  setupFutureUsage: null,
  statementDescriptor: null,
  statementDescriptorSuffix: null,
  transferGroup: null,
  shipping: null,
};
