// The calls on payment intents and charges with all their fields, for the table of bad input.
// It must never be read from the code: a field that one of the two does not know turns a test red.

import { listIntents, showCharge, showIntent } from "../../functions/edge/payment-intent-endpoints.ts";
import {
  cancelParameters,
  captureParameters,
  confirmParameters,
  createParameters,
  updateParameters,
} from "../../functions/edge/payment-intent-parameters.ts";
import type { FieldDescription } from "./bad-values.ts";
import { type EndpointDescription, expanding, listing, metadataFields, readerOf } from "./endpoint-description.ts";

const addressLines = ["city", "country", "line1", "line2", "postal_code", "state"];
const shipping: readonly FieldDescription[] = [
  { name: "shipping", kind: "object", clearable: true },
  { name: "shipping[name]", kind: "text", required: true, clearable: true, beside: ["shipping[address][city]=B"] },
  ...["carrier", "phone", "tracking_number"].map((line): FieldDescription => {
    const beside = ["shipping[name]=A", "shipping[address][city]=B"];
    return { name: `shipping[${line}]`, kind: "text", clearable: true, beside };
  }),
  { name: "shipping[address]", kind: "object", required: true, beside: ["shipping[name]=A"] },
  ...addressLines.map((line): FieldDescription => {
    const beside = ["shipping[name]=A", `shipping[address][${line === "city" ? "state" : "city"}]=B`];
    return { name: `shipping[address][${line}]`, kind: "text", clearable: true, beside };
  }),
];

const describing: readonly FieldDescription[] = [
  { name: "customer", kind: "id", clearable: true },
  { name: "description", kind: "text", clearable: true },
  ...metadataFields,
  { name: "receipt_email", kind: "email", clearable: true },
  { name: "setup_future_usage", kind: "choice", clearable: true },
  { name: "statement_descriptor", kind: "text", clearable: true },
  { name: "statement_descriptor_suffix", kind: "text", clearable: true },
  { name: "transfer_group", kind: "text", clearable: true },
  ...shipping,
];

const methodTypes: readonly FieldDescription[] = [
  { name: "payment_method_types", kind: "list" },
  { name: "payment_method_types[0]", kind: "choice", entry: true },
];

const confirming: readonly FieldDescription[] = [
  { name: "return_url", kind: "url" },
  { name: "off_session", kind: "choice" },
  { name: "error_on_requires_action", kind: "choice" },
];

const wholeShipping = "shipping[name]=A&shipping[address][city]=B";

/** Every call on an intent or a charge that has parameters. */
export const paymentEndpoints: readonly EndpointDescription[] = [
  {
    title: "create",
    needs: "nothing",
    method: "POST",
    path: () => "/v1/payment_intents",
    base: () => ["amount=2000", "currency=usd"],
    whole: `amount=2000&currency=usd&automatic_payment_methods[enabled]=true&${wholeShipping}`,
    read: (parameters) => createParameters(parameters, "https://api.example.test"),
    fields: [
      { name: "amount", kind: "amount", required: true },
      { name: "currency", kind: "currency", required: true },
      { name: "confirm", kind: "choice" },
      { name: "payment_method", kind: "paymentMethod" },
      { name: "automatic_payment_methods", kind: "object" },
      {
        name: "automatic_payment_methods[enabled]",
        kind: "choice",
        required: true,
        beside: ["automatic_payment_methods[allow_redirects]=never"],
      },
      {
        name: "automatic_payment_methods[allow_redirects]",
        kind: "choice",
        beside: ["automatic_payment_methods[enabled]=true"],
      },
      { name: "capture_method", kind: "choice" },
      { name: "confirmation_method", kind: "choice" },
      ...methodTypes,
      ...describing,
      ...confirming,
      ...expanding,
    ],
  },
  {
    title: "update",
    needs: "open",
    method: "POST",
    path: ({ intent }) => `/v1/payment_intents/${intent}`,
    base: () => [],
    whole: wholeShipping,
    read: updateParameters,
    fields: [
      { name: "amount", kind: "amount" },
      { name: "currency", kind: "currency" },
      { name: "payment_method", kind: "paymentMethod", clearable: true },
      { name: "capture_method", kind: "choice" },
      ...methodTypes,
      ...describing,
      ...expanding,
    ],
  },
  {
    title: "confirm",
    needs: "open",
    method: "POST",
    path: ({ intent }) => `/v1/payment_intents/${intent}/confirm`,
    base: () => [],
    whole: wholeShipping,
    read: (parameters) => confirmParameters(parameters, "https://api.example.test"),
    fields: [
      { name: "payment_method", kind: "paymentMethod" },
      { name: "capture_method", kind: "choice" },
      { name: "receipt_email", kind: "email", clearable: true },
      { name: "setup_future_usage", kind: "choice", clearable: true },
      ...shipping,
      ...confirming,
      ...expanding,
    ],
  },
  {
    title: "capture",
    needs: "held",
    method: "POST",
    path: ({ intent }) => `/v1/payment_intents/${intent}/capture`,
    base: () => [],
    whole: "",
    read: captureParameters,
    fields: [
      { name: "amount_to_capture", kind: "amount" },
      { name: "final_capture", kind: "choice" },
      ...metadataFields,
      ...expanding,
    ],
  },
  {
    title: "cancel",
    needs: "open",
    method: "POST",
    path: ({ intent }) => `/v1/payment_intents/${intent}/cancel`,
    base: () => [],
    whole: "",
    read: cancelParameters,
    fields: [{ name: "cancellation_reason", kind: "choice" }, ...expanding],
  },
  {
    title: "retrieve",
    needs: "open",
    method: "GET",
    path: ({ intent }) => `/v1/payment_intents/${intent}`,
    base: () => [],
    whole: "",
    read: readerOf(showIntent),
    fields: [{ name: "client_secret", kind: "text" }, ...expanding],
  },
  {
    title: "list",
    needs: "nothing",
    method: "GET",
    path: () => "/v1/payment_intents",
    base: () => [],
    whole: "created[gt]=1",
    read: readerOf(listIntents),
    fields: [{ name: "customer", kind: "id" }, ...listing],
  },
  {
    title: "retrieve charge",
    needs: "paid",
    method: "GET",
    path: ({ charge }) => `/v1/charges/${charge}`,
    base: () => [],
    whole: "",
    read: readerOf(showCharge),
    fields: expanding,
  },
];
