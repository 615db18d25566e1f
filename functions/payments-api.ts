/**
 * Entry of payments-api: reads the settings, opens the stores, puts the API behind its front door, and registers it.
 * It must never hold a step of a request: those are in edge/ and flows/.
 */
import { http } from "@google-cloud/functions-framework";
import { httpAcquirer } from "./adapters/acquirer.ts";
import { openTaskQueues } from "./adapters/cloud-tasks-client.ts";
import { openFirestore } from "./adapters/firestore-client.ts";
import { firestoreDeliveries } from "./adapters/firestore-deliveries.ts";
import { firestoreIdempotencyCache } from "./adapters/firestore-idempotency-cache.ts";
import { firestoreWebhookEndpoints } from "./adapters/firestore-webhook-endpoints.ts";
import { identityTokenFor } from "./adapters/identity-token.ts";
import { openPubsub } from "./adapters/pubsub.ts";
import { aesSecretBox } from "./adapters/secret-box.ts";
import { openSpanner } from "./adapters/spanner-client.ts";
import { spannerPayments } from "./adapters/spanner-payments.ts";
import { jsonLog, systemClock, systemRandom } from "./adapters/system.ts";
import { firestoreNames as names, settingsIn } from "./config.ts";
import * as readers from "./config-readers.ts";
import { busMessageOf } from "./edge/bus-message.ts";
import { closing, shutDownGracefully } from "./edge/graceful-shutdown.ts";
import { installFrontDoor } from "./edge/install-front-door.ts";
import { paymentsApi } from "./edge/payments-api.ts";
import { warmedUp } from "./edge/warm-up.ts";
import { eventOutlet } from "./flows/publish-commits.ts";

const setting = settingsIn(process.env);
const spanner = openSpanner(readers.ledgerNamesIn(process.env), jsonLog);
const firestore = openFirestore({ projectId: setting("project"), databaseId: setting("firestoreDatabase") });
const documents = { database: firestore.database, names };
const cacheNames = { collection: names.idempotencyKeys, deleteAfterField: names.deleteAfter };
const cache = firestoreIdempotencyCache({ ...documents, ...cacheNames });
const stores = spannerPayments(spanner);
const bus = openPubsub({ projectId: setting("project"), topic: setting("eventsTopic") }, process.env);
const { audience, ...acquirer } = readers.acquirerNamesIn(process.env);
const machine = { clock: systemClock, random: systemRandom, log: jsonLog };
const tasks = openTaskQueues({ ...machine, ...readers.settlementsIn(process.env) });
const wakers = openTaskQueues({ ...machine, ...readers.webhookQueuesIn(process.env) });
const outlet = eventOutlet({ ...machine, ledger: stores.ledger, publisher: bus, render: busMessageOf });

const api = paymentsApi({
  ...{ ...machine, ...stores, outlet, cache },
  acquirer: httpAcquirer({ ...acquirer, identityToken: identityTokenFor({ audience, clock: systemClock }) }),
  webhooks: {
    ...{ endpoints: firestoreWebhookEndpoints(documents), deliveries: firestoreDeliveries(documents) },
    tasks: wakers.calling(setting("webhookTarget")),
    ...{ box: aesSecretBox(setting("endpointSecretKey")), urlRules: readers.webhookUrlsIn(process.env) },
  },
  ...{ rateLimit: readers.rateLimitOf(process.env), terms: readers.ledgerTermsOf(process.env) },
  tasks: tasks.calling(setting("settlementsTarget")),
});
// The record of no key: an identity is a digest, and this is none.
const handler = warmedUp(api, () => Promise.all([cache.read("warm-up"), bus.warmUp()]), machine);
const door = installFrontDoor(handler, { ownHeaders: () => ({ "Request-Id": systemRandom.id("req") }) });
shutDownGracefully(door, { onDrained: closing(outlet, spanner, firestore, bus, tasks, wakers) });

// The framework wants a function under this name; the front door answers every request before it is asked.
http("payments-api", () => {});
