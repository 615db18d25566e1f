/**
 * The endpoints of refunds (contract section 6).
 * They never run a write: they hand the work to the idempotent path.
 */
import type Stripe from "stripe";
import { refuse } from "../domain/errors.ts";
import { cancelRefund } from "../flows/cancel-refund.ts";
import { changeRefund } from "../flows/change-refund.ts";
import { createRefund } from "../flows/create-refund.ts";
import { showsBooks } from "../flows/idempotently-books.ts";
import { listRefunds, readRefund } from "../flows/read-refunds.ts";
import { createdRange } from "./collection-readers.ts";
import type { Call, EndpointDependencies, Serve } from "./endpoint.ts";
import { readExpansions, renderRefund } from "./expand.ts";
import { listBody } from "./list.ts";
import { expanding } from "./payment-intent-fields.ts";
import { optional, readParameters, withDefault } from "./read-parameters.ts";
import { createRefundParameters, updateRefundParameters } from "./refund-parameters.ts";
import { id, integer } from "./scalar-readers.ts";

/** `POST /v1/refunds`. */
export const newRefund: Serve = {
  kind: "write",
  write: ({ parameters }) => {
    const { expand, input } = createRefundParameters(parameters);
    return {
      expand: readExpansions(expand, "refund", "one"),
      work: (deps, request) => createRefund(deps, request, input),
    };
  },
};

/** `POST /v1/refunds/:id`. */
export const updateRefund: Serve = {
  kind: "write",
  write: ({ id: refundId, parameters }) => {
    const { expand, input: metadata } = updateRefundParameters(parameters);
    return {
      expand: readExpansions(expand, "refund", "one"),
      work: (deps, request) => changeRefund(deps, request, { refundId, metadata }),
    };
  },
};

/** `POST /v1/refunds/:id/cancel`. */
export const refundCancel: Serve = {
  kind: "write",
  write: ({ id: refundId, parameters }) => {
    const { expand } = readParameters(parameters, expanding);
    return {
      expand: readExpansions(expand, "refund", "one"),
      work: (deps, request) => cancelRefund(deps, request, { refundId }),
    };
  },
};

/** `GET /v1/refunds/:id`. */
export const showRefund: Serve = {
  kind: "read",
  read: async (deps, { accountId, id: refundId, parameters }) => {
    const { expand } = readParameters(parameters, expanding);
    const expansions = readExpansions(expand, "refund", "one");
    return renderRefund(await readRefund(deps, { accountId, refundId, withBooks: showsBooks(expansions) }), expansions);
  },
};

/** `GET /v1/refunds`: newest first, with cursors and filters (contract section 2, Lists). */
export const refundList: Serve = { kind: "read", read: readList };

async function readList(deps: EndpointDependencies, call: Call): Promise<Stripe.ApiList<Stripe.Refund>> {
  const values = readParameters(call.parameters, {
    limit: withDefault(integer({ min: 1, max: 100 }), 10),
    starting_after: optional(id({ noun: "refund", prefix: "re_" })),
    ending_before: optional(id({ noun: "refund", prefix: "re_" })),
    payment_intent: optional(id({ noun: "payment_intent", prefix: "pi_" })),
    charge: optional(id({ noun: "charge", prefix: "ch_" })),
    created: withDefault(createdRange(), { createdFromMs: null, createdBeforeMs: null }),
    ...expanding,
  });
  if (values.starting_after !== undefined && values.ending_before !== undefined) {
    throw refuse("parameter_invalid", "Pass either starting_after or ending_before, not both.", {
      param: "ending_before",
    });
  }
  const expansions = readExpansions(values.expand, "refund", "list");
  const page = await listRefunds(deps, {
    accountId: call.accountId,
    limit: values.limit,
    startingAfter: values.starting_after ?? null,
    endingBefore: values.ending_before ?? null,
    intentId: values.payment_intent ?? null,
    chargeId: values.charge ?? null,
    ...values.created,
    withBooks: showsBooks(expansions),
  });
  return listBody({
    url: "/v1/refunds",
    data: page.views.map((view) => renderRefund(view, expansions)),
    hasMore: page.hasMore,
  });
}
