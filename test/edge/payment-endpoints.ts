// The calls of the payments API with all their fields, for the table of bad input; and a way to ask the code for its own list.
// It must never be read from the code: a field that one of the two does not know turns a test red.

import type { Call, EndpointDependencies } from "../../functions/edge/endpoint.ts";
import { parseForm } from "../../functions/edge/form-parameters.ts";
import type { Parameter, ParameterMap } from "../../functions/edge/parameter-tree.ts";
import {
  cancelParameters,
  confirmParameters,
  createParameters,
  updateParameters,
} from "../../functions/edge/payment-intent-parameters.ts";
import { listIntents, showCharge, showIntent } from "../../functions/edge/payments-reads.ts";
import type { FieldDescription } from "./bad-values.ts";

/** One call. */
export interface EndpointDescription {
  readonly title: string;
  readonly method: "GET" | "POST";
  /** Path of the call on an intent and a charge that exist. */
  readonly path: (ids: { readonly intent: string; readonly charge: string }) => string;
  /** The smallest good form. */
  readonly base: readonly string[];
  readonly fields: readonly FieldDescription[];
  /** A form in which every object is present, so that the code says which fields it looks for inside. */
  readonly whole: string;
  /** The code's own reader of the call's parameters; what it answers or throws does not matter here. */
  readonly read: (parameters: ParameterMap, deps: EndpointDependencies) => unknown;
}

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
  { name: "metadata", kind: "metadata" },
  { name: "metadata[k]", kind: "text", clearable: true, entry: true },
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

const expanding: readonly FieldDescription[] = [
  { name: "expand", kind: "list" },
  { name: "expand[0]", kind: "choice", entry: true },
];

const confirming: readonly FieldDescription[] = [
  { name: "return_url", kind: "url" },
  { name: "off_session", kind: "choice" },
  { name: "error_on_requires_action", kind: "choice" },
];

const wholeShipping = "shipping[name]=A&shipping[address][city]=B";

/** Every call that has parameters. */
export const endpoints: readonly EndpointDescription[] = [
  {
    title: "create",
    method: "POST",
    path: () => "/v1/payment_intents",
    base: ["amount=2000", "currency=usd"],
    whole: `amount=2000&currency=usd&automatic_payment_methods[enabled]=true&${wholeShipping}`,
    read: createParameters,
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
    method: "POST",
    path: ({ intent }) => `/v1/payment_intents/${intent}`,
    base: [],
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
    method: "POST",
    path: ({ intent }) => `/v1/payment_intents/${intent}/confirm`,
    base: [],
    whole: wholeShipping,
    read: confirmParameters,
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
    title: "cancel",
    method: "POST",
    path: ({ intent }) => `/v1/payment_intents/${intent}/cancel`,
    base: [],
    whole: "",
    read: cancelParameters,
    fields: [{ name: "cancellation_reason", kind: "choice" }, ...expanding],
  },
  {
    title: "retrieve",
    method: "GET",
    path: ({ intent }) => `/v1/payment_intents/${intent}`,
    base: [],
    whole: "",
    read: (parameters, deps) => showIntent(deps, callWith(parameters)),
    fields: [{ name: "client_secret", kind: "text" }, ...expanding],
  },
  {
    title: "list",
    method: "GET",
    path: () => "/v1/payment_intents",
    base: [],
    whole: "created[gt]=1",
    read: (parameters, deps) => listIntents(deps, callWith(parameters)),
    fields: [
      { name: "limit", kind: "integer" },
      { name: "starting_after", kind: "id" },
      { name: "ending_before", kind: "id" },
      { name: "customer", kind: "id" },
      { name: "created", kind: "range" },
      ...["gt", "gte", "lt", "lte"].map((bound): FieldDescription => {
        return { name: `created[${bound}]`, kind: "integer" };
      }),
      ...expanding,
    ],
  },
  {
    title: "retrieve charge",
    method: "GET",
    path: ({ charge }) => `/v1/charges/${charge}`,
    base: [],
    whole: "",
    read: (parameters, deps) => showCharge(deps, callWith(parameters)),
    fields: expanding,
  },
];

/** Names of the parameters that the code looks for in a call, in brackets, sorted. */
export async function declaredFields(endpoint: EndpointDescription, deps: EndpointDependencies): Promise<string[]> {
  const seen = new Set<string>();
  try {
    await endpoint.read(watched(parseForm(endpoint.whole), [], seen), deps);
  } catch {
    // All fields are looked at before anything can go wrong with a good form.
  }
  return [...seen].sort();
}

/** The same parameters, but each name that is asked for is noted. */
function watched(map: ParameterMap, path: readonly string[], seen: Set<string>): ParameterMap {
  const inner = (name: string, value: Parameter) =>
    typeof value === "string" ? value : watched(value, [...path, name], seen);
  return new WatchedMap(
    [...map].map(([name, value]) => [name, inner(name, value)] as const),
    (name) => {
      const [first = "", ...rest] = [...path, name];
      seen.add(`${first}${rest.map((part) => `[${part}]`).join("")}`);
    },
  );
}

/** A subclass, because `instanceof Map` and iteration must go on working. */
class WatchedMap extends Map<string, Parameter> {
  private readonly note: (name: string) => void;
  constructor(entries: readonly (readonly [string, Parameter])[], note: (name: string) => void) {
    super(entries);
    this.note = note;
  }
  override get(name: string): Parameter | undefined {
    this.note(name);
    return super.get(name);
  }
}

function callWith(parameters: ParameterMap): Call {
  return { accountId: "acct_first", id: "pi_none", parameters };
}
