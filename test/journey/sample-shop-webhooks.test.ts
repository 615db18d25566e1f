// The sample shop hears of its payments by signed events of the whole API: verified, once each, in any order.
// It must never believe an event that is not signed, nor need one to place an order.

import { refuse } from "../../functions/domain/errors.ts";
import { phaseOf } from "../../functions/domain/order.ts";
import { signatureHeaders } from "../../functions/domain/signature.ts";
import { openShop, type ShopWorld } from "../support/shop.ts";
import { beginMs } from "../support/world.ts";

let shop: ShopWorld;
beforeEach(async () => {
  shop = await openShop();
});
afterEach(() => shop.close());

// biome-ignore lint/suspicious/noExplicitAny: events as the wire has them.
type WireEvent = any;

/** The API's events, oldest first. */
const eventsNow = async (): Promise<WireEvent[]> => (await shop.world.get("/v1/events?limit=100")).json.data.reverse();

/** One delivery of an event, signed now with the endpoint's secret unless told otherwise. */
async function deliver(event: WireEvent, change: { secret?: string; body?: string } = {}) {
  const endpoint = await shop.ports.endpoints.port.read();
  const body = Buffer.from(JSON.stringify(event), "utf8");
  const secret = change.secret ?? endpoint?.secret ?? otherSecret;
  const signed = signatureHeaders({ id: event.id, body, signedAtMs: beginMs }, [secret]);
  const headers = new Map(Object.entries(signed).map(([name, value]) => [name.toLowerCase(), [value]]));
  const sent = change.body === undefined ? body : Buffer.from(change.body, "utf8");
  const answer = await shop.handler({ method: "POST", target: "/webhooks", headers, body: sent });
  return answer.status;
}

const otherSecret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const onlyOrder = () => {
  const [order, ...more] = shop.orders.all();
  if (order === undefined || more.length > 0) throw new Error("There must be one order.");
  return order;
};
const paidLines = () => shop.logged.filter((line) => line.includes('"order paid"'));

/** An order whose payment was made, while the shop heard no answer. */
async function orderUnheard(): Promise<void> {
  const { pay } = shop.ports.payments.port;
  shop.ports.payments.port.pay = async (order) => {
    await pay(order);
    return { kind: "unknown", reason: "there was no answer" };
  };
  await shop.passTime(shop.browse.order(await shop.browse.token()));
}

describe("the shop's endpoint", () => {
  test("is made by the first order, once, however many follow at once", async () => {
    await shop.passTime(
      Promise.all(Array.from({ length: 5 }, async () => shop.browse.order(await shop.browse.token()))),
    );
    await shop.browse.order(await shop.browse.token());

    const { data } = (await shop.world.get("/v1/webhook_endpoints")).json;
    expect(data.map(({ url }: { url: string }) => url)).toEqual(["https://shop.example/webhooks"]);
    expect((await shop.ports.endpoints.port.read())?.secret).toMatch(/^whsec_/);
    expect(shop.logged.join()).not.toContain("whsec_");
  });

  test.each([
    ["the API refuses it", async () => ({ kind: "refused", reason: "status 400, url_invalid" }) as const],
    ["nobody answers", async () => ({ kind: "unknown", reason: "there was no answer" }) as const],
  ])("is not needed for an order: %s", async (_title, makeEndpoint) => {
    shop.ports.payments.port.makeEndpoint = makeEndpoint;

    await shop.browse.order(await shop.browse.token());

    expect(phaseOf(onlyOrder())).toBe("paid");
    expect(await deliver({ id: "evt_1" })).toBe(503);
  });

  test("is not needed for an order: the shop's store fails", async () => {
    shop.ports.endpoints.disturb("read", { at: "before", act: "throw", error: refuse("store_unavailable", "down") });

    await shop.browse.order(await shop.browse.token());

    expect(phaseOf(onlyOrder())).toBe("paid");
  });
});

describe("an event", () => {
  test("marks an order paid whose answer was lost, once, however often it comes", async () => {
    await orderUnheard();
    expect(phaseOf(onlyOrder())).toBe("unknown");
    const paid = (await eventsNow()).find(({ type }) => type === "payment_intent.succeeded");

    const statuses = [await deliver(paid), await deliver(paid), ...(await Promise.all([deliver(paid), deliver(paid)]))];

    expect(statuses).toEqual([200, 200, 200, 200]);
    expect(phaseOf(onlyOrder())).toBe("paid");
    expect(paidLines()).toEqual([expect.stringContaining('"heardFrom":"event"')]);
  });

  test("F49: of a payment and its refunds, in any order and twice over, leaves the same order", async () => {
    await orderUnheard();
    const [intent] = (await shop.world.get("/v1/payment_intents")).json.data;
    for (const amount of [250, 1_000])
      await shop.world.post("/v1/refunds", `payment_intent=${intent.id}&amount=${amount}`, { key: `refund-${amount}` });
    const events = (await eventsNow()).filter(({ type }) => /^payment_intent|^charge/.test(type));
    const before = onlyOrder();
    const ends: string[] = [];
    for (const order of [events, [...events].reverse(), rotated(events, 2), rotated([...events].reverse(), 1)]) {
      await shop.orders.change(before.id, () => before);
      // Each round is a shop that has seen none of them.
      for (const event of [...order, ...order])
        expect(await deliver({ ...event, id: `${event.id}${ends.length}` })).toBe(200);
      ends.push(text(onlyOrder()));
    }

    expect(events.length).toBeGreaterThanOrEqual(5);
    expect(new Set(ends).size).toBe(1);
    expect(phaseOf(onlyOrder())).toBe("refunded");
    expect(paidLines()).toHaveLength(4);
  });

  test("that is signed by another secret, or changed on its way, is refused and changes nothing", async () => {
    await orderUnheard();
    const paid = (await eventsNow()).find(({ type }) => type === "payment_intent.succeeded");

    expect(await deliver(paid, { secret: otherSecret })).toBe(400);
    expect(await deliver(paid, { body: JSON.stringify({ ...paid, object_version: 99 }) })).toBe(400);
    expect(phaseOf(onlyOrder())).toBe("unknown");
  });

  test("that cannot be written down is asked for again, and then is", async () => {
    await orderUnheard();
    const paid = (await eventsNow()).find(({ type }) => type === "payment_intent.succeeded");
    shop.ports.orders.disturb("change", { at: "before", act: "throw", error: refuse("store_unavailable", "down") });

    expect([await deliver(paid), await deliver(paid)]).toEqual([503, 200]);
    expect(phaseOf(onlyOrder())).toBe("paid");
  });

  test.each([
    ["another shop's order", { metadata: { order_id: `order_${"0".repeat(32)}` } }],
    ["no order", { metadata: {} }],
  ])("about %s is dealt with by doing nothing", async (_title, change) => {
    await orderUnheard();
    const paid = (await eventsNow()).find(({ type }) => type === "payment_intent.succeeded");
    const other = { ...paid, data: { object: { ...paid.data.object, ...change } } };

    expect(await deliver(other)).toBe(200);
    expect(phaseOf(onlyOrder())).toBe("unknown");
  });
});

const rotated = <Value>(values: readonly Value[], by: number): Value[] => [...values.slice(by), ...values.slice(0, by)];

const text = (order: object) =>
  JSON.stringify(order, (_, value) => (typeof value === "bigint" ? String(value) : value));
