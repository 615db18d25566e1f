// The functions over Google's real clients and emulators, each client behind a proxy that can spoil any call of it.
// It must never let a client past its proxy, and never share stores with another system.

import { type CloudTaskQueuesDependencies, cloudTaskQueues } from "../../functions/adapters/cloud-tasks.ts";
import { openCloudTasks } from "../../functions/adapters/cloud-tasks-client.ts";
import { openFirestore } from "../../functions/adapters/firestore-client.ts";
import { firestoreDeliveries, firestoreEndpointHealth } from "../../functions/adapters/firestore-deliveries.ts";
import { firestoreIdempotencyCache } from "../../functions/adapters/firestore-idempotency-cache.ts";
import { firestoreWebhookEndpoints } from "../../functions/adapters/firestore-webhook-endpoints.ts";
import { memoryAcquirerJournal } from "../../functions/adapters/memory/acquirer-journal.ts";
import { openPubsub } from "../../functions/adapters/pubsub.ts";
import { aesSecretBox } from "../../functions/adapters/secret-box.ts";
import { spannerAccounts } from "../../functions/adapters/spanner-accounts.ts";
import { spannerBalances } from "../../functions/adapters/spanner-balances.ts";
import { spannerLedger } from "../../functions/adapters/spanner-ledger.ts";
import { spannerOperators } from "../../functions/adapters/spanner-operators.ts";
import { spannerOutbox } from "../../functions/adapters/spanner-outbox.ts";
import { spannerReconciliation } from "../../functions/adapters/spanner-reconciliation.ts";
import { spannerSeals } from "../../functions/adapters/spanner-seals.ts";
import { spannerStories } from "../../functions/adapters/spanner-stories.ts";
import { systemRandom } from "../../functions/adapters/system.ts";
import { firestoreNames } from "../../functions/config.ts";
import { defaultTimings } from "../../functions/domain/idempotency.ts";
import { strictUrls } from "../../functions/domain/webhook-url.ts";
import { busMessageOf } from "../../functions/edge/bus-message.ts";
import { ledgerWriter } from "../../functions/edge/ledger-writer.ts";
import { paymentsApi } from "../../functions/edge/payments-api.ts";
import { networkOver } from "../../functions/edge/test-network.ts";
import { webhookDispatcher } from "../../functions/edge/webhook-dispatcher.ts";
import type { EgressRequest } from "../../functions/flows/egress-ports.ts";
import { createApiKey } from "../../functions/flows/manage-api-keys.ts";
import { eventOutlet } from "../../functions/flows/publish-commits.ts";
import { startGrpcProxy } from "../support/grpc-proxy.ts";
import { carrierTo } from "../support/intentions.ts";
import { type EmulatorTopic, openEmulatorTopic } from "../support/pubsub-topic.ts";
import { startRecordingTasks } from "../support/recording-tasks.ts";
import { openDisturbedSpanner } from "../support/spanner-through-proxy.ts";
import { clientOf } from "../support/world.ts";
import { movedClock } from "./machine.ts";

/** A system; one is enough for all cells, because each cell has a payment of its own. */
export type System = Awaited<ReturnType<typeof openSystem>>;

/** The clients whose calls can be spoiled. */
export type Product = "spanner" | "firestore" | "pubsub" | "tasks";

/** Who calls the functions that only the platform calls. */
export const callers = {
  schedule: "schedule@local-project.iam.gserviceaccount.com",
  settlements: "ledger-tasks@local-project.iam.gserviceaccount.com",
  ledgerWriter: "ledger-writer@local-project.iam.gserviceaccount.com",
  webhooks: "webhook-caller@local-project.iam.gserviceaccount.com",
} as const;

/** Twins are not what is looked at: who finds its key taken is told so at once. */
const timings = { ...defaultTimings, twinWaitMs: 200, pollMs: 50 };

const queue = (name: string) => [`projects/local-project/locations/l/queues/${name}`];

