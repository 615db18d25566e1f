// Events as the official client reads them: what happened, frozen, for thirty days.
import { openShop, payment, type Shop, thrownBy } from "./stripe-shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await openShop();
});
afterEach(() => shop.close());

const dayMs = 24 * 60 * 60 * 1000;
const typesOf = async (parameters: object = {}) =>
  (await shop.stripe.events.list({ limit: 100, ...parameters })).data.map(({ type }) => type).sort();

describe("events", () => {
  test("tell each change once, with the request that caused it", async () => {
    const paid = await shop.stripe.paymentIntents.create(payment, { idempotencyKey: "order-1" });
    await shop.stripe.paymentIntents.create(payment, { idempotencyKey: "order-1" });
    const events = (await shop.stripe.events.list({ limit: 100 })).data;
    expect(events.map(({ type }) => type).sort()).toEqual([
      "charge.succeeded",
      "payment_intent.created",
      "payment_intent.succeeded",
    ]);
    for (const event of events)
      expect(event.request).toEqual({ id: paid.lastResponse.requestId, idempotency_key: "order-1" });
    expect(await typesOf({ type: "charge.*" })).toEqual(["charge.succeeded"]);
    expect(await typesOf({ types: ["payment_intent.created", "charge.succeeded"] })).toEqual([
      "charge.succeeded",
      "payment_intent.created",
    ]);
  });

  test("keep what they told when the object changes later", async () => {
    const made = await shop.stripe.paymentIntents.create({ amount: 2000, currency: "usd", description: "before" });
    await shop.stripe.paymentIntents.update(made.id, { description: "after" });
    const [created] = (await shop.stripe.events.list({ type: "payment_intent.created" })).data;
    const again = await shop.stripe.events.retrieve(created?.id ?? "");
    expect(again.data.object).toMatchObject({ id: made.id, description: "before" });
    expect(again.livemode).toBe(false);
  });

  test("of a hold, its capture and its refund are these", async () => {
    const held = await shop.stripe.paymentIntents.create({ ...payment, capture_method: "manual" });
    await shop.stripe.paymentIntents.capture(held.id, { amount_to_capture: 1500 });
    await shop.stripe.refunds.create({ payment_intent: held.id, amount: 500 });
    expect(await typesOf()).toEqual([
      "charge.captured",
      "charge.refunded",
      "charge.succeeded",
      "payment_intent.amount_capturable_updated",
      "payment_intent.created",
      "payment_intent.succeeded",
      "refund.created",
    ]);
  });

  test("can be retrieved for thirty days", async () => {
    await shop.stripe.paymentIntents.create({ amount: 2000, currency: "usd" });
    const [created] = (await shop.stripe.events.list()).data;
    await shop.world.clock.advance(30 * dayMs);
    expect((await shop.stripe.events.retrieve(created?.id ?? "")).id).toBe(created?.id);
    await shop.world.clock.advance(1);
    expect((await shop.stripe.events.list()).data).toEqual([]);
    expect(await thrownBy(() => shop.stripe.events.retrieve(created?.id ?? ""))).toMatchObject({
      code: "resource_missing",
      param: "id",
    });
  });

  test("of another account do not exist", async () => {
    await shop.stripe.paymentIntents.create({ amount: 2000, currency: "usd" });
    const [created] = (await shop.stripe.events.list()).data;
    const other = shop.clientWith("sk_test_second_account_2222");
    expect((await other.events.list()).data).toEqual([]);
    expect(await thrownBy(() => other.events.retrieve(created?.id ?? ""))).toMatchObject({ code: "resource_missing" });
  });

  test.each([
    [{ type: "customer.created" }, "type"],
    [{ types: ["charge.*", "nothing.*"] }, "types[1]"],
    [{ type: "charge.*", types: ["charge.failed"] }, "types"],
    [{ limit: 0 }, "limit"],
    [{ starting_after: "evt_none" }, "starting_after"],
  ])("refuse a list by %j and name the parameter", async (parameters, param) => {
    expect(await thrownBy(() => shop.stripe.events.list(parameters))).toMatchObject({ param });
  });
});
