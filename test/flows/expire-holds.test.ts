// What is authorized and never captured: canceled after seven days, once, whatever happens in between.
import { systemRandom } from "../../functions/adapters/system.ts";
import { defaultTimings } from "../../functions/domain/idempotency.ts";
import { standardTerms } from "../../functions/domain/ledger-terms.ts";
import { wireRenderer } from "../../functions/edge/renderer.ts";
import { networkOver } from "../../functions/edge/test-network.ts";
import { expireHolds } from "../../functions/flows/expire-holds.ts";
import { settleAttempt } from "../../functions/flows/settle-attempt.ts";
import { died, door } from "../proof/crash-support.ts";
import { sweep } from "../support/completer.ts";
import { intercept } from "../support/interception.ts";
import { settled } from "../support/patience.ts";
import { beginMs, openWorld, payForm } from "../support/world.ts";

const windowMs = 7 * 24 * 60 * 60 * 1000;

async function openHold() {
  const world = await openWorld();
  const hold = (await world.post("/v1/payment_intents", `${payForm}&capture_method=manual`, { key: "hold" })).json;
  const acquirer = intercept(networkOver({ journal: world.journal, clock: world.clock, log: () => {} }));
  const { ledger, clock } = world;
  const deps = { ledger, clock, acquirer: acquirer.port, random: systemRandom, timings: defaultTimings, log: () => {} };
  const settle = settleAttempt({ ...deps, terms: standardTerms, renderer: wireRenderer() });
  return {
    world,
    acquirer,
    path: `/v1/payment_intents/${hold.id}`,
    expire: () => expireHolds({ ...deps, settle }),
    shown: async () => (await world.get(`/v1/payment_intents/${hold.id}`)).json,
    kinds: async () => (await world.journal.list(10)).map(({ kind }) => kind).sort(),
  };
}

describe("a hold that nobody captures", () => {
  test("stands for seven days to the millisecond, and is then canceled and released", async () => {
    const { world, expire, shown, kinds } = await openHold();
    await world.clock.advance(windowMs);
    expect(await expire()).toEqual({ expired: 0, left: 0 });
    expect((await shown()).status).toBe("requires_capture");
    await world.clock.advance(1);
    expect(await expire()).toEqual({ expired: 1, left: 0 });
    expect(await shown()).toMatchObject({
      status: "canceled",
      cancellation_reason: "automatic",
      amount_capturable: 0,
      canceled_at: (beginMs + windowMs) / 1000,
    });
    expect(await kinds()).toEqual(["authorize", "void"]);
    expect(world.ledger.rows("ledger_transactions")).toEqual([]);
    const canceled = (await world.get("/v1/events?type=payment_intent.canceled")).json.data;
    expect(canceled.map(({ request }: { request: unknown }) => request)).toEqual([{ id: null, idempotency_key: null }]);
  });

  test("is left alone while a capture is under way, and has nothing to expire once it is captured", async () => {
    const { world, path, expire, shown, kinds } = await openHold();
    const busy = world.startServer();
    const pause = door();
    busy.ports.acquirer.disturb("capture", { at: "before", act: "wait", until: pause.opened });
    await world.clock.advance(windowMs + 1);
    const capturing = busy.post(`${path}/capture`, "", { key: "capture" });
    await world.clock.advance(0);
    expect(await expire()).toEqual({ expired: 0, left: 0 });
    pause.open();
    await settled(world.clock, capturing);
    expect(await expire()).toEqual({ expired: 0, left: 0 });
    expect((await shown()).status).toBe("succeeded");
    expect(await kinds()).toEqual(["authorize", "capture"]);
  });

  test("is finished by the completer when the expiry dies at the acquirer", async () => {
    const { world, acquirer, expire, shown, kinds } = await openHold();
    await world.clock.advance(windowMs + 1);
    acquirer.disturb("void", died("after"));
    void expire();
    await world.clock.advance(defaultTimings.leaseMs + defaultTimings.callTimeoutMs + 1);
    expect(await sweep(world)).toEqual({ settled: 1, left: 0 });
    expect((await shown()).status).toBe("canceled");
    expect(await kinds()).toEqual(["authorize", "void"]);
  });

  test("is voided once by two sweeps at the same time", async () => {
    const { world, expire, shown, kinds } = await openHold();
    await world.clock.advance(windowMs + 1);
    const [one, two] = await settled(world.clock, Promise.all([expire(), expire()]));
    expect([one.expired + two.expired, (await shown()).status]).toEqual([1, "canceled"]);
    expect(await kinds()).toEqual(["authorize", "void"]);
  });
});
