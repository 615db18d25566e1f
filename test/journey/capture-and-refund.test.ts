// The official client, unmodified, holds money, captures it, lets it go and gives it back.
// It must never look into an answer by other means than the client's own objects; the journal counts effects.
import type Stripe from "stripe";
import { defaultTimings } from "../../functions/domain/idempotency.ts";
import { testSettlementMs } from "../../functions/domain/payment-methods.ts";
import { sweep } from "../support/completer.ts";
import { expectValid } from "../support/schemas.ts";
import { openShop, payment, type Shop, thrownBy } from "./stripe-shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await openShop();
});
afterEach(() => shop.close());

/** The bank has made up its mind, and the sweep has come by. */
async function endWhatIsPending(): Promise<void> {
  await shop.world.clock.advance(testSettlementMs + defaultTimings.callTimeoutMs + 1);
  await sweep(shop.world);
}

const hold = { ...payment, capture_method: "manual" } satisfies Stripe.PaymentIntentCreateParams;

/** Effects at the acquirer, by name: the clock stands, so they have no order in time. */
async function effects(): Promise<string[]> {
  const lines = await shop.world.journal.list(100);
  return lines.map(({ kind, amountMinor, result }) => `${kind} ${amountMinor} ${result.kind}`).sort();
}

/** Debits and credits of the merchant, oldest first. */
const merchantEntries = () =>
  shop.world.ledger
    .rows("ledger_transactions")
    .flatMap(({ kind, entries }) =>
      entries
        .filter(({ ledgerAccount }) => ledgerAccount === "merchant_payable")
        .map(({ direction, amountMinor }) => `${kind} ${direction} ${amountMinor}`),
    );

const eventTypes = () => shop.world.ledger.rows("events").map(({ type }) => type);

describe("money that is held", () => {
  test("is captured later, whole, with the metadata of the capture", async () => {
    const { paymentIntents } = shop.stripe;
    const held = await paymentIntents.create({ ...hold, metadata: { order: "17" }, expand: ["latest_charge"] });
    expect(held).toMatchObject({ status: "requires_capture", amount_capturable: 2000, amount_received: 0 });
    expect(held.latest_charge).toMatchObject({ paid: true, captured: false, amount_captured: 0 });
    expect(merchantEntries()).toEqual([]);

    const captured = await paymentIntents.capture(held.id, { metadata: { parcel: "9" }, expand: ["latest_charge"] });

    expect(captured).toMatchObject({ status: "succeeded", amount_capturable: 0, amount_received: 2000 });
    expect(captured.metadata).toEqual({ order: "17", parcel: "9" });
    expect(captured.latest_charge).toMatchObject({ captured: true, amount_captured: 2000, refunded: false });
    expect(await effects()).toEqual(["authorize 2000 approved", "capture 2000 approved"]);
    expect(merchantEntries()).toEqual(["charge credit 1912"]);
    expect(eventTypes()).toEqual([
      "payment_intent.created",
      "charge.succeeded",
      "payment_intent.amount_capturable_updated",
      "charge.captured",
      "payment_intent.succeeded",
    ]);
  });

  test("is captured in part, once: the rest is released, and a second capture is refused", async () => {
    const { paymentIntents } = shop.stripe;
    const { id } = await paymentIntents.create(hold);
    const captured = await paymentIntents.capture(id, { amount_to_capture: 750, expand: ["latest_charge"] });
    expect(captured).toMatchObject({ status: "succeeded", amount: 2000, amount_received: 750, amount_capturable: 0 });
    expect(captured.latest_charge).toMatchObject({ amount: 2000, amount_captured: 750, amount_refunded: 0 });

    const second = await thrownBy(() => paymentIntents.capture(id, { amount_to_capture: 1 }));

    expect(second).toMatchObject({ statusCode: 400, code: "payment_intent_unexpected_state" });
    expect(second.message).toContain("already been captured");
    expect(second.payment_intent).toMatchObject({ id, status: "succeeded", amount_received: 750 });
    expect(await effects()).toEqual(["authorize 2000 approved", "capture 750 approved"]);
    expect(merchantEntries()).toEqual(["charge credit 698"]);
  });

  test("is never captured beyond what is held, nor below one unit (F26)", async () => {
    const { paymentIntents } = shop.stripe;
    const { id } = await paymentIntents.create(hold);
    const more = await thrownBy(() => paymentIntents.capture(id, { amount_to_capture: 2001 }));
    expect(more).toMatchObject({ statusCode: 400, code: "amount_too_large", param: "amount_to_capture" });
    const none = await thrownBy(() => paymentIntents.capture(id, { amount_to_capture: 0 }));
    expect(none).toMatchObject({ statusCode: 400, code: "amount_too_small", param: "amount_to_capture" });
    const less = await thrownBy(() => paymentIntents.capture(id, { amount_to_capture: -25 }));
    expect(less).toMatchObject({ statusCode: 400, code: "parameter_invalid_integer", param: "amount_to_capture" });
    expect(await paymentIntents.retrieve(id)).toMatchObject({ status: "requires_capture", amount_capturable: 2000 });
    expect(await effects()).toEqual(["authorize 2000 approved"]);
  });

  test("is released by a cancel, once, and can then be neither captured nor refunded", async () => {
    const { paymentIntents, refunds } = shop.stripe;
    const { id } = await paymentIntents.create(hold);
    const canceled = await paymentIntents.cancel(id, { cancellation_reason: "abandoned", expand: ["latest_charge"] });
    expect(canceled).toMatchObject({ status: "canceled", cancellation_reason: "abandoned", amount_capturable: 0 });
    expect(canceled.canceled_at).toBe(canceled.created);
    expect(canceled.latest_charge).toMatchObject({ captured: false, amount_captured: 0 });

    const capture = await thrownBy(() => paymentIntents.capture(id));
    expect(capture).toMatchObject({ statusCode: 400, code: "payment_intent_unexpected_state" });
    const refund = await thrownBy(() => refunds.create({ payment_intent: id }));
    expect(refund.message).toContain("does not have a successful charge to refund");
    expect(await effects()).toEqual(["authorize 2000 approved", "void 2000 approved"]);
    expect(merchantEntries()).toEqual([]);
    expect(eventTypes().at(-1)).toBe("payment_intent.canceled");
  });

  test("is captured once by two requests with one key, and the second has the first answer", async () => {
    const { paymentIntents } = shop.stripe;
    const { id } = await paymentIntents.create(hold);
    const first = await paymentIntents.capture(id, { amount_to_capture: 500 }, { idempotencyKey: "K" });
    const again = await paymentIntents.capture(id, { amount_to_capture: 500 }, { idempotencyKey: "K" });
    expect(again.lastResponse.headers["idempotent-replayed"]).toBe("true");
    expect({ ...again }).toEqual({ ...first });
    expect(await effects()).toEqual(["authorize 2000 approved", "capture 500 approved"]);
  });
});

