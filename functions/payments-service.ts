/**
 * What stands behind the door of payments-api: opens the stores and puts the API together. payments-api.ts loads it late.
 * It must never hold a step of a request, nor read a setting that payments-api.ts did not check at the start.
 */
import { httpAcquirer } from "./adapters/acquirer.ts";
import { openTaskQueues } from "./adapters/cloud-tasks-client.ts";
import { openFirestore } from "./adapters/firestore-client.ts";
import { firestoreIdempotencyCache } from "./adapters/firestore-idempotency-cache.ts";
import { firestoreWebhookStores } from "./adapters/firestore-webhook-stores.ts";
import { identityTokenFor } from "./adapters/identity-token.ts";
import { openPubsub } from "./adapters/pubsub.ts";
import { openRedisCache } from "./adapters/redis-idempotency-cache.ts";
import { aesSecretBox } from "./adapters/secret-box.ts";
import { openSpanner } from "./adapters/spanner-client.ts";
import { spannerPayments } from "./adapters/spanner-payments.ts";
import { systemClock, systemRandom } from "./adapters/system.ts";
import { recordClientSpans } from "./adapters/trace-client-spans.ts";
import type { OpenTracing } from "./adapters/trace-open.ts";
import { firestoreNames as names } from "./config.ts";
import type { PaymentsSettings } from "./config-readers.ts";
import { busMessageOf } from "./edge/bus-message.ts";
import { crashTour } from "./edge/crash-tour.ts";
import { closing } from "./edge/graceful-shutdown.ts";
import type { OpenedService } from "./edge/opened-later.ts";
import { warmedUp } from "./edge/warm-up.ts";
import { eventOutlet } from "./flows/publish-commits.ts";

/** Opens everything at once; the first calls go out in the background, and what they bring shows in the first requests. */
export function openPayments(settings: PaymentsSettings, seen: OpenTracing): OpenedService {
  recordClientSpans(seen.clientSpans);
  const machine = { clock: systemClock, random: systemRandom, log: seen.log, tracer: seen.tracer };
  const [spanner, redis] = [openSpanner(settings.ledger, seen.log), openRedisCache(settings.cacheServer, machine)];
  const firestore = openFirestore(settings.documents);
  const documents = { database: firestore.database, names, deleteAfterField: names.deleteAfter };
  const bus = openPubsub(settings.bus, process.env);
  const { cache, publisher, ...stores } = seen.watch({
    ...{ ...spannerPayments(spanner), publisher: bus },
    cache: redis?.cache ?? firestoreIdempotencyCache({ ...documents, collection: names.idempotencyKeys }),
  });
  const { audience, ...acquirer } = { ...settings.acquirer, ...seen.onward };
  const identityToken = identityTokenFor({ audience, clock: systemClock });
  const tasks = openTaskQueues({ ...machine, ...settings.settlements });
  const wakers = openTaskQueues({ ...machine, ...settings.webhookQueues });
  const outlet = eventOutlet({ ...machine, ledger: stores.ledger, publisher, render: busMessageOf });
  const api = crashTour(settings.isTourOpen, {
    ...{ ...machine, ...stores, outlet, cache },
    ...seen.watch({ acquirer: httpAcquirer({ ...acquirer, identityToken }) }),
    webhooks: seen.watch({
      ...{ ...firestoreWebhookStores(documents), tasks: wakers.calling(settings.webhookTarget) },
      ...{ box: aesSecretBox(settings.endpointSecretKey), urlRules: settings.webhookUrls },
    }),
    ...{ rateLimit: settings.rateLimit, terms: settings.terms },
    ...seen.watch({ tasks: tasks.calling(settings.settlementsTarget) }),
  });
  return {
    // The record of no key: an identity is a digest, and this is none.
    handler: warmedUp(api, () => Promise.all([cache.read("warm-up"), bus.warmUp()]), machine),
    close: closing(outlet, spanner, firestore, bus, tasks, wakers, redis),
  };
}
