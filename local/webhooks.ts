// How the webhook dispatcher is put together on the laptop, and the stores that it shares with payments-api.
// It must never give it another way out than the guard: a merchant on a laptop is an origin that the plan's stage lists.

import { cloudTaskQueues, type TaskCreator } from "../functions/adapters/cloud-tasks.ts";
import { egressGuard } from "../functions/adapters/egress.ts";
import { httpIntentions } from "../functions/adapters/intentions.ts";
import { memoryDeliveries, memoryEndpointHealth } from "../functions/adapters/memory/deliveries.ts";
import { memoryWebhookEndpoints } from "../functions/adapters/memory/webhook-endpoints.ts";
import { aesSecretBox } from "../functions/adapters/secret-box.ts";
import type { Tracing } from "../functions/adapters/trace-open.ts";
import { environmentNames, requiredVariable } from "../functions/config.ts";
import { intentionsNamesIn, webhookQueuesIn, webhookUrlsIn } from "../functions/config-readers.ts";
import type { WebhookApiPorts } from "../functions/edge/endpoint.ts";
import { webhookDispatcher } from "../functions/edge/webhook-dispatcher.ts";
import type { WireHandler } from "../functions/edge/wire.ts";
import type { Publisher } from "../functions/flows/bus-ports.ts";
import type { Deliveries, EndpointHealthStore } from "../functions/flows/delivery-ports.ts";
import type { IntentionCarrier } from "../functions/flows/intention-ports.ts";
import type { Clock, Log, Random } from "../functions/flows/ports.ts";
import type { WebhookEndpoints } from "../functions/flows/webhook-endpoint-ports.ts";
import { guarded } from "./guarded-call.ts";
import type { Identity } from "./identity.ts";

/** What webhooks are kept in. */
export type WebhookStores = {
  webhookEndpoints: WebhookEndpoints;
  deliveries: Deliveries;
  health: EndpointHealthStore;
};

/** Empty ones in memory. */
export function memoryWebhookStores(): WebhookStores {
  return {
    webhookEndpoints: memoryWebhookEndpoints(),
    deliveries: memoryDeliveries(),
    health: memoryEndpointHealth(),
  };
}

type Making = {
  identity: Identity;
  environment: Record<string, string>;
  stores: WebhookStores;
  publisher: Publisher;
  taskClient: TaskCreator;
  machine: { clock: Clock; random: Random; log: Log };
  tracing: Tracing;
};

/** What payments-api needs of webhooks, as its entry makes it with the real adapters. */
export function webhookApiIn({
  identity,
  environment,
  stores,
  taskClient,
  machine,
  tracing,
}: Omit<Making, "publisher">): WebhookApiPorts {
  const queues = cloudTaskQueues({ ...machine, client: taskClient, ...webhookQueuesIn(environment) });
  return {
    endpoints: identity.webhookEndpoints(stores.webhookEndpoints),
    ...tracing.watch({
      deliveries: guardedDeliveries(stores.deliveries, identity),
      tasks: queues(requiredVariable(environment, environmentNames.webhookTarget)),
    }),
    box: aesSecretBox(requiredVariable(environment, environmentNames.endpointSecretKey)),
    urlRules: webhookUrlsIn(environment),
  };
}

/** What ledger-writer asks the dispatcher by, as its entry makes it, with tokens of its account. */
export function openIntentions({
  environment,
  identityToken,
  tracing,
}: Pick<Making, "environment" | "tracing"> & { identityToken: (audience: string) => string }): IntentionCarrier {
  const { baseUrl, token } = intentionsNamesIn(environment);
  return httpIntentions({ baseUrl, ...tracing.onward, identityToken: async () => identityToken(token.audience) });
}

/** The dispatcher, as its entry makes it with the real adapters. */
export const webhookMakers = {
  "webhook-dispatcher": ({
    identity,
    environment,
    stores,
    publisher,
    taskClient,
    machine,
    tracing,
  }: Making): WireHandler =>
    webhookDispatcher({
      ...machine,
      ...{ endpoints: identity.webhookEndpoints(stores.webhookEndpoints), publisher },
      ...tracing.watch({
        deliveries: guardedDeliveries(stores.deliveries, identity),
        health: guardedHealth(stores.health, identity),
        egress: egressGuard({ urls: webhookUrlsIn(environment) }),
        tasks: cloudTaskQueues({ ...machine, client: taskClient, ...webhookQueuesIn(environment) }),
      }),
      box: aesSecretBox(requiredVariable(environment, environmentNames.endpointSecretKey)),
      callerAccount: requiredVariable(environment, environmentNames.callerAccount),
      intentionsCaller: requiredVariable(environment, environmentNames.intentionsCaller),
    }),
} as const;

function guardedDeliveries(deliveries: Deliveries, { inDocuments }: Identity): Deliveries {
  return {
    create: guarded(() => inDocuments("create"), deliveries.create),
    read: guarded(() => inDocuments("get"), deliveries.read),
    replace: guarded(() => inDocuments("update", "get"), deliveries.replace),
    overdue: guarded(() => inDocuments("get", "list"), deliveries.overdue),
    list: guarded(() => inDocuments("get", "list"), deliveries.list),
  };
}

function guardedHealth(health: EndpointHealthStore, { inDocuments }: Identity): EndpointHealthStore {
  return {
    read: guarded(() => inDocuments("get"), health.read),
    write: guarded(() => inDocuments("create", "update"), health.write),
  };
}
