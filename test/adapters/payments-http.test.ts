// Shows what the shop makes of each answer of the payments API, and of none.
// It must never need the real API: its answers are written out here, and test/journey/sample-shop.test.ts has the real one.

import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { httpPayments } from "../../functions/adapters/payments-http.ts";
import { createFrontDoorServer } from "../../functions/edge/install-front-door.ts";
import { headerValues, jsonResponse, type WireRequest, type WireResponse } from "../../functions/edge/wire.ts";
import type { PayOrder } from "../../functions/flows/shop-ports.ts";

let answer: () => WireResponse | Promise<WireResponse>;
let seen: WireRequest[];
const server = createFrontDoorServer(async (request) => {
  seen.push(request);
  return await answer();
});
let baseUrl: string;
beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});
beforeEach(() => {
  seen = [];
  answer = () => jsonResponse(200, intent());
});

const order: PayOrder = {
  idempotencyKey: "order_1-1",
  orderId: "order_1",
  amountMinor: 1_250n,
  currency: "usd",
  cardToken: "pm_card_visa",
  returnUrl: "https://shop.example/orders/order_1",
};

const intent = (change: object = {}) => ({
  ...{ object: "payment_intent", id: "pi_1", status: "succeeded", amount_received: 1_250, currency: "usd" },
  ...{ last_payment_error: null, next_action: null },
  ...change,
});

const payments = (change: object = {}) =>
  httpPayments({ baseUrl, apiKey: "sk_test_shop", timeoutMs: 2_000, ...change });

describe("a call", () => {
  test("to pay carries the key, the order and the way back, and nothing else", async () => {
    await payments().pay(order);

    const [request] = seen as [WireRequest];
    expect([request.method, request.target]).toEqual(["POST", "/v1/payment_intents"]);
    expect(headerValues(request, "authorization")).toEqual(["Bearer sk_test_shop"]);
    expect(headerValues(request, "idempotency-key")).toEqual(["order_1-1"]);
    expect(headerValues(request, "x-serverless-authorization")).toEqual([]);
    expect(Object.fromEntries(new URLSearchParams(request.body.toString()))).toEqual({
      amount: "1250",
      currency: "usd",
      "metadata[order_id]": "order_1",
      payment_method: "pm_card_visa",
      return_url: "https://shop.example/orders/order_1",
      confirm: "true",
    });
  });

  test("to pay again confirms the same payment with the new card", async () => {
    await payments().payAgain({ ...order, idempotencyKey: "order_1-2", intentId: "pi_1" });

    const [request] = seen as [WireRequest];
    expect([request.method, request.target]).toEqual(["POST", "/v1/payment_intents/pi_1/confirm"]);
    expect(headerValues(request, "idempotency-key")).toEqual(["order_1-2"]);
    expect(request.body.toString()).toBe(
      "payment_method=pm_card_visa&return_url=https%3A%2F%2Fshop.example%2Forders%2Forder_1",
    );
  });

  test("to look is a GET without a key, and carries the platform's token where the API is closed", async () => {
    await payments({ identityToken: async () => "token" }).look("pi_1");

    const [request] = seen as [WireRequest];
    expect([request.method, request.target]).toEqual(["GET", "/v1/payment_intents/pi_1"]);
    expect(headerValues(request, "idempotency-key")).toEqual([]);
    expect(headerValues(request, "x-serverless-authorization")).toEqual(["Bearer token"]);
  });
});

