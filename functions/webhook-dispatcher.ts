/**
 * Entry of webhook-dispatcher: reads the settings, opens stores, bus, queues and the way out, puts the dispatcher behind its
 * front door, and registers it. It must never be open to the public: only its own caller's account may invoke it.
 */
import { http } from "@google-cloud/functions-framework";
import { cloudTaskQueues } from "./adapters/cloud-tasks.ts";
import { openCloudTasks } from "./adapters/cloud-tasks-client.ts";
import { egressGuard } from "./adapters/egress.ts";
import { openFirestore } from "./adapters/firestore-client.ts";
import { firestoreDeliveries, firestoreEndpointHealth } from "./adapters/firestore-deliveries.ts";
import { firestoreWebhookEndpoints } from "./adapters/firestore-webhook-endpoints.ts";
import { openPubsub } from "./adapters/pubsub.ts";
import { aesSecretBox } from "./adapters/secret-box.ts";
import { jsonLog, systemClock, systemRandom } from "./adapters/system.ts";
import { firestoreNames, settingsIn } from "./config.ts";
import { webhookQueuesIn, webhookUrlsIn } from "./config-readers.ts";
import { closing, shutDownGracefully } from "./edge/graceful-shutdown.ts";
import { installFrontDoor } from "./edge/install-front-door.ts";
import { webhookDispatcher } from "./edge/webhook-dispatcher.ts";

const setting = settingsIn(process.env);
const projectId = setting("project");

const firestore = openFirestore({ projectId, databaseId: setting("firestoreDatabase") });
const collections = { database: firestore.database, names: firestoreNames };
const bus = openPubsub({ projectId, topic: setting("eventsTopic") }, process.env);
const client = openCloudTasks();

const handler = webhookDispatcher({
  deliveries: firestoreDeliveries(collections),
  endpoints: firestoreWebhookEndpoints(collections),
  health: firestoreEndpointHealth(collections),
  box: aesSecretBox(setting("endpointSecretKey")),
  egress: egressGuard({ urls: webhookUrlsIn(process.env) }),
  publisher: bus,
  tasks: cloudTaskQueues({ client, clock: systemClock, ...webhookQueuesIn(process.env) }),
  ...{ clock: systemClock, random: systemRandom, log: jsonLog, callerAccount: setting("callerAccount") },
});

const door = installFrontDoor(handler);
shutDownGracefully(door, { onDrained: closing(firestore, bus, client) });

// The framework wants a function under this name; the front door answers every request before it is asked.
http("webhook-dispatcher", () => {});
