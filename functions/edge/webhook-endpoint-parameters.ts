/**
 * What each call on webhook endpoints takes (contract section 8.1), and how its parameters become the words of the flows.
 * It never looks at a store: everything refused here leaves the idempotency key free.
 */

import { mergeMetadata } from "../domain/payment-intent.ts";
import { overlapMaxMs } from "../domain/signature.ts";
import {
  type EnabledEvent,
  type EndpointChanges,
  type EndpointInput,
  enabledEventWords,
} from "../domain/webhook-endpoint.ts";
import { servedVersion } from "./answer-headers.ts";
import { list, metadata } from "./collection-readers.ts";
import type { Parsed } from "./endpoint.ts";
import type { ParameterMap } from "./parameter-tree.ts";
import { expanding } from "./payment-intent-fields.ts";
import { clearable, optional, type Reader, readParameters, required, withDefault } from "./read-parameters.ts";
import { boolean, integer, oneOf, text, url } from "./scalar-readers.ts";

/** Parameters of `POST /v1/webhook_endpoints`. @throws DomainError naming the first parameter at fault */
export function createEndpointParameters(parameters: ParameterMap): Parsed<EndpointInput> {
  const values = readParameters(parameters, {
    url: required(url()),
    enabled_events: required(enabledEvents),
    // There is one shape of the answers, so there is one version to ask for.
    api_version: optional(oneOf([servedVersion])),
    // Events of other accounts are not sent here, so the only good value is the default.
    connect: optional(oneOf(["false"])),
    description: optional(description),
    metadata: optional(metadata()),
    ...expanding,
  });
  return {
    expand: values.expand,
    input: {
      url: values.url,
      enabledEvents: values.enabled_events,
      description: values.description ?? null,
      metadata: mergeMetadata({}, values.metadata),
      apiVersion: values.api_version ?? null,
    },
  };
}

/** Parameters of `POST /v1/webhook_endpoints/:id`. @throws DomainError naming the first parameter at fault */
export function updateEndpointParameters(parameters: ParameterMap): Parsed<EndpointChanges> {
  const values = readParameters(parameters, {
    url: optional(url()),
    enabled_events: optional(enabledEvents),
    description: optional(description),
    disabled: optional(boolean()),
    metadata: optional(metadata()),
    ...expanding,
  });
  return {
    expand: values.expand,
    input: {
      ...(values.url === undefined ? {} : { url: values.url }),
      ...(values.enabled_events === undefined ? {} : { enabledEvents: values.enabled_events }),
      ...(values.description === undefined ? {} : { description: values.description }),
      ...(values.disabled === undefined ? {} : { disabled: values.disabled }),
      ...(values.metadata === undefined ? {} : { metadata: values.metadata }),
    },
  };
}

/**
 * Parameters of `POST /v1/webhook_endpoints/:id/rotate_secret`: how long the secrets before the new one still sign.
 * @throws DomainError naming the first parameter at fault
 */
export function rotateSecretParameters(parameters: ParameterMap): Parsed<{ overlapMs: number; param: string }> {
  const values = readParameters(parameters, {
    [overlapParameter]: withDefault(integer({ max: overlapMaxMs / 1000 }), overlapMaxMs / 1000),
    ...expanding,
  });
  return { expand: values.expand, input: { overlapMs: values[overlapParameter] * 1000, param: overlapParameter } };
}

const overlapParameter = "overlap_seconds";

/** Each word once, in the order in which it was first sent. */
const enabledEvents: Reader<readonly EnabledEvent[]> = (parameter, path) => {
  const words = list(oneOf(enabledEventWords), { entriesMax: 2 * enabledEventWords.length })(parameter, path);
  return [...new Set(words)];
};

/** As long as the client's documentation allows other descriptions to be. */
const description = clearable(text({ charactersMax: 5_000 }));
