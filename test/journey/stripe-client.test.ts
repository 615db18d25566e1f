// The official client, unmodified, pays, repeats, errs, lists and cleans up over a real connection.
// It must never look into an answer by other means than the client's own objects and exceptions.
import Stripe from "stripe";
import { expectValid } from "../support/schemas.ts";
import { apiKeys, countRows } from "../support/world.ts";
import { openShop, payment, type Shop, thrownBy } from "./stripe-shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await openShop();
});
afterEach(() => shop.close());

const onePayment = { intents: 1, charges: 1, bookings: 1, keys: 1, events: 3, outbox: 3 };

describe("paying", () => {
  test("a create with confirm succeeds, and its charge can be expanded and retrieved", async () => {
    const { stripe } = shop;
    const paid = await stripe.paymentIntents.create({ ...payment, expand: ["latest_charge"] });

    expect(paid).toMatchObject({ status: "succeeded", amount: 2000, amount_received: 2000, currency: "usd" });
    expect(paid.latest_charge).toMatchObject({ object: "charge", paid: true, amount: 2000, payment_intent: paid.id });
    const charge = await stripe.charges.retrieve((paid.latest_charge as Stripe.Charge).id);
    expect(charge).toEqual(expect.objectContaining({ status: "succeeded", captured: true, payment_intent: paid.id }));
    expectValid("charge", { ...charge });
    const plain = await stripe.paymentIntents.retrieve(paid.id);
    expect(plain.latest_charge).toBe(charge.id);
    expect((await stripe.charges.retrieve(charge.id, { expand: ["payment_intent"] })).payment_intent).toEqual({
      ...plain,
    });
  });

  test("create, then update, then confirm", async () => {
    const { stripe } = shop;
    const created = await stripe.paymentIntents.create({ amount: 500, currency: "EUR" });
    expect(created).toMatchObject({ status: "requires_payment_method", currency: "eur" });
    const updated = await stripe.paymentIntents.update(created.id, { payment_method: "pm_card_mastercard" });
    expect(updated.status).toBe("requires_confirmation");
    const confirmed = await stripe.paymentIntents.confirm(created.id, { return_url: "https://shop.example/done" });
    expect(confirmed).toMatchObject({ id: created.id, status: "succeeded", amount_received: 500 });
  });

  test("every answer tells its request, the version, and the key that the client made by itself", async () => {
    const { lastResponse } = await shop.stripe.paymentIntents.create(payment);
    expect(lastResponse).toMatchObject({
      statusCode: 200,
      requestId: expect.stringMatching(/^req_/),
      apiVersion: "2026-10-28.endive",
      idempotencyKey: expect.stringMatching(/^stripe-node-retry-/),
    });
    expect(lastResponse.headers).toMatchObject({ "original-request": lastResponse.requestId });
  });
});

describe("a connection that is cut in the middle of the answer", () => {
  test("before its first byte: the client asks again by itself with its key, and there is one payment", async () => {
    shop.line.cutNextAnswerAfter(0);
    const paid = await shop.stripe.paymentIntents.create(payment);

    expect(paid.status).toBe("succeeded");
    expect(paid.lastResponse.headers["idempotent-replayed"]).toBe("true");
    expect(shop.requests()).toEqual(["POST 200", "POST 200"]);
    expect(countRows(shop.world)).toEqual(onePayment);
    expect(await shop.world.journal.list(10)).toHaveLength(1);
  });

  test.each([
    ["within its headers", 40],
    ["within its body", 700],
  ])("%s: the shop asks again with its key, and there is one payment", async (_, bytes) => {
    const options = { idempotencyKey: "order-17" };
    shop.line.cutNextAnswerAfter(bytes);
    const first = await shop.stripe.paymentIntents.create(payment, options).catch((error: unknown) => error);
    const paid = await shop.stripe.paymentIntents.create(payment, options);

    // Within the headers it asks again by itself, within the body it gives up (contract section 3.3).
    if (bytes === 700) expect(first).toBeInstanceOf(Stripe.errors.StripeConnectionError);
    else expect(first).toMatchObject({ id: paid.id });
    expect(paid).toMatchObject({ status: "succeeded", id: shop.world.ledger.rows("payment_intents")[0]?.id });
    expect(paid.lastResponse.headers["idempotent-replayed"]).toBe("true");
    expect(countRows(shop.world)).toEqual(onePayment);
    expect(await shop.world.journal.list(10)).toHaveLength(1);
  });
});