/** Opens stores, proxies and clients, an account with its key, and an endpoint whose receiver takes everything. */
export async function openSystem() {
  const clock = movedClock();
  const machine = { clock, random: systemRandom, log: () => {} };
  const spanner = await openDisturbedSpanner();
  const firestoreProxy = await startGrpcProxy({ target: emulator("FIRESTORE_EMULATOR_HOST") });
  const firestore = openFirestoreAt(firestoreProxy.host, spanner.direct.names.database);
  const topic = await openEmulatorTopic();
  const pubsubProxy = await startGrpcProxy({ target: topic.host });
  const bus = openPubsub(topic, { PUBSUB_EMULATOR_HOST: pubsubProxy.host });
  const taken = await startRecordingTasks();
  const tasksProxy = await startGrpcProxy({ target: taken.host });
  const taskClient = openCloudTasks({ CLOUD_TASKS_EMULATOR_HOST: tasksProxy.host });

  const journal = memoryAcquirerJournal();
  const acquirer = networkOver({ journal, ...machine });
  const documents = { database: firestore.database, names: firestoreNames };
  const ledger = spannerLedger(spanner.spanner);
  const [accounts, balances] = [spannerAccounts(spanner.spanner), spannerBalances(spanner.spanner)];
  const stories = spannerStories(spanner.spanner);
  const endpoints = firestoreWebhookEndpoints(documents);
  const deliveries = firestoreDeliveries(documents);
  const box = aesSecretBox("a key of the wire faults which is not a secret at all");
  const queuesOf = (callerAccount: string, queues: CloudTaskQueuesDependencies["queues"]) =>
    cloudTaskQueues({ client: taskClient, clock, callerAccount, queues });
  const settlements = queuesOf(callers.settlements, { settlements: queue("settlements") });
  const wakers = queuesOf(callers.webhooks, { webhookFast: queue("fast"), webhookSlow: queue("slow") });
  const received: EgressRequest[] = [];
  const egress = {
    post: async (request: EgressRequest) => {
      received.push(request);
      return {
        kind: "answered",
        status: 200,
        retryAfter: null,
        excerpt: "",
        bodyEnd: "complete",
        durationMs: 1,
      } as const;
    },
  };
  const webhooks = { endpoints, deliveries, tasks: wakers("https://dispatcher.example"), box, urlRules: strictUrls };

  /** One more instance of each function, with nothing in its memory. */
  const startInstances = () => {
    const outlet = eventOutlet({ ...machine, ledger, publisher: bus, render: busMessageOf });
    const cache = firestoreIdempotencyCache({
      database: firestore.database,
      collection: firestoreNames.idempotencyKeys,
      deleteAfterField: firestoreNames.deleteAfter,
    });
    const shared = { ...machine, ledger, balances, acquirer, outlet };
    const api = paymentsApi(
      { ...shared, accounts, cache, webhooks, stories, tasks: settlements("https://writer.example") },
      timings,
    );
    const dispatcher = webhookDispatcher({
      ...{ ...machine, deliveries, endpoints, box, egress, publisher: bus, tasks: wakers },
      ...{ health: firestoreEndpointHealth(documents), callerAccount: callers.webhooks },
      intentionsCaller: callers.ledgerWriter,
    });
    const intentions = carrierTo(dispatcher, callers.ledgerWriter);
    const writer = ledgerWriter(
      {
        ...{ ...shared, publisher: bus, tasks: settlements, seals: spannerSeals(spanner.spanner) },
        ...{ reconciliation: spannerReconciliation(spanner.spanner), operators: spannerOperators(spanner.spanner) },
        ...{ outbox: spannerOutbox(spanner.spanner), intentions },
        ...{ callerAccount: callers.schedule, settlementsCaller: callers.settlements },
      },
      timings,
    );
    return { api: clientOf(api), writer: clientOf(writer), dispatcher: clientOf(dispatcher), outlet };
  };
  const { secret: apiKey, key } = await createApiKey({ accounts, clock, random: systemRandom }, "wire faults");
  const setUp = startInstances();
  const endpoint = await setUp.api.post("/v1/webhook_endpoints", "url=https://shop.example/hooks&enabled_events[]=*", {
    ...{ apiKey, key: "endpoint" },
  });
  if (endpoint.status !== 200) throw new Error(`The endpoint was not made: ${endpoint.text}`);
  // Only what happens after an endpoint was made is delivered to it, and events count seconds.
  clock.moveOn(2_000);
  const proxies = { spanner: spanner.proxy, firestore: firestoreProxy, pubsub: pubsubProxy, tasks: tasksProxy };
  return {
    ...{ clock, journal, apiKey, accountId: key.accountId, proxies, startInstances, deliveries, received, ledger },
    ...{ topic, taken, direct: spanner.direct, balances, seals: spannerSeals(spanner.spanner) },
    /** Names of the tasks that the queues have run. */
    ran: new Set<string>(),
    missingOnBus: onBus(topic),
    close: async () => {
      await Promise.all([bus.close(), taskClient.close(), firestore.close(), topic.close()]);
      await spanner.close();
      await Promise.all([firestoreProxy.close(), pubsubProxy.close(), tasksProxy.close(), taken.close()]);
    },
  };
}

/** Those of the ids that never came out of the topic; it waits for as many messages as it misses. */
function onBus(topic: EmulatorTopic): (eventIds: readonly string[]) => Promise<readonly string[]> {
  const seen = new Set<string>();
  return async (eventIds) => {
    const missing = () => eventIds.filter((id) => !seen.has(id));
    while (missing().length > 0) {
      const messages = await topic.received(1);
      if (messages.length === 0) break;
      for (const { attributes } of messages) seen.add(attributes["event_id"] ?? "");
    }
    return missing();
  };
}

function emulator(name: string): string {
  const host = process.env[name];
  if (host === undefined) throw new Error(`${name} is not set: wire faults need Google's emulators.`);
  return host;
}

/** The client reads the variable once, when it is made. */
function openFirestoreAt(host: string, databaseId: string) {
  const before = emulator("FIRESTORE_EMULATOR_HOST");
  process.env["FIRESTORE_EMULATOR_HOST"] = host;
  try {
    return openFirestore({ projectId: "local-project", databaseId });
  } finally {
    process.env["FIRESTORE_EMULATOR_HOST"] = before;
  }
}
