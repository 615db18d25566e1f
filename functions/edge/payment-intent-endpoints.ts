/**
 * The endpoints of payment intents and their charges (contract section 5.2).
 * They never run a write: they hand the work to the idempotent path.
 */
import type Stripe from "stripe";
import { refuse } from "../domain/errors.ts";
import { type ChangeInput, changePaymentIntent } from "../flows/change-payment-intent.ts";
import { createPaymentIntent } from "../flows/create-payment-intent.ts";
import { showsBooks } from "../flows/idempotently-books.ts";
import { listPaymentIntents, readCharge, readPaymentIntent } from "../flows/read-payments.ts";
import { createdRange, list } from "./collection-readers.ts";
import type { Call, EndpointDependencies, Parsed, Serve } from "./endpoint.ts";
import { needsCharge, needsIntent, readExpansions, renderCharge, renderPaymentIntent } from "./expand.ts";
import { listBody } from "./list.ts";
import type { ParameterMap } from "./parameter-tree.ts";
import {
  cancelParameters,
  captureParameters,
  confirmParameters,
  createParameters,
  updateParameters,
} from "./payment-intent-parameters.ts";
import { optional, readParameters, withDefault } from "./read-parameters.ts";
import { id, integer, text } from "./scalar-readers.ts";

/** `POST /v1/payment_intents`. */
export const createIntent: Serve = {
  kind: "write",
  write: ({ parameters, baseUrl }) => {
    const { expand, input } = createParameters(parameters, baseUrl);
    return {
      expand: readExpansions(expand, "payment_intent", "one"),
      work: (deps, request) => createPaymentIntent(deps, request, input),
    };
  },
};

/** `POST /v1/payment_intents/:id`. */
export const updateIntent: Serve = changes(updateParameters);
/** `POST /v1/payment_intents/:id/confirm`. */
export const confirmIntent: Serve = changes(confirmParameters);
/** `POST /v1/payment_intents/:id/capture`. */
export const captureIntent: Serve = changes(captureParameters);
/** `POST /v1/payment_intents/:id/cancel`. */
export const cancelIntent: Serve = changes(cancelParameters);
/** `GET /v1/payment_intents/:id`. */
export const showIntent: Serve = { kind: "read", read: readIntent };
/** `GET /v1/payment_intents`. */
export const listIntents: Serve = { kind: "read", read: readIntents };
/** `GET /v1/charges/:id`. */
export const showCharge: Serve = { kind: "read", read: readOneCharge };

function changes(parse: (parameters: ParameterMap, baseUrl: string) => Parsed<ChangeInput["change"]>): Serve {
  return {
    kind: "write",
    write: ({ id, parameters, baseUrl }) => {
      const { expand, input: change } = parse(parameters, baseUrl);
      return {
        expand: readExpansions(expand, "payment_intent", "one"),
        work: (deps, request) => changePaymentIntent(deps, request, { intentId: id, change }),
      };
    },
  };
}

async function readIntent(deps: EndpointDependencies, call: Call): Promise<Stripe.PaymentIntent> {
  const { expand, client_secret: _ } = readParameters(call.parameters, {
    ...expanding,
    client_secret: optional(text({ charactersMax: 500 })),
  });
  const expansions = readExpansions(expand, "payment_intent", "one");
  const view = await readPaymentIntent(deps, {
    accountId: call.accountId,
    intentId: call.id,
    withCharge: needsCharge(expansions),
    withBooks: showsBooks(expansions),
  });
  return renderPaymentIntent(view, expansions);
}

async function readOneCharge(deps: EndpointDependencies, call: Call): Promise<Stripe.Charge> {
  const { expand } = readParameters(call.parameters, expanding);
  const expansions = readExpansions(expand, "charge", "one");
  const found = await readCharge(deps, {
    accountId: call.accountId,
    chargeId: call.id,
    withIntent: needsIntent(expansions),
    withBooks: showsBooks(expansions),
  });
  return renderCharge(found.charge, found.intent, expansions, found.books);
}

/** Newest first, with cursors and filters (contract section 2, Lists). */
async function readIntents(deps: EndpointDependencies, call: Call): Promise<Stripe.ApiList<Stripe.PaymentIntent>> {
  const values = readParameters(call.parameters, {
    limit: withDefault(integer({ min: 1, max: 100 }), 10),
    starting_after: optional(id({ noun: "payment_intent", prefix: "pi_" })),
    ending_before: optional(id({ noun: "payment_intent", prefix: "pi_" })),
    customer: optional(id({ noun: "customer", prefix: "cus_" })),
    created: withDefault(createdRange(), { createdFromMs: null, createdBeforeMs: null }),
    ...expanding,
  });
  if (values.starting_after !== undefined && values.ending_before !== undefined) {
    throw refuse("parameter_invalid", "Pass either starting_after or ending_before, not both.", {
      param: "ending_before",
    });
  }
  const expansions = readExpansions(values.expand, "payment_intent", "list");
  const page = await listPaymentIntents(deps, {
    accountId: call.accountId,
    limit: values.limit,
    startingAfter: values.starting_after ?? null,
    endingBefore: values.ending_before ?? null,
    customer: values.customer ?? null,
    ...values.created,
    withCharge: needsCharge(expansions),
    withBooks: showsBooks(expansions),
  });
  const data = page.views.map((view) => renderPaymentIntent(view, expansions));
  return listBody({ url: "/v1/payment_intents", data, hasMore: page.hasMore });
}

const expanding = { expand: withDefault(list(text({ charactersMax: 200 }), { entriesMax: 20 }), []) };
