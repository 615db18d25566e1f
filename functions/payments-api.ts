/**
 * Entry of payments-api: reads the settings, opens the stores, puts the API behind its front door, and registers it.
 * It must never hold a step of a request: those are in edge/ and flows/.
 */
import { http } from "@google-cloud/functions-framework";
import { httpAcquirer } from "./adapters/acquirer.ts";
import { openFirestore } from "./adapters/firestore-client.ts";
import { firestoreIdempotencyCache } from "./adapters/firestore-idempotency-cache.ts";
import { firestoreWebhookEndpoints } from "./adapters/firestore-webhook-endpoints.ts";
import { identityTokenFor } from "./adapters/identity-token.ts";
import { aesSecretBox } from "./adapters/secret-box.ts";
import { spannerAccounts } from "./adapters/spanner-accounts.ts";
import { openSpanner } from "./adapters/spanner-client.ts";
import { spannerLedger } from "./adapters/spanner-ledger.ts";
import { jsonLog, systemClock, systemRandom } from "./adapters/system.ts";
import { environmentNames, firestoreNames, ledgerTermsOf, rateLimitOf, requiredVariable } from "./config.ts";
import { shutDownGracefully } from "./edge/graceful-shutdown.ts";
import { installFrontDoor } from "./edge/install-front-door.ts";
import { paymentsApi } from "./edge/payments-api.ts";
import { warmedUp } from "./edge/warm-up.ts";

const setting = (name: keyof typeof environmentNames) => requiredVariable(process.env, environmentNames[name]);
const projectId = setting("project");

const names = { projectId, instance: setting("spannerInstance"), database: setting("spannerDatabase") };
const spanner = openSpanner(names, jsonLog);
const firestore = openFirestore({ projectId, databaseId: setting("firestoreDatabase") });

const cache = firestoreIdempotencyCache({
  database: firestore.database,
  collection: firestoreNames.idempotencyKeys,
  deleteAfterField: firestoreNames.deleteAfter,
});

const api = paymentsApi({
  ledger: spannerLedger(spanner),
  accounts: spannerAccounts(spanner),
  cache,
  acquirer: httpAcquirer({
    baseUrl: setting("acquirerUrl"),
    secret: setting("acquirerSecret"),
    identityToken: identityTokenFor({ audience: process.env[environmentNames.acquirerAudience], clock: systemClock }),
  }),
  webhooks: {
    endpoints: firestoreWebhookEndpoints({ database: firestore.database, names: firestoreNames }),
    box: aesSecretBox(setting("endpointSecretKey")),
    urlRules: { httpAllowed: setting("webhookHttpAllowed") === "true" },
  },
  ...{ clock: systemClock, random: systemRandom, log: jsonLog },
  rateLimit: rateLimitOf(process.env),
  terms: ledgerTermsOf(process.env),
});
// The record of no key: an identity is a digest, and this is none.
const handler = warmedUp(api, () => cache.read("warm-up"), { clock: systemClock, log: jsonLog });

const door = installFrontDoor(handler, { ownHeaders: () => ({ "Request-Id": systemRandom.id("req") }) });
shutDownGracefully(door, { onDrained: async () => void (await Promise.all([spanner.close(), firestore.close()])) });

// The framework wants a function under this name; the front door answers every request before it is asked.
http("payments-api", () => {});
