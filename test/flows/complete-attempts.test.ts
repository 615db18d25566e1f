// The completer's sweep: what it takes, what it leaves to a person, and that the second never hides the first.
import { defaultTimings } from "../../functions/domain/idempotency.ts";
import { died } from "../proof/crash-support.ts";
import { sweep } from "../support/completer.ts";
import { openWorld, payForm, type World } from "../support/world.ts";

const overdueMs = defaultTimings.leaseMs + defaultTimings.callTimeoutMs + 1;
const windowMs = 15 * 60 * 1000;

/** A payment whose worker died before it called the acquirer. */
async function abandon(world: World, key: string) {
  const dying = world.startServer();
  dying.ports.acquirer.disturb("authorize", died("before"));
  void dying.post("/v1/payment_intents", payForm, { key });
  await world.clock.advance(0);
}

const outside = (world: World) => world.logged.filter((line) => line === "attempt outside the drive window").length;

describe("a sweep of the completer", () => {
  test("repeats a call for fifteen minutes to the millisecond, and then leaves the attempt open for a person", async () => {
    const [within, beyond] = [await openWorld(), await openWorld()];
    await abandon(within, "within");
    await abandon(beyond, "beyond");
    await within.clock.advance(windowMs);
    await beyond.clock.advance(windowMs + 1);
    expect(await sweep(within)).toEqual({ settled: 1, left: 0 });
    expect(await sweep(beyond)).toEqual({ settled: 0, left: 1 });
    expect(await beyond.journal.list(10)).toEqual([]);
    expect(outside(beyond)).toBe(1);
  });

  test("says so again every ten minutes, and not at every sweep", async () => {
    const world = await openWorld();
    await abandon(world, "K");
    await world.clock.advance(windowMs + 1);
    await sweep(world);
    await world.clock.advance(60_000);
    expect(await sweep(world)).toEqual({ settled: 0, left: 0 });
    await world.clock.advance(10 * 60 * 1000);
    expect(await sweep(world)).toEqual({ settled: 0, left: 1 });
    expect(outside(world)).toBe(2);
  });

  test("reaches a payment that it can end although twenty older ones wait for a person", async () => {
    // given as many hopeless attempts as a sweep takes
    const world = await openWorld();
    for (let hopeless = 0; hopeless < 20; hopeless += 1) await abandon(world, `old ${hopeless}`);
    await world.clock.advance(windowMs);
    await abandon(world, "fresh");
    await world.clock.advance(overdueMs);
    // when two sweeps run
    expect(await sweep(world)).toEqual({ settled: 0, left: 20 });
    expect(await sweep(world)).toEqual({ settled: 1, left: 0 });
    // then the fresh one is paid
    expect((await world.post("/v1/payment_intents", payForm, { key: "fresh" })).json.status).toBe("succeeded");
  });

  test("leaves an attempt to a client that comes back, even outside the window", async () => {
    const world = await openWorld();
    await abandon(world, "K");
    await world.clock.advance(windowMs + 1);
    await sweep(world);
    const retry = await world.post("/v1/payment_intents", payForm, { key: "K" });
    expect([retry.status, retry.json.status]).toEqual([200, "succeeded"]);
    expect(await world.journal.list(10)).toHaveLength(1);
  });
});
