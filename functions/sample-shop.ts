/**
 * Entry of sample-shop: reads the settings, opens the orders, puts the shop behind its front door, and registers it.
 * It must never be deployed where real money moves, and never touch a store of the payments API.
 */
import { http } from "@google-cloud/functions-framework";
import { openFirestore } from "./adapters/firestore-client.ts";
import { firestoreSeenEvents } from "./adapters/firestore-seen-events.ts";
import { firestoreShopEndpoints } from "./adapters/firestore-shop-endpoints.ts";
import { firestoreShopOrders } from "./adapters/firestore-shop-orders.ts";
import { identityTokenFor } from "./adapters/identity-token.ts";
import { httpPayments } from "./adapters/payments-http.ts";
import { aesSecretBox } from "./adapters/secret-box.ts";
import { systemClock, systemRandom } from "./adapters/system.ts";
import { openTracingWithClients } from "./adapters/trace-with-clients.ts";
import { environmentNames, firestoreNames, requiredVariable } from "./config.ts";
import { shopApiKeyOf, traceSettingsIn } from "./config-readers.ts";
import { closing, shutDownGracefully } from "./edge/graceful-shutdown.ts";
import { installFrontDoor } from "./edge/install-front-door.ts";
import { sampleShop } from "./edge/sample-shop.ts";

const setting = (name: keyof typeof environmentNames) => requiredVariable(process.env, environmentNames[name]);

const seen = openTracingWithClients("sample-shop", traceSettingsIn(process.env));
const firestore = openFirestore({ projectId: setting("project"), databaseId: setting("firestoreDatabase") });

const handler = sampleShop(
  seen.watch({
    orders: firestoreShopOrders({
      database: firestore.database,
      collection: firestoreNames.shopOrders,
      deleteAfterField: firestoreNames.deleteAfter,
    }),
    endpoints: firestoreShopEndpoints({
      database: firestore.database,
      collection: firestoreNames.shopEndpoints,
      box: aesSecretBox(setting("shopKeySeed")),
    }),
    seen: firestoreSeenEvents({ database: firestore.database, collection: firestoreNames.shopSeenEvents }),
    payments: httpPayments({
      baseUrl: setting("paymentsUrl"),
      ...seen.onward,
      apiKey: shopApiKeyOf(process.env),
      identityToken: identityTokenFor({ audience: process.env[environmentNames.paymentsAudience], clock: systemClock }),
    }),
    clock: systemClock,
    random: systemRandom,
    log: seen.log,
    tracer: seen.tracer,
  }),
);

const door = installFrontDoor(handler, seen);
shutDownGracefully(door, { onDrained: closing(firestore, seen) });

// The framework wants a function under this name; the front door answers every request before it is asked.
http("sample-shop", () => {});
