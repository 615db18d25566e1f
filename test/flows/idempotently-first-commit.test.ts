// The first commit when twins crowd one key without a cache, and when the ledger goes away in the middle of it.
// It must never count rows alone: what matters is also which calls were made.
import { refuse } from "../../functions/domain/errors.ts";
import { settled } from "../support/patience.ts";
import { countRows, openWorld, payForm } from "../support/world.ts";

const path = "/v1/payment_intents";

test("twins without a cache learn that they lost from reads, without a transaction on the winner's row", async () => {
  // given a winner at the acquirer, and a twin in another process; no cache anywhere
  const world = await openWorld();
  const twin = world.startServer();
  for (const { ports } of [world, twin])
    ports.cache.disturbAll({ at: "before", act: "throw", error: new Error("cache is down") });
  const acquirer = Promise.withResolvers<void>();
  world.ports.acquirer.disturb("authorize", { at: "before", act: "wait", until: acquirer.promise });
  const first = world.post(path, payForm, { key: "crowd" });
  await world.clock.advance(0);
  // when the twin asks, waits, and the winner finishes
  const second = twin.post(path, payForm, { key: "crowd" });
  await world.clock.advance(100);
  acquirer.resolve();
  const answers = [await settled(world.clock, first), await settled(world.clock, second)];
  // then
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(answers[1]?.text).toBe(answers[0]?.text);
  expect(answers[1]?.headers["Idempotent-Replayed"]).toBe("true");
  expect(twin.ports.ledger.calls).not.toContain("transact");
  expect(countRows(world)).toMatchObject({ intents: 1, charges: 1 });
});

test.each(["read", "transact"] as const)(
  "a first commit whose reply is lost before the ledger goes away at %s gives up its lease, not its payment",
  async (method) => {
    // given
    const world = await openWorld();
    world.ports.ledger.disturb("insert", { at: "after", act: "throw", error: refuse("commit_unknown", "no reply") });
    world.ports.ledger.disturb(method, { at: "before", act: "throw", error: refuse("store_unavailable", "away") });
    // when
    const failed = await settled(world.clock, world.post(path, payForm, { key: "away" }));
    const retry = await settled(world.clock, world.post(path, payForm, { key: "away" }));
    // then the retry need not wait for the end of the lease
    expect([failed.status, failed.headers["Stripe-Should-Retry"]]).toEqual([503, "true"]);
    expect([retry.status, retry.json.status]).toEqual([200, "succeeded"]);
    expect(countRows(world)).toMatchObject({ intents: 1, charges: 1 });
  },
);
