// How the sample shop is put together on the laptop, and what it keeps.
// It must never give the shop a store of the platform's: all it knows of a payment comes over HTTP.

import { memorySeenEvents } from "../functions/adapters/memory/seen-events.ts";
import { memoryShopEndpoints } from "../functions/adapters/memory/shop-endpoints.ts";
import { memoryShopOrders } from "../functions/adapters/memory/shop-orders.ts";
import { httpPayments } from "../functions/adapters/payments-http.ts";
import type { Tracing } from "../functions/adapters/trace-open.ts";
import { environmentNames, requiredVariable } from "../functions/config.ts";
import { shopApiKeyOf } from "../functions/config-readers.ts";
import { sampleShop } from "../functions/edge/sample-shop.ts";
import type { WireHandler } from "../functions/edge/wire.ts";
import type { Clock, Log, Random } from "../functions/flows/ports.ts";
import type { SeenEvents } from "../functions/flows/receiver-ports.ts";
import type { ShopEndpoints, ShopOrders } from "../functions/flows/shop-ports.ts";
import type { Identity } from "./identity.ts";

/** What the shop keeps. */
export type ShopStores = { shopOrders: ShopOrders; shopEndpoints: ShopEndpoints; shopSeenEvents: SeenEvents };

/** Empty ones in memory. */
export function memoryShopStores(): ShopStores {
  return {
    shopOrders: memoryShopOrders(),
    shopEndpoints: memoryShopEndpoints(),
    shopSeenEvents: memorySeenEvents(),
  };
}

type Making = {
  identity: Identity;
  identityToken: (audience: string) => string;
  environment: Record<string, string>;
  stores: ShopStores;
  machine: { clock: Clock; random: Random; log: Log };
  tracing: Tracing;
};

/** The shop as its entry puts it together with the real adapters. */
export const shopMakers = {
  "sample-shop": ({ identity, identityToken, environment, stores, machine, tracing }: Making): WireHandler => {
    const audience = environment[environmentNames.paymentsAudience];
    return sampleShop({
      ...machine,
      orders: identity.shopOrders(stores.shopOrders),
      endpoints: identity.shopEndpoints(stores.shopEndpoints),
      seen: identity.seenEvents(stores.shopSeenEvents),
      payments: httpPayments({
        ...tracing.onward,
        baseUrl: requiredVariable(environment, environmentNames.paymentsUrl),
        apiKey: shopApiKeyOf(environment),
        identityToken: audience === undefined ? undefined : async () => identityToken(audience),
      }),
    });
  },
};
