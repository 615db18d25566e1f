// What the one log line of each request says: who asked, what came of it, and what became of the key.
// It must never look at a line by its text: the fields are what people and views ask for.
import { defaultTimings, keyIdentity } from "../../functions/domain/idempotency.ts";
import { settled } from "../support/patience.ts";
import { openWorld, payForm, type World } from "../support/world.ts";

const pay = (server: Pick<World, "post">, form = payForm) => server.post("/v1/payment_intents", form, { key: "K" });
const keyId = keyIdentity("acct_first", false, "K");
// biome-ignore lint/suspicious/noExplicitAny: lines are read as whoever asks the log reads them.
const lines = (world: World, message: string): any[] =>
  world.logged.map((line) => JSON.parse(line)).filter((line) => line.message === message);
const outcomes = (world: World) =>
  lines(world, "request").map((line) => [line.keyOutcome, line.generation, line.status, line.code]);

test("a payment's line names account, request, key, intent and time, and the call of the acquirer has its own", async () => {
  const world = await openWorld();
  const reply = await pay(world);
  const requestId = reply.headers["Request-Id"];
  expect(lines(world, "request")).toEqual([
    {
      ...{ severity: "INFO", message: "request", requestId, accountId: "acct_first", keyId, keyOutcome: "executed" },
      ...{ generation: 1, originalRequestId: requestId, method: "POST", path: "/v1/payment_intents", status: 200 },
      ...{ replayed: false, objectId: reply.json.id, durationMs: 0 },
    },
  ]);
  const [attempt] = world.ledger.rows("attempts");
  expect(lines(world, "acquirer answered")).toEqual([
    {
      ...{ severity: "INFO", message: "acquirer answered", attemptId: attempt?.id, paymentIntentId: reply.json.id },
      ...{ accountId: "acct_first", order: "authorize", outcome: "approved", durationMs: 0 },
    },
  ]);
  expect(world.logged.join()).not.toMatch(/sk_test|pm_card|"K"/);
});

test("a replay, and another request under the same key, say so and name the first request", async () => {
  const world = await openWorld();
  const first = await pay(world, `${payForm}_chargeDeclined`);
  await pay(world, `${payForm}_chargeDeclined`);
  await pay(world);
  await world.get("/v1/payment_intents");
  expect(outcomes(world)).toEqual([
    ["executed", 1, 402, "card_declined"],
    ["replayed", 1, 402, "card_declined"],
    ["mismatch", null, 400, "idempotency_mismatch"],
    [undefined, undefined, 200, undefined],
  ]);
  const [, replayed, , read] = lines(world, "request");
  expect([replayed.originalRequestId, read.keyId]).toEqual([first.headers["Request-Id"], undefined]);
});

test("a twin that waits, one that gives up, and a request that adopts a dead worker's attempt say so", async () => {
  const world = await openWorld();
  const { promise: until, resolve: release } = Promise.withResolvers<void>();
  world.ports.acquirer.disturb("authorize", { at: "before", act: "wait", until });
  const paid = pay(world);
  await world.clock.advance(0);
  // when one twin asks for no wait at all, and another waits until the payment is made
  await world.post("/v1/payment_intents", payForm, { key: "K", headers: { prefer: "wait=0" } });
  const twin = pay(world);
  await world.clock.advance(100);
  release();
  await paid;
  await settled(world.clock, twin);
  expect(outcomes(world)).toEqual([
    ["in_use", null, 409, "idempotency_key_in_use"],
    ["executed", 1, 200, undefined],
    ["waited", 1, 200, undefined],
  ]);
});

test("a request whose acquirer stays silent releases its key, and the next one adopts its attempt", async () => {
  const world = await openWorld();
  const error = new Error("4242424242424242 is a secret of the network");
  world.ports.acquirer.disturb("authorize", { at: "after", act: "throw", error });
  await pay(world);
  await world.clock.advance(defaultTimings.leaseMs);
  await settled(world.clock, pay(world));
  expect(outcomes(world)).toEqual([
    ["released", 1, 500, "internal"],
    ["adopted", 2, 200, undefined],
  ]);
  expect(lines(world, "request")[0].stack).toMatch(/^ {4}at /);
  expect(world.logged.join()).not.toContain("4242424242424242");
});