describe("money that was taken", () => {
  test("is given back whole, by its intent", async () => {
    const { paymentIntents, refunds, charges } = shop.stripe;
    const { id, latest_charge } = await paymentIntents.create(payment);
    const refund = await refunds.create({
      payment_intent: id,
      reason: "requested_by_customer",
      metadata: { case: "4" },
    });
    expectValid("refund", { ...refund });
    expect(refund).toMatchObject({
      status: "succeeded",
      amount: 2000,
      currency: "usd",
      charge: latest_charge,
      payment_intent: id,
      reason: "requested_by_customer",
      metadata: { case: "4" },
    });
    expect(await charges.retrieve(String(latest_charge))).toMatchObject({ refunded: true, amount_refunded: 2000 });
    expect(await paymentIntents.retrieve(id)).toMatchObject({ status: "succeeded", amount_received: 2000 });
    expect(await effects()).toEqual(["authorize 2000 approved", "refund 2000 approved"]);
    expect(merchantEntries()).toEqual(["charge credit 1912", "refund debit 2000"]);
    expect(eventTypes().slice(-2)).toEqual(["refund.created", "charge.refunded"]);

    const twice = await thrownBy(() => refunds.create({ payment_intent: id }));
    expect(twice).toMatchObject({ statusCode: 400, code: "charge_already_refunded" });
  });

  test("is given back in parts, by its charge, up to what was captured and no further", async () => {
    const { paymentIntents, refunds, charges } = shop.stripe;
    const { id } = await paymentIntents.create(hold);
    const charge = String((await paymentIntents.capture(id, { amount_to_capture: 1500 })).latest_charge);
    expect(await refunds.create({ charge, amount: 600 })).toMatchObject({ amount: 600, payment_intent: id });

    const over = await thrownBy(() => refunds.create({ charge, amount: 901 }));
    expect(over).toMatchObject({ statusCode: 400, param: "amount" });
    expect(over.code).toBeUndefined();
    expect(over.message).toContain("greater than unrefunded amount on charge (900)");
    expect(await charges.retrieve(charge)).toMatchObject({ refunded: false, amount_refunded: 600 });

    expect(await refunds.create({ charge })).toMatchObject({ amount: 900 });
    const after = await thrownBy(() => refunds.create({ charge, amount: 1 }));
    expect(after).toMatchObject({ statusCode: 400, code: "charge_already_refunded" });
    expect(await charges.retrieve(charge)).toMatchObject({ refunded: true, amount_refunded: 1500, amount: 2000 });
    expect(merchantEntries()).toEqual(["charge credit 1426", "refund debit 600", "refund debit 900"]);
  });

  test("that the bank will not take back stays taken, and can be given back again", async () => {
    const { paymentIntents, refunds, charges } = shop.stripe;
    const paid = await paymentIntents.create({ ...payment, payment_method: "pm_card_refundFail" });
    const charge = String(paid.latest_charge);
    const pending = await refunds.create({ charge, amount: 1200 });
    expect(pending).toMatchObject({ status: "pending", amount: 1200 });
    expect(merchantEntries()).toEqual(["charge credit 1912", "refund debit 1200"]);
    await endWhatIsPending();
    const failed = await refunds.retrieve(pending.id);
    expectValid("refund", { ...failed });
    expect(failed).toMatchObject({ status: "failed", amount: 1200, failure_reason: "unknown" });
    expect(await charges.retrieve(charge)).toMatchObject({ refunded: false, amount_refunded: 0 });
    expect(merchantEntries()).toEqual(["charge credit 1912", "refund debit 1200", "refund_failure credit 1200"]);
    expect(eventTypes().slice(-2)).toEqual(["refund.created", "refund.failed"]);
    expect(await refunds.create({ charge })).toMatchObject({ amount: 2000, status: "pending" });
    await endWhatIsPending();
    expect(shop.world.ledger.rows("charges")).toMatchObject([{ refundReservedMinor: 0n, refundedMinor: 0n }]);
  });

  test("was not taken from an intent that is not confirmed, or was declined", async () => {
    const { paymentIntents, refunds } = shop.stripe;
    const { id } = await paymentIntents.create({ amount: 500, currency: "usd" });
    const declined = await thrownBy(() => paymentIntents.confirm(id, { payment_method: "pm_card_chargeDeclined" }));
    for (const target of [{ payment_intent: id }, { charge: String(declined.charge) }]) {
      const error = await thrownBy(() => refunds.create(target));
      expect(error).toMatchObject({ statusCode: 400, param: "payment_intent" });
      expect(error.message).toContain("does not have a successful charge to refund");
    }
    expect(shop.world.ledger.rows("refunds")).toEqual([]);
  });
});

