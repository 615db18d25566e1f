// What a payments-api process needs to make a payment: stores on Google's emulators, an API key, a card network over HTTP.
// It must never reach beyond this machine.
import { once } from "node:events";
import { v1 } from "@google-cloud/pubsub";
import { grpc } from "google-gax";
import { memoryAcquirerJournal } from "../../../functions/adapters/memory/acquirer-journal.ts";
import { systemClock, systemRandom } from "../../../functions/adapters/system.ts";
import { environmentNames } from "../../../functions/config.ts";
import { createFrontDoorServer } from "../../../functions/edge/install-front-door.ts";
import { testAcquirer } from "../../../functions/edge/test-acquirer.ts";
import { openEmulatorStores } from "../emulator-stores.ts";

/** A running stage. */
export type Stage = {
  /** Environment of a payments-api process. */
  readonly environment: Readonly<Record<string, string>>;
  /** A payment under a new key. */
  pay(baseUrl: string): Promise<Response>;
  close(): Promise<void>;
};

/** Opens it. */
export async function openStage(): Promise<Stage> {
  const stores = await openEmulatorStores();
  const { names, apiKey } = stores;
  const secret = "only-for-this-bench";
  const journal = memoryAcquirerJournal();
  const acquirer = createFrontDoorServer(testAcquirer({ journal, clock: systemClock, log: () => {}, secret }));
  acquirer.listen(0, "127.0.0.1");
  await once(acquirer, "listening");
  const address = acquirer.address();
  const acquirerUrl = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  const topic = await makeTopic(names.projectId);
  // The emulator's own first answer takes seconds; no process here is to pay for it.
  await stores.cache.read("warm-up");
  const environment = {
    // Without a metadata server the clients would look for one for seconds.
    METADATA_SERVER_DETECTION: "none",
    ...emulators(),
    [environmentNames.project]: names.projectId,
    [environmentNames.spannerInstance]: names.instance,
    [environmentNames.spannerDatabase]: names.database,
    [environmentNames.firestoreDatabase]: names.firestoreDatabase,
    [environmentNames.acquirerUrl]: acquirerUrl,
    [environmentNames.acquirerSecret]: secret,
    [environmentNames.endpointSecretKey]: "only-for-this-bench-and-nothing-else-at-all",
    [environmentNames.webhookHttpAllowed]: "true",
    [environmentNames.webhookFastQueues]: "projects/p/locations/l/queues/webhook-fast",
    [environmentNames.webhookSlowQueues]: "projects/p/locations/l/queues/webhook-slow",
    [environmentNames.webhookCaller]: "webhook-caller@p.iam.gserviceaccount.com",
    [environmentNames.webhookTarget]: "https://webhook-dispatcher.invalid",
    [environmentNames.eventsTopic]: topic,
    [environmentNames.settlementsQueue]: "projects/p/locations/l/queues/settlements",
    [environmentNames.settlementsCaller]: "tasks@p.iam.gserviceaccount.com",
    [environmentNames.settlementsTarget]: "https://ledger-writer.invalid",
  };
  return {
    environment,
    pay: (baseUrl) =>
      fetch(`${baseUrl}/v1/payment_intents`, {
        method: "POST",
        body: "amount=2000&currency=usd&confirm=true&payment_method=pm_card_visa",
        headers: {
          Authorization: `Bearer ${apiKey}`,
          "Content-Type": "application/x-www-form-urlencoded",
          "Idempotency-Key": systemRandom.id("bench"),
        },
      }),
    close: async () => {
      acquirer.closeAllConnections();
      acquirer.close();
      await stores.close();
    },
  };
}

/** Where the emulators are, and what Google's clients need to know to get on with them. */
function emulators(): Record<string, string> {
  const given = Object.entries(process.env).filter(([name]) => /EMULATOR_HOST$|^GOOGLE_CLOUD_/.test(name));
  return Object.fromEntries(given.map(([name, value]) => [name, value ?? ""]));
}

async function makeTopic(projectId: string): Promise<string> {
  const [servicePath = "", port] = (process.env["PUBSUB_EMULATOR_HOST"] ?? "").split(":");
  if (servicePath === "") throw new Error("PUBSUB_EMULATOR_HOST is not set");
  const options = { servicePath, port: Number(port), sslCreds: grpc.credentials.createInsecure(), projectId };
  const publisher = new v1.PublisherClient(options);
  const topic = `projects/${projectId}/topics/bench-${process.pid}`;
  await publisher.createTopic({ name: topic });
  await publisher.close();
  return topic;
}
