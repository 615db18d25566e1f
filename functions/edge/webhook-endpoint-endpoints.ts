/**
 * The calls on webhook endpoints (contract section 8.1), with a rotation of the secret as an extension of ours.
 * They never run a write: they hand the work to the idempotent path, once the URL is one that may be called.
 */
import type Stripe from "stripe";
import { refuse } from "../domain/errors.ts";
import { parseWebhookUrl } from "../domain/webhook-url.ts";
import { listEndpoints, readEndpoint } from "../flows/read-webhook-endpoints.ts";
import type { Call, EndpointDependencies, Serve } from "./endpoint.ts";
import { readExpansions } from "./expand.ts";
import { intend } from "./intentions.ts";
import { listBody } from "./list.ts";
import { expanding } from "./payment-intent-fields.ts";
import { optional, readParameters, withDefault } from "./read-parameters.ts";
import { id, integer } from "./scalar-readers.ts";
import { serializeWebhookEndpoint } from "./serialize-webhook-endpoint.ts";
import {
  createEndpointParameters,
  rotateSecretParameters,
  updateEndpointParameters,
} from "./webhook-endpoint-parameters.ts";

/** `POST /v1/webhook_endpoints`. */
export const newWebhookEndpoint: Serve = {
  kind: "write",
  write: ({ parameters }) => {
    const { expand, input } = createEndpointParameters(parameters);
    return {
      expand: readExpansions(expand, "webhook_endpoint", "one"),
      work: (deps) => {
        refuseBadUrl(deps, input.url);
        return intend(deps, { verb: "create_endpoint", input });
      },
    };
  },
};

/** `POST /v1/webhook_endpoints/:id`. */
export const updateWebhookEndpoint: Serve = {
  kind: "write",
  write: ({ id: endpointId, parameters }) => {
    const { expand, input: changes } = updateEndpointParameters(parameters);
    return {
      expand: readExpansions(expand, "webhook_endpoint", "one"),
      work: (deps) => {
        if (changes.url !== undefined) refuseBadUrl(deps, changes.url);
        return intend(deps, { verb: "change_endpoint", input: { endpointId, changes } });
      },
    };
  },
};

/** `POST /v1/webhook_endpoints/:id/rotate_secret`. */
export const rotateWebhookSecret: Serve = {
  kind: "write",
  write: ({ id: endpointId, parameters }) => {
    const { expand, input } = rotateSecretParameters(parameters);
    return {
      expand: readExpansions(expand, "webhook_endpoint", "one"),
      work: (deps) => intend(deps, { verb: "rotate_secret", input: { endpointId, ...input } }),
    };
  },
};

/** `DELETE /v1/webhook_endpoints/:id`: once it is gone, it is unknown. */
export const deleteWebhookEndpoint: Serve = {
  kind: "write",
  write: ({ id: endpointId, parameters }) => {
    readParameters(parameters, {});
    return { expand: [], work: (deps) => intend(deps, { verb: "delete_endpoint", input: { endpointId } }) };
  },
};

/** `GET /v1/webhook_endpoints/:id`. */
export const showWebhookEndpoint: Serve = {
  kind: "read",
  read: async (deps, { accountId, id: endpointId, parameters }) => {
    const { expand } = readParameters(parameters, expanding);
    readExpansions(expand, "webhook_endpoint", "one");
    return serializeWebhookEndpoint(await readEndpoint(deps, { accountId, endpointId }), null);
  },
};

/** `GET /v1/webhook_endpoints`: newest first, with cursors. */
export const webhookEndpointList: Serve = { kind: "read", read: readList };

async function readList(deps: EndpointDependencies, call: Call): Promise<Stripe.ApiList<Stripe.WebhookEndpoint>> {
  const values = readParameters(call.parameters, {
    limit: withDefault(integer({ min: 1, max: 100 }), 10),
    starting_after: optional(id({ noun: "webhook endpoint", prefix: "we_" })),
    ending_before: optional(id({ noun: "webhook endpoint", prefix: "we_" })),
    ...expanding,
  });
  if (values.starting_after !== undefined && values.ending_before !== undefined) {
    throw refuse("parameter_invalid", "Pass either starting_after or ending_before, not both.", {
      param: "ending_before",
    });
  }
  readExpansions(values.expand, "webhook_endpoint", "list");
  const page = await listEndpoints(deps, {
    accountId: call.accountId,
    limit: values.limit,
    startingAfter: values.starting_after ?? null,
    endingBefore: values.ending_before ?? null,
  });
  return listBody({
    url: "/v1/webhook_endpoints",
    data: page.endpoints.map((endpoint) => serializeWebhookEndpoint(endpoint, null)),
    hasMore: page.hasMore,
  });
}

/** Before anything is claimed, so that a correction may come under the same key. */
function refuseBadUrl({ webhooks }: EndpointDependencies, url: string): void {
  const read = parseWebhookUrl(url, webhooks.urlRules);
  if (read.kind === "refused") throw refuse("url_invalid", read.reason, { param: "url" });
}
