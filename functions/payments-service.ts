/**
 * What stands behind the door of payments-api: opens the stores and puts the API together. payments-api.ts loads it late.
 * It must never hold a step of a request, nor read a setting that payments-api.ts did not check at the start.
 */
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
import { firestoreNames as names } from "./config.ts";
import type { PaymentsSettings } from "./config-readers.ts";
import { busMessageOf } from "./edge/bus-message.ts";
import { crashTour } from "./edge/crash-tour.ts";
import { closing } from "./edge/graceful-shutdown.ts";
import type { OpenedService } from "./edge/opened-later.ts";
import { warmedUp } from "./edge/warm-up.ts";
import { eventOutlet } from "./flows/publish-commits.ts";

/** Opens everything at once; the first calls go out in the background, and what they bring shows in the first requests. */
export function openPayments(settings: PaymentsSettings): OpenedService {
  const machine = { clock: systemClock, random: systemRandom, log: jsonLog };
  const spanner = openSpanner(settings.ledger, jsonLog);
  const firestore = openFirestore(settings.documents);
  const documents = { database: firestore.database, names };
  const cacheNames = { collection: names.idempotencyKeys, deleteAfterField: names.deleteAfter };
  const cache = firestoreIdempotencyCache({ ...documents, ...cacheNames });
  const stores = spannerPayments(spanner);
  const bus = openPubsub(settings.bus, process.env);
  const { audience, ...acquirer } = settings.acquirer;
  const tasks = openTaskQueues({ ...machine, ...settings.settlements });
  const wakers = openTaskQueues({ ...machine, ...settings.webhookQueues });
  const outlet = eventOutlet({ ...machine, ledger: stores.ledger, publisher: bus, render: busMessageOf });
  const api = crashTour(settings.isTourOpen, {
    ...{ ...machine, ...stores, outlet, cache },
    acquirer: httpAcquirer({ ...acquirer, identityToken: identityTokenFor({ audience, clock: systemClock }) }),
    webhooks: {
      ...{ endpoints: firestoreWebhookEndpoints(documents), deliveries: firestoreDeliveries(documents) },
      tasks: wakers.calling(settings.webhookTarget),
      ...{ box: aesSecretBox(settings.endpointSecretKey), urlRules: settings.webhookUrls },
    },
    ...{ rateLimit: settings.rateLimit, terms: settings.terms },
    tasks: tasks.calling(settings.settlementsTarget),
  });
  return {
    // The record of no key: an identity is a digest, and this is none.
    handler: warmedUp(api, () => Promise.all([cache.read("warm-up"), bus.warmUp()]), machine),
    close: closing(outlet, spanner, firestore, bus, tasks, wakers),
  };
}
