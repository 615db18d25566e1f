/**
 * The sample shop's webhook endpoint in memory, for the laptop and for tests.
 * It must never replace the one that stands, and never answer in the same turn of the event loop.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { ShopEndpoint, ShopEndpoints } from "../../flows/shop-ports.ts";

/** No endpoint yet. */
export function memoryShopEndpoints(): ShopEndpoints {
  let standing: ShopEndpoint | undefined;
  return {
    read: async () => {
      await nextTurn();
      return standing && { ...standing };
    },
    keep: async (endpoint) => {
      await nextTurn();
      standing ??= { ...endpoint };
      return { ...standing };
    },
  };
}
