// The official client, unmodified, changes, clears, cancels and pages through intents.
// It must never page by hand: the client's own loop is what has to end at the right place.
import type Stripe from "stripe";
import { openShop, payment, type Shop, thrownBy } from "./stripe-shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await openShop();
});
afterEach(() => shop.close());

describe("changing an intent", () => {
  test("metadata is set, changed and removed key by key, and cleared as a whole", async () => {
    const { paymentIntents } = shop.stripe;
    const { id } = await paymentIntents.create({
      amount: 500,
      currency: "usd",
      metadata: { order: "17", cart: "é😀" },
    });
    const changed = await paymentIntents.update(id, { metadata: { order: "18", cart: "", size: "XL" } });
    expect(changed.metadata).toEqual({ order: "18", size: "XL" });
    expect((await paymentIntents.update(id, { metadata: {} })).metadata).toEqual({ order: "18", size: "XL" });
    expect((await paymentIntents.update(id, { metadata: "" })).metadata).toEqual({});
    expect((await paymentIntents.retrieve(id)).metadata).toEqual({});
  });

  test("a description and an e-mail address are set and cleared; what is not named stays", async () => {
    const { paymentIntents } = shop.stripe;
    const { id } = await paymentIntents.create({ amount: 500, currency: "usd", description: "Tea & cake (50%)" });
    const withMail = await paymentIntents.update(id, { receipt_email: "a+b@shop.example" });
    expect(withMail).toMatchObject({ description: "Tea & cake (50%)", receipt_email: "a+b@shop.example" });
    const cleared = await paymentIntents.update(id, { description: "", receipt_email: "" });
    expect(cleared).toMatchObject({ description: null, receipt_email: null, amount: 500 });
  });

  test("a shipping address goes in and out, nested as it is, and is cleared", async () => {
    const { paymentIntents } = shop.stripe;
    const shipping = { name: "Ada", phone: "+1", address: { line1: "1 Way", city: "Bath", country: "GB" } };
    const created = await paymentIntents.create({ amount: 500, currency: "gbp", shipping });
    expect(created.shipping).toEqual({
      ...shipping,
      carrier: null,
      tracking_number: null,
      address: { ...shipping.address, line2: null, postal_code: null, state: null },
    });
    expect((await paymentIntents.update(created.id, { shipping: "" })).shipping).toBeNull();
  });

  test("an amount is changed until it was paid, and then not any more", async () => {
    const { paymentIntents } = shop.stripe;
    const { id } = await paymentIntents.create({ amount: 500, currency: "usd", payment_method: "pm_card_visa" });
    expect((await paymentIntents.update(id, { amount: 700 })).amount).toBe(700);
    expect((await paymentIntents.confirm(id)).amount_received).toBe(700);
    const error = await thrownBy(() => paymentIntents.update(id, { amount: 900 }));
    expect(error).toMatchObject({ statusCode: 400, code: "payment_intent_unexpected_state" });
    expect(error.payment_intent).toMatchObject({ id, amount: 700, status: "succeeded" });
  });

  test("an intent is canceled with a reason, once, and then neither confirmed nor canceled", async () => {
    const { paymentIntents } = shop.stripe;
    const { id } = await paymentIntents.create({ amount: 500, currency: "usd", payment_method: "pm_card_visa" });
    const canceled = await paymentIntents.cancel(id, { cancellation_reason: "requested_by_customer" });
    expect(canceled).toMatchObject({ status: "canceled", cancellation_reason: "requested_by_customer" });
    expect(canceled.canceled_at).toBe(canceled.created);
    for (const act of [() => paymentIntents.cancel(id), () => paymentIntents.confirm(id)]) {
      expect(await thrownBy(act)).toMatchObject({
        statusCode: 400,
        code: "payment_intent_unexpected_state",
        payment_intent: expect.objectContaining({ id, status: "canceled" }),
      });
    }
  });

  test("a confirm without a payment method, and a second confirm, are refused", async () => {
    const { paymentIntents } = shop.stripe;
    const { id } = await paymentIntents.create({ amount: 500, currency: "usd" });
    const missing = await thrownBy(() => paymentIntents.confirm(id));
    expect(missing).toMatchObject({ statusCode: 400, code: "payment_intent_unexpected_state" });
    expect(missing.message).toContain("missing a payment method");
    await paymentIntents.confirm(id, { payment_method: "pm_card_visa" });
    const second = await thrownBy(() => paymentIntents.confirm(id));
    expect(second.message).toContain("already succeeded");
  });
});

