// Binds the sample shop's ports to its service account, as identity.ts does for the platform's.
// It must never let a call through whose grant is missing: it would be refused in the cloud, so it is refused here.

import type { SeenEvents } from "../functions/flows/receiver-ports.ts";
import type { ShopEndpoints, ShopOrders } from "../functions/flows/shop-ports.ts";
import { guarded, type Must } from "./guarded-call.ts";

/** The shop's ports with its rights. */
export type ShopIdentity = {
  shopOrders(orders: ShopOrders): ShopOrders;
  shopEndpoints(endpoints: ShopEndpoints): ShopEndpoints;
  seenEvents(seen: SeenEvents): SeenEvents;
};

/** The binding; `must` checks rights in the shop's own database. */
export function shopIdentity(must: Must): ShopIdentity {
  return {
    shopOrders: (orders) => ({
      create: guarded(() => must("create", "get"), orders.create),
      read: guarded(() => must("get"), orders.read),
      change: guarded(() => must("get", "update"), orders.change),
    }),
    shopEndpoints: (endpoints) => ({
      read: guarded(() => must("get"), endpoints.read),
      keep: guarded(() => must("create", "get"), endpoints.keep),
    }),
    seenEvents: (seen) => ({
      begin: guarded(() => must("create", "get", "update"), seen.begin),
      finish: guarded(() => must("update", "get"), seen.finish),
      release: guarded(() => must("update", "get", "delete"), seen.release),
    }),
  };
}
