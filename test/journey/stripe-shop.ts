// A payments API on loopback with the official client before it, unmodified and with its default settings.
// It must never help the client: no retries, keys or versions but those that it chooses itself.
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import Stripe from "stripe";
import { createFrontDoorServer } from "../../functions/edge/install-front-door.ts";
import { openCuttingProxy } from "../support/cutting-proxy.ts";
import { apiKeys, openWorld } from "../support/world.ts";

/** A world, the client that talks to it, and the line between them. */
export type Shop = Awaited<ReturnType<typeof openShop>>;

/** Opens a server, a line to it that can be cut, and a client. */
export async function openShop() {
  const world = await openWorld();
  const server = createFrontDoorServer(world.handler);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const line = await openCuttingProxy((server.address() as AddressInfo).port);
  const clientWith = (apiKey: string) => new Stripe(apiKey, { host: "127.0.0.1", port: line.port, protocol: "http" });
  return {
    world,
    line,
    clientWith,
    stripe: clientWith(apiKeys.first),
    /** Requests that reached the server, as `POST 200`, in order. */
    requests: () =>
      world.logged
        .map((text) => JSON.parse(text) as { message: string; method: string; status: number })
        .filter(({ message }) => message === "request")
        .map(({ method, status }) => `${method} ${status}`),
    close: () => {
      line.close();
      server.close();
      server.closeAllConnections();
    },
  };
}

/** What the client throws; fails when it throws nothing, or something that is not its own. */
export async function thrownBy(act: () => Promise<unknown>): Promise<InstanceType<typeof Stripe.errors.StripeError>> {
  try {
    await act();
  } catch (error) {
    if (error instanceof Stripe.errors.StripeError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

/** 20.00 USD with a card that the network approves, paid at once. */
export const payment = {
  amount: 2000,
  currency: "usd",
  confirm: true,
  payment_method: "pm_card_visa",
} satisfies Stripe.PaymentIntentCreateParams;
