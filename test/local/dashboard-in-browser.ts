// A dashboard with a merchant's month behind it, on an address of its own, for a browser; and the same for a new merchant.
// It must never share anything between two starts, nor let a clock but the test's move.

import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { newDelivery } from "../../functions/domain/delivery-record.ts";
import { keyIdentity } from "../../functions/domain/idempotency.ts";
import { createFrontDoorServer } from "../../functions/edge/install-front-door.ts";
import type { MerchantApi } from "../../functions/flows/dashboard-ports.ts";
import type { History } from "../../functions/flows/history-ports.ts";
import { merchantApiOver, openDashboard } from "../support/dashboard.ts";
import { archiveDays, archiveKey } from "../support/dashboard-past.ts";
import { deadDelivery, deadEndpoint } from "../support/dead-deliveries.ts";
import { beginMs, type World } from "../support/world.ts";

/** What the API and the history do from now on. */
export type Weather = "fine" | "api away" | "history away" | { readonly held: Promise<unknown> };

/** A dashboard that can be visited. */
export type VisitedDashboard = Awaited<ReturnType<typeof openVisitedDashboard>>;

/** Starts it, with a month of data for the first account and none for the second. */
export async function openVisitedDashboard() {
  let weather: Weather = "fine";
  const inner: { api?: MerchantApi; history?: History } = {};
  const call: MerchantApi["call"] = async (request) => {
    if (typeof weather === "object") await weather.held;
    if (weather === "api away" && request.path !== "/v1/account") return { kind: "silent", reason: "unreachable" };
    if (inner.api === undefined) throw new Error("not yet");
    return await inner.api.call(request);
  };
  const dash = await openDashboard({ api: { call } });
  inner.api = merchantApiOver(dash.world.handler);
  const ids = await fill(dash.world);
  archiveDays(dash.archive, "acct_first", beginMs);
  archiveKey(dash.archive, "acct_first", ids.keyId, beginMs);
  const server = createFrontDoorServer(dash.handler).listen(0, "127.0.0.1");
  await once(server, "listening");
  let restoreHistory = () => {};
  return {
    ...{ world: dash.world, ids, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
    become: (next: Weather) => {
      restoreHistory();
      weather = next;
      if (next === "history away") {
        restoreHistory = dash.history.disturbAll({ at: "before", act: "throw", error: new Error("away") });
      }
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Payments in every state that a person meets, a key that was used twice, and deliveries that went well and badly. */
async function fill(world: World) {
  const form = { amount: "2000", currency: "usd", confirm: "true", payment_method: "pm_card_visa" };
  const pay = async (more: Record<string, string>, key?: string) => {
    await world.clock.advance(61_000);
    const sent = key === undefined ? {} : { key };
    const { json } = await world.post(
      "/v1/payment_intents",
      new URLSearchParams({ ...form, ...more }).toString(),
      sent,
    );
    return (json.id ?? json.error.payment_intent.id) as string;
  };
  const endpoint = await deadEndpoint(world, { description: "Orders, production" });
  for (let number = 1; number <= 6; number += 1)
    await pay({ amount: String(1_250 * number), description: `Order ${number}` });
  await pay({ payment_method: "pm_card_chargeDeclinedInsufficientFunds", description: "Order 7" });
  await pay({ capture_method: "manual", description: "Order 8, sent next week" });
  await pay({
    currency: "jpy",
    amount: "5000",
    description: "Order 9, a name that goes on and on without a place where it would break".replaceAll(" ", "_"),
  });
  await pay({ confirm: "false", description: "Order 10" });
  const payment = await pay(
    { description: "Order 11 <b>not bold</b>", "metadata[order]": "11", "metadata[note]": "a gift" },
    "order-1001",
  );
  await world.post("/v1/refunds", `payment_intent=${payment}&amount=500`);
  const deliveries: string[] = [];
  for (let number = 1; number <= 3; number += 1) {
    const at = { eventId: `evt_dead${number}`, createdAtMs: beginMs - number * 3_600_000 };
    deliveries.push(await deadDelivery(world, endpoint, { ...at, excerpt: "<html>502 Bad Gateway</html>" }));
  }
  const about = {
    accountId: "acct_first",
    endpointId: endpoint,
    eventType: "payment_intent.succeeded",
    body: Buffer.from("{}"),
  };
  const waiting = newDelivery({ ...about, eventId: "evt_waiting" }, beginMs);
  await world.deliveries.create({ ...waiting, next: { number: 4, atMs: beginMs + 7_200_000 } });
  const delivered = newDelivery({ ...about, eventId: "evt_delivered" }, beginMs);
  await world.deliveries.create({ ...delivered, state: "delivered", next: null, sweepAtMs: null });
  return { endpoint, payment, delivery: deliveries[0] ?? "", keyId: keyIdentity("acct_first", false, "order-1001") };
}
