/**
 * The calls on webhook deliveries and the test event: extensions of ours (issue "Webhook endpoints API").
 * They never run a write: they hand the work to the idempotent path.
 */
import type Stripe from "stripe";
import { refuse } from "../domain/errors.ts";
import type { Intention } from "../domain/intention.ts";
import { listDeliveries, readDelivery } from "../flows/read-deliveries.ts";
import type { Call, EndpointDependencies, Serve } from "./endpoint.ts";
import { intend } from "./intentions.ts";
import { listBody } from "./list.ts";
import { optional, readParameters, withDefault } from "./read-parameters.ts";
import { id, integer, oneOf } from "./scalar-readers.ts";
import {
  serializeAttempt,
  serializeDelivery,
  type WireAttempt,
  type WireDelivery,
} from "./serialize-webhook-delivery.ts";

/** `GET /v1/webhook_deliveries/:id`. */
export const showDelivery: Serve = {
  kind: "read",
  read: async (deps, { accountId, id: deliveryId, parameters }) => {
    readParameters(parameters, {});
    return serializeDelivery(await readDelivery(deps, { accountId, deliveryId }));
  },
};

/** `GET /v1/webhook_deliveries/:id/attempts`: newest first, all of them; a record keeps fifty at most. */
export const attemptList: Serve = {
  kind: "read",
  read: async (deps, { accountId, id: deliveryId, parameters }): Promise<Stripe.ApiList<WireAttempt>> => {
    readParameters(parameters, {});
    const delivery = await readDelivery(deps, { accountId, deliveryId });
    return listBody({
      url: `/v1/webhook_deliveries/${delivery.id}/attempts`,
      data: delivery.attempts.map((attempt) => serializeAttempt(delivery, attempt)).reverse(),
      hasMore: false,
    });
  },
};

/** `POST /v1/webhook_deliveries/:id/resend`. */
export const resend: Serve = written((deliveryId) => ({ verb: "resend_delivery", input: { deliveryId } }));

/** `POST /v1/webhook_deliveries/:id/redrive`. */
export const redrive: Serve = written((deliveryId) => ({ verb: "redrive_delivery", input: { deliveryId } }));

/** `POST /v1/webhook_endpoints/:id/send_test_event`. */
export const testEvent: Serve = written((endpointId) => ({ verb: "send_test_event", input: { endpointId } }));

/** `GET /v1/webhook_deliveries`: newest first, with cursors and filters. */
export const deliveryList: Serve = { kind: "read", read: readList };

/** A write that takes nothing but the id in its path. */
function written(intentionOf: (id: string) => Intention): Serve {
  return {
    kind: "write",
    write: ({ id: objectId, parameters }) => {
      readParameters(parameters, {});
      return { expand: [], work: (deps) => intend(deps, intentionOf(objectId)) };
    },
  };
}

async function readList(deps: EndpointDependencies, call: Call): Promise<Stripe.ApiList<WireDelivery>> {
  const values = readParameters(call.parameters, {
    limit: withDefault(integer({ min: 1, max: 100 }), 10),
    starting_after: optional(id({ noun: "webhook delivery", prefix: "wd_" })),
    ending_before: optional(id({ noun: "webhook delivery", prefix: "wd_" })),
    webhook_endpoint: optional(id({ noun: "webhook endpoint", prefix: "we_" })),
    event: optional(id({ noun: "event", prefix: "evt_" })),
    status: optional(oneOf(["pending", "delivered", "dead"])),
  });
  if (values.starting_after !== undefined && values.ending_before !== undefined) {
    throw refuse("parameter_invalid", "Pass either starting_after or ending_before, not both.", {
      param: "ending_before",
    });
  }
  if (values.event !== undefined && (values.webhook_endpoint !== undefined || values.status !== undefined)) {
    throw refuse("parameter_invalid", "Pass either event, or webhook_endpoint and status, not both.", {
      param: "event",
    });
  }
  const page = await listDeliveries(deps, {
    accountId: call.accountId,
    limit: values.limit,
    startingAfter: values.starting_after ?? null,
    endingBefore: values.ending_before ?? null,
    endpointId: values.webhook_endpoint ?? null,
    eventId: values.event ?? null,
    state: values.status ?? null,
  });
  return listBody({
    url: "/v1/webhook_deliveries",
    data: page.deliveries.map(serializeDelivery),
    hasMore: page.hasMore,
  });
}