describe("paging through 25 intents, 10 at a time", () => {
  let newestFirst: string[];

  beforeEach(async () => {
    const created: string[] = [];
    for (let index = 0; index < 25; index += 1) {
      const customer = index % 2 === 0 ? "cus_even" : "cus_odd";
      const { json } = await shop.world.post(
        "/v1/payment_intents",
        `amount=${500 + index}&currency=usd&customer=${customer}`,
      );
      created.push(json.id);
      // Five in each second, so that equal times have to be told apart.
      if (index % 5 === 4) await shop.world.clock.advance(1_000);
    }
    newestFirst = created.reverse();
  });

  async function collect(params: Stripe.PaymentIntentListParams): Promise<string[]> {
    const ids: string[] = [];
    for await (const { id } of shop.stripe.paymentIntents.list({ limit: 10, ...params })) ids.push(id);
    return ids;
  }

  test("forward: each exactly once, newest first, in three requests", async () => {
    const ids = await collect({});
    expect([...ids].sort()).toEqual([...newestFirst].sort());
    const times = ids.map((id) => Math.floor(newestFirst.indexOf(id) / 5));
    expect(times).toEqual([...times].sort((one, other) => one - other));
    expect(shop.requests().filter((line) => line === "GET 200")).toHaveLength(3);
  });

  test("backward from the oldest: the same order, from its other end", async () => {
    const forward = await collect({});
    const oldest = forward.at(-1) ?? "";
    expect(await collect({ ending_before: oldest })).toEqual(forward.slice(0, -1).reverse());
  });

  test("from the middle in both directions: nothing is left out, nothing comes twice", async () => {
    const forward = await collect({});
    const middle = forward[12] ?? "";
    expect(await collect({ starting_after: middle })).toEqual(forward.slice(13));
    expect(await collect({ ending_before: middle })).toEqual(forward.slice(0, 12).reverse());
    expect(await collect({ starting_after: forward.at(-1) ?? "" })).toEqual([]);
    expect(await collect({ ending_before: forward[0] ?? "" })).toEqual([]);
  });

  test("a page is a list with its own address, and says whether more follow", async () => {
    const first = await shop.stripe.paymentIntents.list({ limit: 10 });
    expect(first).toMatchObject({ object: "list", url: "/v1/payment_intents", has_more: true });
    expect(first.data).toHaveLength(10);
    const all = await shop.stripe.paymentIntents.list({ limit: 25 });
    expect([all.has_more, all.data.length]).toEqual([false, 25]);
    expect((await shop.stripe.paymentIntents.list()).data).toHaveLength(10);
  });

  test("of one customer, of some seconds, and with charges expanded", async () => {
    const forward = await collect({});
    const even = await collect({ customer: "cus_even" });
    expect(even).toEqual(forward.filter((id) => newestFirst.indexOf(id) % 2 === 0));
    const begin = 1_768_478_400;
    expect(await collect({ created: { gte: begin + 1, lt: begin + 3 } })).toEqual(forward.slice(10, 20));
    expect(await collect({ created: begin + 4 })).toEqual(forward.slice(0, 5));
    await shop.stripe.paymentIntents.create(payment);
    const { data } = await shop.stripe.paymentIntents.list({ limit: 2, expand: ["data.latest_charge"] });
    expect(data.map(({ latest_charge }) => latest_charge)).toEqual([expect.objectContaining({ paid: true }), null]);
  });
});
