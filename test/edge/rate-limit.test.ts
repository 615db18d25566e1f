// The limit per API key as a client meets it: the answer, its place before everything that is stored, and the client's class.
import { systemRandom } from "../../functions/adapters/system.ts";
import { rateLimitOf } from "../../functions/config-readers.ts";
import { paymentsApi } from "../../functions/edge/payments-api.ts";
import { expectValid } from "../support/schemas.ts";
import { apiKeys, clientOf, countRows, openWorld, payForm, webhookPorts } from "../support/world.ts";

/** A world whose server grants two requests at once and one more each second. */
async function openLimited() {
  const world = await openWorld();
  const { ledger, balances, stories, accounts, cache, clock, ports } = world;
  const handler = paymentsApi({
    ...{ ledger, balances, stories, accounts, cache, clock, acquirer: ports.acquirer.port },
    ...{ random: systemRandom, log: () => {} },
    webhooks: webhookPorts(),
    rateLimit: { perSecond: 1, burst: 2 },
  });
  return { world, ...clientOf(handler) };
}

describe("a client that sends too fast", () => {
  test("gets 429 rate_limit, without the advice to retry at once", async () => {
    const { get } = await openLimited();
    await get("/v1/payment_intents");
    await get("/v1/payment_intents");

    const refused = await get("/v1/payment_intents");

    expectValid("error", refused.json);
    expect([refused.status, refused.json.error.type, refused.json.error.code]).toEqual([
      429,
      "invalid_request_error",
      "rate_limit",
    ]);
    expect(refused.headers).not.toHaveProperty("Stripe-Should-Retry");
    expect(refused.headers["Request-Id"]).toMatch(/^req_/);
  });

  test("burns no idempotency key: the same request executes a second later", async () => {
    const { world, post } = await openLimited();
    await post("/v1/payment_intents", payForm, { key: "one" });
    await post("/v1/payment_intents", payForm, { key: "two" });

    const refused = await post("/v1/payment_intents", payForm, { key: "three" });
    const standing = countRows(world);
    await world.clock.advance(1_000);
    const executed = await post("/v1/payment_intents", payForm, { key: "three" });

    expect([refused.status, standing.keys, standing.intents]).toEqual([429, 2, 2]);
    expect([executed.status, executed.headers["Idempotent-Replayed"]]).toEqual([200, undefined]);
  });

  test("is refused before its parameters are looked at", async () => {
    const { post } = await openLimited();
    await post("/v1/payment_intents", "amount=x");
    await post("/v1/payment_intents", "amount=x");

    expect((await post("/v1/payment_intents", "amount=x")).status).toBe(429);
  });

  test("slows nobody else, and takes nothing from health checks", async () => {
    const { get } = await openLimited();
    for (let count = 0; count < 3; count += 1) await get("/v1/payment_intents");

    expect((await get("/v1/payment_intents", { apiKey: apiKeys.second })).status).toBe(200);
    expect((await get("/health")).status).toBe(200);
  });

  test("with a key that does not exist it gets 401 each time, and takes nobody's share", async () => {
    const { get } = await openLimited();
    const statuses: number[] = [];
    for (let count = 0; count < 4; count += 1) {
      statuses.push((await get("/v1/payment_intents", { apiKey: "sk_test_nobody_3333" })).status);
    }

    expect(statuses).toEqual([401, 401, 401, 401]);
    expect((await get("/v1/payment_intents")).status).toBe(200);
  });
});

describe("the limit in the environment", () => {
  test("is what the variables say, and generous without them", () => {
    expect(rateLimitOf({ RATE_LIMIT_PER_SECOND: "7", RATE_LIMIT_BURST: "9" })).toEqual({ perSecond: 7, burst: 9 });
    expect(rateLimitOf({})).toEqual({ perSecond: 100, burst: 200 });
  });

  test.each(["0", "-1", "1.5", "many", "1e3"])("stops the start when it is %s", (value) => {
    expect(() => rateLimitOf({ RATE_LIMIT_BURST: value })).toThrow("RATE_LIMIT_BURST");
  });
});
