// The calls on webhook endpoints that have parameters, with all their fields, for the table of bad input.
// It must never be read from the code: a field that one of the two does not know turns a test red.

import { deliveryList } from "../../functions/edge/webhook-delivery-endpoints.ts";
import { showWebhookEndpoint, webhookEndpointList } from "../../functions/edge/webhook-endpoint-endpoints.ts";
import {
  createEndpointParameters,
  rotateSecretParameters,
  updateEndpointParameters,
} from "../../functions/edge/webhook-endpoint-parameters.ts";
import type { FieldDescription } from "./bad-values.ts";
import { type EndpointDescription, expanding, metadataFields, readerOf } from "./endpoint-description.ts";

const enabledEvents: readonly FieldDescription[] = [
  { name: "enabled_events[0]", kind: "choice", entry: true },
  ...metadataFields,
  { name: "description", kind: "longText", clearable: true },
  ...expanding,
];

const one = ({ endpoint }: { readonly endpoint: string }) => `/v1/webhook_endpoints/${endpoint}`;

/** Every call on a webhook endpoint that has parameters. */
export const webhookEndpoints: readonly EndpointDescription[] = [
  {
    title: "create webhook endpoint",
    needs: "nothing",
    method: "POST",
    path: () => "/v1/webhook_endpoints",
    base: () => ["url=https://shop.example/hooks", "enabled_events[1]=charge.refunded"],
    whole: "url=https://shop.example/hooks&enabled_events[]=*",
    read: createEndpointParameters,
    fields: [
      { name: "url", kind: "url", required: true },
      { name: "enabled_events", kind: "list", required: true },
      { name: "api_version", kind: "choice" },
      { name: "connect", kind: "choice" },
      ...enabledEvents,
    ],
  },
  {
    title: "update webhook endpoint",
    needs: "endpoint",
    method: "POST",
    path: one,
    base: () => [],
    whole: "",
    read: updateEndpointParameters,
    fields: [
      { name: "url", kind: "url" },
      { name: "enabled_events", kind: "list" },
      { name: "disabled", kind: "choice" },
      ...enabledEvents,
    ],
  },
  {
    title: "rotate a webhook endpoint's secret",
    needs: "endpoint",
    method: "POST",
    path: (ids) => `${one(ids)}/rotate_secret`,
    base: () => [],
    whole: "",
    read: rotateSecretParameters,
    fields: [{ name: "overlap_seconds", kind: "integer" }, ...expanding],
  },
  {
    title: "retrieve webhook endpoint",
    needs: "endpoint",
    method: "GET",
    path: one,
    base: () => [],
    whole: "",
    read: readerOf(showWebhookEndpoint),
    fields: expanding,
  },
  {
    title: "list webhook endpoints",
    needs: "nothing",
    method: "GET",
    path: () => "/v1/webhook_endpoints",
    base: () => [],
    whole: "",
    read: readerOf(webhookEndpointList),
    fields: [
      { name: "limit", kind: "integer" },
      { name: "starting_after", kind: "id" },
      { name: "ending_before", kind: "id" },
      ...expanding,
    ],
  },
  {
    title: "list webhook deliveries",
    needs: "nothing",
    method: "GET",
    path: () => "/v1/webhook_deliveries",
    base: () => [],
    whole: "",
    read: readerOf(deliveryList),
    fields: [
      { name: "limit", kind: "integer" },
      { name: "starting_after", kind: "id" },
      { name: "ending_before", kind: "id" },
      { name: "webhook_endpoint", kind: "id" },
      { name: "event", kind: "id" },
      { name: "status", kind: "choice" },
    ],
  },
];
