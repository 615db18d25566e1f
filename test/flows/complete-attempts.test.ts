// The completer's sweep: what it takes, what it leaves to a person, and how an old one ends.
import { defaultTimings } from "../../functions/domain/idempotency.ts";
import { networkOver } from "../../functions/edge/test-network.ts";
import { completeAttempt } from "../../functions/flows/complete-attempts.ts";
import { died } from "../proof/crash-support.ts";
import { completerOf, sweep } from "../support/completer.ts";
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

test("a task that wakes the completer while a worker may still be calling does nothing; a millisecond later it acts", async () => {
  const world = await openWorld();
  await abandon(world, "K");
  const id = world.ledger.rows("attempts")[0]?.id ?? "";
  const stateAfterTask = async () => {
    await completeAttempt(completerOf(world), id);
    return world.ledger.rows("attempts")[0]?.state;
  };
  await world.clock.advance(overdueMs - 2);
  expect(await stateAfterTask()).toBe("open");
  await world.clock.advance(1);
  expect(await stateAfterTask()).toBe("succeeded");
});

describe("a sweep of the completer", () => {
  test("repeats a call for fifteen minutes to the millisecond, and then lets the payment go by its key", async () => {
    const [within, beyond] = [await openWorld(), await openWorld()];
    await abandon(within, "within");
    await abandon(beyond, "beyond");
    await within.clock.advance(windowMs);
    await beyond.clock.advance(windowMs + 1);
    expect(await sweep(within)).toEqual({ settled: 1, left: 0 });
    expect(await sweep(beyond)).toEqual({ settled: 0, left: 1 });
    expect(beyond.ledger.rows("attempts")).toMatchObject([{ state: "voiding" }]);
    expect(await linesOf(beyond)).toEqual(["key_void"]);
    expect(outside(beyond)).toBe(1);
  });

  test("ends what it let go only at a second look, one call's timeout later", async () => {
    const world = await openWorld();
    await abandon(world, "K");
    await world.clock.advance(windowMs + 1);
    await sweep(world);
    await world.clock.advance(defaultTimings.callTimeoutMs);
    expect(await sweep(world)).toEqual({ settled: 0, left: 0 });
    await world.clock.advance(1);
    expect(await sweep(world)).toEqual({ settled: 1, left: 0 });
    // then the client hears what it would have heard at once, had the network declined
    const late = await world.post("/v1/payment_intents", payForm, { key: "K" });
    expect([late.status, late.json.error.code, late.headers["Idempotent-Replayed"]]).toEqual([
      402,
      "processing_error",
      "true",
    ]);
    expect(late.json.error.payment_intent.status).toBe("requires_payment_method");
  });

  test("reaches a payment that it can end although twenty older ones get no answer", async () => {
    // given as many hopeless attempts as a sweep takes
    const world = await openWorld();
    for (let hopeless = 0; hopeless < 20; hopeless += 1) await abandon(world, `old ${hopeless}`);
    await world.clock.advance(windowMs);
    await abandon(world, "fresh");
    await world.clock.advance(overdueMs);
    // when two sweeps run
    const mute = { ...networkOf(world), lookup: async () => Promise.reject(new Error("no answer")) };
    expect(await sweep(world, mute)).toEqual({ settled: 0, left: 20 });
    expect(await sweep(world)).toEqual({ settled: 1, left: 0 });
    // then the fresh one is paid
    expect((await world.post("/v1/payment_intents", payForm, { key: "fresh" })).json.status).toBe("succeeded");
  });

  test("asks for a person after a day without an answer, and still asks the network every ten minutes", async () => {
    const world = await openWorld();
    await abandon(world, "K");
    let looks = 0;
    const lookup = async () => {
      looks += 1;
      throw new Error("no answer");
    };
    await world.clock.advance(24 * 60 * 60 * 1000);
    await sweep(world, { ...networkOf(world), lookup });
    await world.clock.advance(10 * 60 * 1000);
    await sweep(world, { ...networkOf(world), lookup });
    expect(looks).toBe(1);
    await world.clock.advance(defaultTimings.callTimeoutMs + 1);
    await sweep(world, { ...networkOf(world), lookup });
    expect(looks).toBe(2);
    expect(world.logged.filter((line) => line === "attempt needs a person")).toHaveLength(2);
    expect(outside(world)).toBe(2);
    expect(world.ledger.rows("attempts")).toMatchObject([{ state: "open" }]);
  });

  test("believes a call that is still running, however old it is", async () => {
    const world = await openWorld();
    await abandon(world, "K");
    await world.clock.advance(windowMs + 1);
    const running = { ...networkOf(world), lookup: async () => ({ kind: "running" }) as const };
    expect(await sweep(world, running)).toEqual({ settled: 0, left: 1 });
    expect(world.ledger.rows("attempts")).toMatchObject([{ state: "open" }]);
    expect(await linesOf(world)).toEqual([]);
  });

  test("leaves an attempt to a client that comes back before it lets go", async () => {
    const world = await openWorld();
    await abandon(world, "K");
    await world.clock.advance(windowMs + 1);
    const retry = await world.post("/v1/payment_intents", payForm, { key: "K" });
    expect([retry.status, retry.json.status]).toEqual([200, "succeeded"]);
    expect(await sweep(world)).toEqual({ settled: 0, left: 0 });
    expect(await linesOf(world)).toEqual(["authorize"]);
  });

  test("drives what is about an authorization on, however old it is: the wish has not changed", async () => {
    const world = await openWorld();
    const held = await world.post("/v1/payment_intents", `${payForm}&capture_method=manual`);
    const dying = world.startServer();
    dying.ports.acquirer.disturb("capture", died("before"));
    void dying.post(`/v1/payment_intents/${held.json.id}/capture`, "", { key: "K" });
    await world.clock.advance(windowMs * 4);
    expect(await sweep(world)).toEqual({ settled: 1, left: 0 });
    expect(world.ledger.rows("payment_intents")).toMatchObject([{ status: "succeeded", amountReceivedMinor: 2000n }]);
  });
});

function networkOf({ journal, clock }: World) {
  return networkOver({ journal, clock, log: () => {} });
}

async function linesOf(world: World): Promise<readonly string[]> {
  return (await world.journal.list(100)).map(({ kind }) => kind);
}