describe("exceptions", () => {
  test("a key with other parameters is a StripeIdempotencyError, final, and pays nothing", async () => {
    const { stripe } = shop;
    await stripe.paymentIntents.create(payment, { idempotencyKey: "order-17" });
    const error = await thrownBy(() =>
      stripe.paymentIntents.create({ ...payment, amount: 2001 }, { idempotencyKey: "order-17" }),
    );
    expect(error).toBeInstanceOf(Stripe.errors.StripeIdempotencyError);
    expect(error).toMatchObject({ statusCode: 400, rawType: "idempotency_error", code: undefined });
    expect(shop.requests()).toEqual(["POST 200", "POST 400"]);
    expect(countRows(shop.world)).toEqual(onePayment);
  });

  test("a decline is a StripeCardError with the intent inside, and a repeat is the same one", async () => {
    const declined = { ...payment, payment_method: "pm_card_visa_chargeDeclinedInsufficientFunds" };
    const pay = () => shop.stripe.paymentIntents.create(declined, { idempotencyKey: "order-18" });
    const [first, again] = [await thrownBy(pay), await thrownBy(pay)];

    expect(first).toBeInstanceOf(Stripe.errors.StripeCardError);
    expect(first).toMatchObject({ statusCode: 402, code: "card_declined", decline_code: "insufficient_funds" });
    expect(first.payment_intent).toMatchObject({
      object: "payment_intent",
      status: "requires_payment_method",
      latest_charge: first.charge,
      last_payment_error: { decline_code: "insufficient_funds" },
    });
    expect(first.payment_method).toMatchObject({ object: "payment_method", card: { last4: "9995" } });
    expect(again).toMatchObject({ payment_intent: first.payment_intent, charge: first.charge });
    expect(again.headers).toMatchObject({
      "idempotent-replayed": "true",
      "original-request": first.requestId,
      "stripe-should-retry": "false",
    });
    expect(countRows(shop.world)).toMatchObject({ intents: 1, charges: 1, bookings: 0 });
    // The intent lives: another card pays it.
    const { id } = first.payment_intent ?? { id: "" };
    expect(await shop.stripe.paymentIntents.confirm(id, { payment_method: "pm_card_visa" })).toMatchObject({
      status: "succeeded",
      last_payment_error: null,
    });
  });

  test("a wrong API key is a StripeAuthenticationError, and the key is not repeated", async () => {
    const error = await thrownBy(() => shop.clientWith("sk_test_wrong_key_0000").paymentIntents.create(payment));
    expect(error).toBeInstanceOf(Stripe.errors.StripeAuthenticationError);
    expect(error).toMatchObject({ statusCode: 401, message: "Invalid API Key provided: sk_test_…0000" });
    expect(shop.requests()).toEqual(["POST 401"]);
  });

  test("an intent that is not there is resource_missing, param intent", async () => {
    const error = await thrownBy(() => shop.stripe.paymentIntents.retrieve("pi_none"));
    expect(error).toBeInstanceOf(Stripe.errors.StripeInvalidRequestError);
    expect(error).toMatchObject({
      statusCode: 404,
      code: "resource_missing",
      param: "intent",
      message: "No such payment_intent: 'pi_none'",
    });
  });

  test("F05 another account's intent is not there either", async () => {
    const { id } = await shop.stripe.paymentIntents.create(payment);
    const error = await thrownBy(() => shop.clientWith(apiKeys.second).paymentIntents.retrieve(id));
    expect(error).toMatchObject({ statusCode: 404, code: "resource_missing", param: "intent" });
  });

  test("a missing parameter is named, a call that this API does not have is a 404", async () => {
    const { stripe } = shop;
    const params = { amount: 2000 } as Stripe.PaymentIntentCreateParams;
    const missing = await thrownBy(() => stripe.paymentIntents.create(params));
    expect(missing).toMatchObject({ statusCode: 400, code: "parameter_missing", param: "currency" });
    const absent = await thrownBy(() => stripe.paymentIntents.search({ query: "status:'succeeded'" }));
    expect(absent).toMatchObject({ statusCode: 404, code: "resource_missing", param: "intent" });
    expect(await thrownBy(() => stripe.payouts.list())).toMatchObject({
      statusCode: 404,
      message: "Unrecognized request URL (GET: /v1/payouts).",
    });
  });

  test("a key whose first request still runs is asked for three times, then a StripeAPIError 409", async () => {
    const { stripe, world } = shop;
    const options = { idempotencyKey: "order-19", headers: { Prefer: "wait=0" } };
    const network = Promise.withResolvers<void>();
    world.ports.acquirer.disturb("authorize", { at: "before", act: "wait", until: network.promise });
    const slow = stripe.paymentIntents.create(payment, options);
    while (!world.ports.acquirer.calls.includes("authorize")) await new Promise((resolve) => setImmediate(resolve));

    const error = await thrownBy(() => stripe.paymentIntents.create(payment, options));
    network.resolve();
    expect(await slow).toMatchObject({ status: "succeeded" });

    expect(error).toBeInstanceOf(Stripe.errors.StripeAPIError);
    expect(error).toMatchObject({
      statusCode: 409,
      rawType: "invalid_request_error",
      code: "idempotency_key_in_use",
      doc_url: "https://docs.stripe.com/error-codes/idempotency-key-in-use",
    });
    expect(shop.requests()).toEqual(["POST 409", "POST 409", "POST 409", "POST 200"]);
    expect(countRows(world)).toEqual(onePayment);
  });
});
