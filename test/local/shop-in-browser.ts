// The whole laptop with its shop, and a browser in front of it that talks to the shop through a line that can be cut.
// It must never share anything between two starts.

import { type MemoryShopOrders, memoryShopOrders } from "../../functions/adapters/memory/shop-orders.ts";
import { systemClock, systemRandom } from "../../functions/adapters/system.ts";
import { shopApiKeyOf } from "../../functions/config-readers.ts";
import type { ShopOrders } from "../../functions/flows/shop-ports.ts";
import { memoryStores, startEmbedded } from "../../local/embedded.ts";
import { seedShopKey } from "../../local/laptop-key.ts";
import { freePortFrom } from "../../local/listen.ts";
import { type CuttingProxy, openCuttingProxy } from "../support/cutting-proxy.ts";
import { type Intercepted, intercept } from "../support/interception.ts";
import { planned } from "./planned.ts";

/** A shop that can be visited. */
export interface VisitedShop {
  /** Address of the shop, through the line. */
  readonly url: string;
  readonly line: CuttingProxy;
  readonly orders: MemoryShopOrders;
  /** The orders as the shop reaches them. */
  readonly store: Intercepted<ShopOrders>;
  /** How many order forms have reached the shop. */
  formsReceived(): number;
  /** How many effects the acquirer's journal holds: how often money moved, or was refused. */
  effects(): Promise<number>;
  /** How many of them are authorizations that were granted. */
  granted(): Promise<number>;
  /** Calls the payments API as the shop, with a form; the answer's JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the wire holds.
  call(method: string, path: string, form?: Record<string, string>): Promise<any>;
  close(): Promise<void>;
}

/** Starts the laptop. */
export async function openVisitedShop(): Promise<VisitedShop> {
  const orders = memoryShopOrders();
  const store = intercept<ShopOrders>(orders);
  const stores = { ...memoryStores(), shopOrders: store.port };
  const host = await startEmbedded({
    plan: planned(),
    port: await freePortFrom(undefined),
    log: () => {},
    onRefusal: (message) => {
      throw new Error(message);
    },
    stores,
  });
  await seedShopKey({ accounts: host.accounts, clock: systemClock, random: systemRandom }, host);
  const line = await openCuttingProxy(Number(new URL(host.addresses.get("sample-shop") ?? "").port));
  return {
    url: `http://127.0.0.1:${line.port}`,
    ...{ line, orders, store },
    formsReceived: () => store.calls.filter((name) => name === "create").length,
    effects: async () => (await stores.journal.list(100)).length,
    granted: async () => {
      const lines = await stores.journal.list(100);
      return lines.filter(({ kind, result }) => kind === "authorize" && result.kind === "approved").length;
    },
    call: async (method, path, form) => {
      const response = await fetch(`${host.addresses.get("payments-api")}${path}`, {
        method,
        headers: { Authorization: `Bearer ${shopApiKeyOf(host.environments.get("sample-shop") ?? {})}` },
        ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
      });
      return await response.json();
    },
    close: async () => {
      line.close();
      await host.stop();
    },
  };
}
