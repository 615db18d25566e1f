/**
 * Entry of webhook-dispatcher: reads the settings, opens stores, bus, queues and the way out, puts the dispatcher behind its
 * front door, and registers it. It must never be open to the public: only its own caller's account may invoke it.
 */
import { http } from "@google-cloud/functions-framework";
import { cloudTaskQueues } from "./adapters/cloud-tasks.ts";
import { openCloudTasks } from "./adapters/cloud-tasks-client.ts";
import { egressGuard } from "./adapters/egress.ts";
import { openFirestore } from "./adapters/firestore-client.ts";
import { firestoreWebhookStores } from "./adapters/firestore-webhook-stores.ts";
import { openPubsub } from "./adapters/pubsub.ts";
import { aesSecretBox } from "./adapters/secret-box.ts";
import { systemClock, systemRandom } from "./adapters/system.ts";
import { openTracingWithClients } from "./adapters/trace-with-clients.ts";
import { firestoreNames, settingsIn } from "./config.ts";
import { traceSettingsIn, webhookQueuesIn, webhookUrlsIn } from "./config-readers.ts";
import { closing, shutDownGracefully } from "./edge/graceful-shutdown.ts";
import { installFrontDoor } from "./edge/install-front-door.ts";
import { webhookDispatcher } from "./edge/webhook-dispatcher.ts";

const setting = settingsIn(process.env);
const projectId = setting("project");

const seen = openTracingWithClients("webhook-dispatcher", traceSettingsIn(process.env));
const firestore = openFirestore({ projectId, databaseId: setting("firestoreDatabase") });
const collections = { database: firestore.database, names: firestoreNames };
const bus = openPubsub({ projectId, topic: setting("eventsTopic") }, process.env);
const client = openCloudTasks();

const handler = webhookDispatcher({
  ...seen.watch({
    ...firestoreWebhookStores(collections),
    egress: egressGuard({ urls: webhookUrlsIn(process.env) }),
    publisher: bus,
    tasks: cloudTaskQueues({ client, clock: systemClock, ...webhookQueuesIn(process.env) }),
  }),
  box: aesSecretBox(setting("endpointSecretKey")),
  ...{ ...seen, clock: systemClock, random: systemRandom },
  ...{ callerAccount: setting("callerAccount"), intentionsCaller: setting("intentionsCaller") },
});

const door = installFrontDoor(handler, seen);
shutDownGracefully(door, { onDrained: closing(firestore, bus, client, seen) });

// The framework wants a function under this name; the front door answers every request before it is asked.
http("webhook-dispatcher", () => {});