describe("F26 sign tricks: 400 each, and nothing is recorded", () => {
  test.each([
    ["a payment of -25", "/v1/payment_intents", "amount=-25&currency=usd"],
    ["a payment of -25 with an exponent", "/v1/payment_intents", "amount=-25&exponent=-100&currency=usd"],
    ["a payment of 0", "/v1/payment_intents", "amount=0&currency=usd"],
    ["a capture of 0", "/v1/payment_intents/ID/capture", "amount_to_capture=0"],
    ["a capture of -25", "/v1/payment_intents/ID/capture", "amount_to_capture=-25"],
    ["a capture of -0", "/v1/payment_intents/ID/capture", "amount_to_capture=-0"],
    ["a refund of 0", "/v1/refunds", "payment_intent=ID&amount=0"],
    ["a refund of -5", "/v1/refunds", "payment_intent=ID&amount=-5"],
    ["a refund of +5", "/v1/refunds", "payment_intent=ID&amount=%2B5"],
    ["a refund of 5e0", "/v1/refunds", "payment_intent=ID&amount=5e0"],
  ])("%s", async (title, path, form) => {
    const { world } = shop;
    const how = title.includes("capture") ? "&capture_method=manual" : "";
    const target = await world.post(
      "/v1/payment_intents",
      `amount=900&currency=usd&confirm=true&payment_method=pm_card_visa${how}`,
    );
    const rows = () => [...tables.map((table) => world.ledger.rows(table)), world.cache.records().size];
    const before = rows();

    const reply = await world.post(path.replace("ID", target.json.id), form.replace("ID", target.json.id), {
      key: "K",
    });

    expect(reply.status).toBe(400);
    expectValid("error", reply.json);
    expect(rows()).toEqual(before);
  });

  const tables = [
    ...(["idempotency_keys", "payment_intents", "attempts", "charges", "refunds"] as const),
    ...(["ledger_transactions", "events", "outbox"] as const),
  ];
});

describe("F29 one key and two targets", () => {
  test("a refund of another payment under a used key is a mismatch, and never the first one's answer", async () => {
    const { paymentIntents, refunds } = shop.stripe;
    const [one, two] = [await paymentIntents.create(payment), await paymentIntents.create(payment)];
    const first = await refunds.create({ payment_intent: one.id }, { idempotencyKey: "K" });
    const error = await thrownBy(() => refunds.create({ payment_intent: two.id }, { idempotencyKey: "K" }));
    expect(error).toMatchObject({ statusCode: 400, type: "StripeIdempotencyError" });
    expect(JSON.stringify(error.raw)).not.toContain(first.id);
    expect(shop.world.ledger.rows("refunds").map(({ intentId }) => intentId)).toEqual([one.id]);
  });

  test("so are a capture of another intent, and a cancel of the same one", async () => {
    const { paymentIntents } = shop.stripe;
    const [one, two] = [await paymentIntents.create(hold), await paymentIntents.create(hold)];
    await paymentIntents.capture(one.id, {}, { idempotencyKey: "K" });
    for (const act of [paymentIntents.capture, paymentIntents.cancel]) {
      const error = await thrownBy(() => act.call(paymentIntents, two.id, {}, { idempotencyKey: "K" }));
      expect(error).toMatchObject({ statusCode: 400, type: "StripeIdempotencyError" });
    }
    expect((await paymentIntents.retrieve(two.id)).status).toBe("requires_capture");
  });
});
