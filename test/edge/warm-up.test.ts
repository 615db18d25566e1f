// The warm-up of an instance: the first request waits for a slow store, but not for ever, and no failure reaches it.
import { systemRandom } from "../../functions/adapters/system.ts";
import { paymentsApi } from "../../functions/edge/payments-api.ts";
import { warmedUp } from "../../functions/edge/warm-up.ts";
import { jsonResponse } from "../../functions/edge/wire.ts";
import { manualClock } from "../support/manual-clock.ts";
import { clientOf, openWorld, payForm, webhookPorts } from "../support/world.ts";

function open(meetStores: (clock: ReturnType<typeof manualClock>) => Promise<unknown>) {
  const clock = manualClock(1_000_000);
  const logged: string[] = [];
  const log = (severity: string, message: string, fields: object = {}) =>
    void logged.push(`${severity} ${message} ${JSON.stringify(fields)}`);
  const handler = warmedUp(
    async () => jsonResponse(200, { at: clock.now() }),
    () => meetStores(clock),
    { clock, log },
  );
  return { clock, logged, ...clientOf(handler) };
}

describe("a new instance", () => {
  test("lets its first request wait until its stores have answered, and later ones not at all", async () => {
    const { clock, get, logged } = open((at) => at.sleep(1_500));
    const first = get("/");
    await clock.advance(3_000);

    expect((await first).json.at).toBe(1_001_500);
    expect((await get("/")).json.at).toBe(1_003_000);
    expect(logged).toEqual(['INFO warm-up done {"durationMs":1500}']);
  });

  test("answers its health meanwhile", async () => {
    const { get } = open((at) => at.sleep(1_500));

    expect((await get("/health")).json.at).toBe(1_000_000);
  });

  test("stops waiting after two seconds, and tells how long it took in the end", async () => {
    const { clock, get, logged } = open((at) => at.sleep(4_000));
    const first = get("/");
    await clock.advance(5_000);

    expect((await first).json.at).toBe(1_002_000);
    expect(logged).toEqual([
      'WARNING warm-up goes on behind the first request {"durationMs":2000}',
      'INFO warm-up done {"durationMs":4000}',
    ]);
  });

  test("answers although a store refuses, and keeps the foreign text to itself", async () => {
    const { get, logged, clock } = open(async () => {
      throw Object.assign(new Error("10.0.0.7 refused"), { code: "store_unavailable" });
    });

    expect((await get("/")).status).toBe(200);
    expect(logged).toEqual(['WARNING warm-up failed {"reason":"store_unavailable","durationMs":0}']);
    expect(clock.pendingTimers()).toBe(0);
  });
});

describe("the payments API on a cache whose first call takes a second", () => {
  /** A server of the world on a cache that is as slow as a client that opens its connection. */
  async function openCold(isWarmed: boolean) {
    const world = await openWorld();
    const { ledger, balances, stories, accounts, clock, ports } = world;
    let opened: Promise<void> | undefined;
    const open = () => (opened ??= clock.sleep(1_000));
    const cache: typeof world.cache = {
      ...world.cache,
      claim: async (...request) => await open().then(() => world.cache.claim(...request)),
      read: async (...request) => await open().then(() => world.cache.read(...request)),
      replace: async (...request) => await open().then(() => world.cache.replace(...request)),
    };
    const logged: string[] = [];
    const log = (_severity: string, message: string) => void logged.push(message);
    const random = systemRandom;
    const outside = { acquirer: ports.acquirer.port, webhooks: webhookPorts() };
    const api = paymentsApi({ ledger, balances, stories, accounts, cache, clock, ...outside, random, log });
    const handler = isWarmed ? warmedUp(api, () => cache.read("warm-up"), { clock, log }) : api;
    return { world, logged, ...clientOf(handler) };
  }

  test.each([
    [true, []],
    [false, ["cache call without an answer"]],
  ])("with the warm-up %s, the first payment meets a cold cache or does not", async (isWarmed, complaints) => {
    const { world, logged, post } = await openCold(isWarmed);
    const first = post("/v1/payment_intents", payForm, { key: "first" });
    await world.clock.advance(5_000);

    expect((await first).status).toBe(200);
    expect([...new Set(logged.filter((message) => message.startsWith("cache")))]).toEqual(complaints);
  });
});
