// The official client, unmodified, retrieves, changes, expands and pages through refunds.
// It must never page by hand: the client's own loop is what has to end at the right place.
import type Stripe from "stripe";
import { expectValid } from "../support/schemas.ts";
import { apiKeys } from "../support/world.ts";
import { openShop, payment, type Shop, thrownBy } from "./stripe-shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await openShop();
});
afterEach(() => shop.close());

describe("one refund", () => {
  let refund: Stripe.Refund;
  beforeEach(async () => {
    const { id } = await shop.stripe.paymentIntents.create(payment);
    refund = await shop.stripe.refunds.create({ payment_intent: id, amount: 500, metadata: { a: "1" } });
  });

  test("is retrieved as it was answered, with its charge and its intent whole when asked", async () => {
    const { refunds } = shop.stripe;
    expect({ ...(await refunds.retrieve(refund.id)) }).toEqual({ ...refund });
    const whole = await refunds.retrieve(refund.id, { expand: ["charge", "payment_intent", "balance_transaction"] });
    expectValid("refund", { ...whole });
    expect(whole.charge).toMatchObject({
      object: "charge",
      amount_refunded: 500,
      payment_intent: refund.payment_intent,
    });
    expect(whole.payment_intent).toMatchObject({ object: "payment_intent", id: refund.payment_intent });
    const made = await refunds.create({ charge: String(refund.charge), amount: 100, expand: ["charge"] });
    expect(made.charge).toMatchObject({ object: "charge", amount_refunded: 600 });
  });

  test("takes new metadata key by key, and nothing else", async () => {
    const { refunds } = shop.stripe;
    const changed = await refunds.update(refund.id, { metadata: { a: "", b: "2" } });
    expect({ ...changed }).toEqual({ ...refund, metadata: { b: "2" } });
    expect((await refunds.update(refund.id, { metadata: "" })).metadata).toEqual({});
    const error = await thrownBy(() => refunds.update(refund.id, { amount: 1 } as Stripe.RefundUpdateParams));
    expect(error).toMatchObject({ statusCode: 400, code: "parameter_unknown", param: "amount" });
    const more = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`k${index}`, "v"]));
    expect(await thrownBy(() => refunds.update(refund.id, { metadata: more }))).toMatchObject({ param: "metadata" });
    expect(
      shop.world.ledger
        .rows("events")
        .map(({ type }) => type)
        .slice(-2),
    ).toEqual(["refund.updated", "refund.updated"]);
  });

  test("that has ended is not canceled", async () => {
    const error = await thrownBy(() => shop.stripe.refunds.cancel(refund.id));
    expect(error).toMatchObject({ statusCode: 400, param: "refund" });
    expect(error.message).toContain("status is succeeded");
    expect((await shop.stripe.refunds.retrieve(refund.id)).status).toBe("succeeded");
  });

  test("of another account does not exist: not to show, change, cancel, list, nor to make of its payment", async () => {
    const { refunds } = shop.clientWith(apiKeys.second);
    const acts = [
      () => refunds.retrieve(refund.id),
      () => refunds.update(refund.id, { metadata: { a: "2" } }),
      () => refunds.cancel(refund.id),
    ];
    for (const act of acts) {
      expect(await thrownBy(act)).toMatchObject({ statusCode: 404, code: "resource_missing", param: "refund" });
    }
    expect((await refunds.list()).data).toEqual([]);
    expect((await refunds.list({ charge: String(refund.charge) })).data).toEqual([]);
    const byIntent = await thrownBy(() => refunds.create({ payment_intent: String(refund.payment_intent) }));
    expect(byIntent).toMatchObject({ statusCode: 404, code: "resource_missing", param: "payment_intent" });
    const byCharge = await thrownBy(() => refunds.create({ charge: String(refund.charge) }));
    expect(byCharge).toMatchObject({ statusCode: 404, code: "resource_missing", param: "charge" });
    expect(shop.world.ledger.rows("refunds")).toHaveLength(1);
  });
});

describe("paging through 25 refunds of two payments, 10 at a time", () => {
  let payments: { readonly intent: string; readonly charge: string }[];

  beforeEach(async () => {
    payments = [];
    for (let index = 0; index < 2; index += 1) {
      const { id, latest_charge } = await shop.stripe.paymentIntents.create(payment);
      payments.push({ intent: id, charge: String(latest_charge) });
    }
    for (let index = 0; index < 25; index += 1) {
      await shop.world.post("/v1/refunds", `charge=${payments[index % 2]?.charge}&amount=${index + 1}`);
      // Five in each second, so that equal times have to be told apart.
      if (index % 5 === 4) await shop.world.clock.advance(1_000);
    }
  });

  async function collect(params: Stripe.RefundListParams): Promise<Stripe.Refund[]> {
    const found: Stripe.Refund[] = [];
    for await (const refund of shop.stripe.refunds.list({ limit: 10, ...params })) found.push(refund);
    return found;
  }
  const idsOf = (refunds: readonly Stripe.Refund[]) => refunds.map(({ id }) => id);

  test("forward: each exactly once, newest first", async () => {
    const all = await collect({});
    expect(all.map(({ amount }) => amount).sort((one, other) => one - other)).toEqual(
      Array.from({ length: 25 }, (_, index) => index + 1),
    );
    const times = all.map(({ created }) => created);
    expect(times).toEqual([...times].sort((one, other) => other - one));
  });

  test("from the middle in both directions: nothing is left out, nothing comes twice", async () => {
    const all = idsOf(await collect({}));
    const middle = all[12] ?? "";
    expect(idsOf(await collect({ starting_after: middle }))).toEqual(all.slice(13));
    expect(idsOf(await collect({ ending_before: middle }))).toEqual(all.slice(0, 12).reverse());
    expect(await collect({ starting_after: all.at(-1) ?? "" })).toEqual([]);
    expect(await collect({ ending_before: all[0] ?? "" })).toEqual([]);
  });

  test("of one intent, of one charge, of some seconds, and with charges expanded", async () => {
    const all = await collect({});
    const [first, second] = payments;
    const ofFirst = all.filter(({ charge }) => charge === first?.charge);
    expect(ofFirst).toHaveLength(13);
    expect(idsOf(await collect({ charge: first?.charge ?? "" }))).toEqual(idsOf(ofFirst));
    expect(idsOf(await collect({ payment_intent: first?.intent ?? "" }))).toEqual(idsOf(ofFirst));
    expect(await collect({ payment_intent: first?.intent ?? "", charge: second?.charge ?? "" })).toEqual([]);
    expect(await collect({ charge: "ch_none" })).toEqual([]);
    const begin = 1_768_478_400;
    expect(idsOf(await collect({ created: { gte: begin + 1, lt: begin + 3 } }))).toEqual(idsOf(all.slice(10, 20)));
    const { data, has_more, url } = await shop.stripe.refunds.list({ limit: 2, expand: ["data.charge"] });
    expect([data.length, has_more, url]).toEqual([2, true, "/v1/refunds"]);
    for (const refund of data) expect(refund.charge).toMatchObject({ object: "charge" });
    expectValid("list", JSON.parse(JSON.stringify({ object: "list", url, has_more, data })));
  });
});