describe("an answer", () => {
  const news = {
    ...{ kind: "payment", version: null, intentId: "pi_1", status: "succeeded", receivedMinor: 1_250n },
    ...{ currency: "usd", failure: null, actionUrl: null },
  };

  test("with a payment is news, and a replay is told from the first one", async () => {
    expect(await payments().pay(order)).toEqual({ kind: "news", news, isReplay: false });
    answer = () => jsonResponse(200, intent(), { "Idempotent-Replayed": "true" });
    expect(await payments().pay(order)).toEqual({ kind: "news", news, isReplay: true });
  });

  test("of a decline is news of the payment inside, with the reason in words", async () => {
    const failed = intent({
      status: "requires_payment_method",
      amount_received: 0,
      last_payment_error: { message: "Your card was declined." },
    });
    answer = () => jsonResponse(402, { error: { type: "card_error", code: "card_declined", payment_intent: failed } });

    expect(await payments().pay(order)).toMatchObject({
      news: { status: "requires_payment_method", receivedMinor: 0n, failure: "Your card was declined." },
    });
  });

  test.each([
    ["a web address", "https://bank.example/3ds?a=1", "https://bank.example/3ds?a=1"],
    ["a script", "javascript:alert(1)", null],
    ["an address with spaces", "https://bank.example/ x", null],
  ])("that sends the buyer to %s is followed only to a web address", async (_title, url, actionUrl) => {
    const next_action = { type: "redirect_to_url", redirect_to_url: { url, return_url: null } };
    answer = () => jsonResponse(200, intent({ status: "requires_action", next_action }));

    expect(await payments().pay(order)).toMatchObject({ news: { status: "requires_action", actionUrl } });
  });

  test.each([
    [
      "says that the key is in use",
      409,
      { error: { code: "idempotency_key_in_use" } },
      {},
      "status 409, idempotency_key_in_use",
    ],
    ["says to come back", 429, { error: { code: "lock_timeout" } }, {}, "status 429, lock_timeout"],
    ["is a failure of the API", 503, { error: {} }, {}, "status 503"],
    ["says itself that a retry helps", 400, { error: {} }, { "Stripe-Should-Retry": "true" }, "status 400"],
    ["is a payment of unknown state", 200, intent({ status: "new" }), {}, "status 200"],
    ["has half an amount", 200, intent({ amount_received: 0.5 }), {}, "status 200"],
    ["is no payment", 200, [], {}, "status 200"],
    ["has foreign words for a code", 500, { error: { code: "sk_test_secret <b>" } }, {}, "status 500"],
  ])("that %s leaves the payment unknown", async (_title, status, body, headers, reason) => {
    answer = () => jsonResponse(status, body, headers);

    expect(await payments().pay(order)).toEqual({ kind: "unknown", reason });
  });

  test.each([
    ["to a wrong key", 401, { error: { code: "api_key_invalid" } }, {}, "status 401, api_key_invalid"],
    ["that sends elsewhere", 302, {}, { Location: "https://elsewhere.example" }, "status 302"],
    ["that rules a retry out", 500, {}, { "Stripe-Should-Retry": "false" }, "status 500"],
  ])("%s is a refusal that asking again does not change", async (_title, status, body, headers, reason) => {
    answer = () => jsonResponse(status, body, headers);

    expect(await payments().pay(order)).toEqual({ kind: "refused", reason });
    expect(seen).toHaveLength(1);
  });
});

describe("no answer", () => {
  test.each([
    ["in time", { timeoutMs: 50 }, () => new Promise<WireResponse>(() => {})],
    ["because nobody listens", { baseUrl: "http://127.0.0.1:9" }, () => jsonResponse(200, intent())],
    [
      "because there is no token for the closed API",
      { identityToken: () => Promise.reject(new Error("secret")) },
      () => jsonResponse(200, intent()),
    ],
  ])("%s leaves the payment unknown and tells nothing else", async (_title, change, answering) => {
    answer = answering;

    expect(await payments(change).pay(order)).toEqual({ kind: "unknown", reason: "there was no answer" });
  });

  test("that a reader can hold leaves the payment unknown", async () => {
    answer = () => jsonResponse(200, intent({ description: "a".repeat(300_000) }));

    expect(await payments().pay(order)).toEqual({ kind: "unknown", reason: "its answer is too long" });
  });
});

test.each(["", "sk_test_x\n"])("a key that no header can hold is refused at once, and not shown: %j", (apiKey) => {
  expect(() => payments({ apiKey })).toThrow(/^The shop's API key is empty or not printable ASCII\.$/);
});
