// The sample shop beside a whole payments API: the shop calls the API over HTTP on loopback, tests call the shop.
// It must never let the shop see the API's stores: all it knows of a payment came over the wire.

import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { memorySeenEvents } from "../../functions/adapters/memory/seen-events.ts";
import { memoryShopEndpoints } from "../../functions/adapters/memory/shop-endpoints.ts";
import { memoryShopOrders } from "../../functions/adapters/memory/shop-orders.ts";
import { httpPayments } from "../../functions/adapters/payments-http.ts";
import { systemRandom } from "../../functions/adapters/system.ts";
import { createFrontDoorServer } from "../../functions/edge/install-front-door.ts";
import { sampleShop } from "../../functions/edge/sample-shop.ts";
import type { WireHandler } from "../../functions/edge/wire.ts";
import { intercept } from "./interception.ts";
import { manualClock } from "./manual-clock.ts";
import { settled } from "./patience.ts";
import { apiKeys, beginMs, openWorld } from "./world.ts";

/** A shop and the API that it pays through. */
export type ShopWorld = Awaited<ReturnType<typeof openShop>>;

/** Opens both; `close` ends the API's server. */
export async function openShop() {
  const world = await openWorld();
  const server = createFrontDoorServer(world.handler).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const orders = memoryShopOrders();
  const ports = {
    orders: intercept(orders),
    payments: intercept(httpPayments({ baseUrl: `http://127.0.0.1:${port}`, apiKey: apiKeys.first })),
    endpoints: intercept(memoryShopEndpoints()),
  };
  const clock = manualClock(beginMs);
  const bothClocks = {
    ...clock,
    advance: async (milliseconds: number) =>
      void (await Promise.all([world.clock.advance(milliseconds), clock.advance(milliseconds)])),
  };
  const logged: string[] = [];
  const handler = sampleShop({
    orders: ports.orders.port,
    payments: ports.payments.port,
    endpoints: ports.endpoints.port,
    seen: memorySeenEvents(),
    clock,
    random: systemRandom,
    log: (severity, message, fields = {}) => void logged.push(JSON.stringify({ severity, message, ...fields })),
  });
  return {
    ...{ world, orders, ports, clock, logged, handler },
    browse: browserOf(handler),
    /** Lets time pass, for the shop and for the API, until the work is done. */
    passTime: <Result>(work: Promise<Result>) => settled(bothClocks, work),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** An answer of the shop as a test reads it. */
export interface ShopReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** Where a redirect leads; empty for a page. */
  readonly location: string;
}

/** What a browser does to a shop, without one. */
function browserOf(handler: WireHandler) {
  const send = async (method: string, target: string, body = "", type = formType): Promise<ShopReply> => {
    const headers = new Map<string, readonly string[]>([["host", ["shop.example"]]]);
    if (method === "POST") headers.set("content-type", [type]);
    const answer = await handler({ method, target, headers, body: Buffer.from(body, "utf8") });
    return {
      status: answer.status,
      headers: answer.headers,
      text: answer.body.toString("utf8"),
      location: answer.headers["Location"] ?? "",
    };
  };
  const get = (target: string) => send("GET", target);
  const post = (target: string, form: Record<string, string>) =>
    send("POST", target, new URLSearchParams(form).toString());
  return {
    send,
    get,
    post,
    /** The token of a new order form. */
    token: async () => /name="token" value="([\w-]+)"/.exec((await get("/")).text)?.[1] ?? "",
    /** Sends an order form. */
    order: (token: string, fields: Record<string, string> = {}) => post("/orders", { token, ...beans, ...fields }),
  };
}

const formType = "application/x-www-form-urlencoded";

/** One bag of coffee, paid by a card that pays. */
const beans = { item: "beans", quantity: "1", card: "pm_card_visa" };
