// The crash tour as a learner takes it: each stop, the retry, what the acquirer's journal counts, and what the key's life says.
// It must never disturb a port by itself: the header alone makes the crash.

import { systemRandom } from "../../functions/adapters/system.ts";
import { crashTourIn } from "../../functions/config-readers.ts";
import { crashStops, crashTour } from "../../functions/edge/crash-tour.ts";
import { networkOver } from "../../functions/edge/test-network.ts";
import { settled } from "../support/patience.ts";
import { apiKeys, beginMs, countRows, openWorld, payForm, type World, webhookPorts } from "../support/world.ts";

const path = "/v1/payment_intents";
const pay = (world: World, headers: Readonly<Record<string, string>> = {}) =>
  world.post(path, payForm, { key: "order-1", headers });
const touring = (world: World, stop: string) => pay(world, { "crash-tour": stop });
/** A retry once the lease of the dead one is over. */
const retry = async (world: World) => {
  await world.clock.advance(3_000);
  return await pay(world);
};
const lifeOf = async (world: World) => (await world.get("/v1/idempotency_keys/life?key=order-1")).json;
const effects = async (world: World) => (await world.journal.list(10)).length;

describe("a stop of the crash tour", () => {
  test.each([
    ["crash-after-claim", "claimed", [], 0, 2],
    ["crash-after-t1", "in_progress", ["open"], 0, 2],
    ["crash-after-acquirer", "in_progress", ["open"], 1, 2],
    ["crash-after-t2", "completed", ["succeeded"], 1, 1],
  ])(
    "%s leaves the key as it was then, and the retry gives the first answer once",
    async (stop, state, attempts, before, generation) => {
      const world = await openWorld();

      const lost = await touring(world, stop);
      expect([lost.status, lost.text]).toEqual([499, ""]);
      const left = await lifeOf(world);
      expect(left.state).toBe(state);
      expect(left.attempts.map(({ state: each }: { state: string }) => each)).toEqual(attempts);
      expect(left.claim).toMatchObject({ state: "in_progress", generation: 1 });
      expect(await effects(world)).toBe(before);

      const retried = await retry(world);
      const again = await pay(world);

      expect([retried.status, retried.json.status]).toEqual([200, "succeeded"]);
      expect([again.text, again.headers["Idempotent-Replayed"]]).toEqual([retried.text, "true"]);
      expect(await effects(world)).toBe(1);
      expect(countRows(world)).toMatchObject({ intents: 1, charges: 1, bookings: 1 });
      const life = await lifeOf(world);
      expect(life.record.generation).toBe(generation);
      const adopted = stop === "crash-after-t1" || stop === "crash-after-acquirer";
      expect(life.attempts.map((each: { adopted: boolean }) => each.adopted)).toEqual([adopted]);
    },
  );

  test("lose-answer does all of the work and answers nothing", async () => {
    const world = await openWorld();

    expect((await touring(world, "lose-answer")).text).toBe("");

    const life = await lifeOf(world);
    expect(life).toMatchObject({ state: "completed", record: { generation: 1, outcome: { status: 200 } } });
    const retried = await pay(world);
    expect(retried.headers["Idempotent-Replayed"]).toBe("true");
    expect(await effects(world)).toBe(1);
  });

  test("run-twice runs two at once, which pay once and answer the same", async () => {
    const world = await openWorld();

    const answer = await settled(world.clock, touring(world, "run-twice"));

    expect([answer.status, answer.headers["Crash-Tour-Twin"]]).toEqual([200, "200 replayed"]);
    expect((await pay(world)).text).toBe(answer.text);
    expect(await effects(world)).toBe(1);
    expect(countRows(world)).toMatchObject({ intents: 1, charges: 1, keys: 1 });
  });

  test("leaves a lease that a retry waits for: Prefer: wait=10 needs no second retry", async () => {
    const world = await openWorld();
    await touring(world, "crash-after-t1");
    const waiting = pay(world, { prefer: "wait=10" });
    expect((await settled(world.clock, waiting)).json.status).toBe("succeeded");
    expect(world.clock.now() - beginMs).toBeLessThan(5_000);
  });

  test("that a request never comes to changes nothing: a replay is a replay", async () => {
    const world = await openWorld();
    const first = await pay(world);

    for (const stop of crashStops.filter((each) => each.startsWith("crash"))) {
      const again = await touring(world, stop);
      expect([again.status, again.text, again.headers["Idempotent-Replayed"]]).toEqual([200, first.text, "true"]);
    }
  });

  test("ends one request and no other: its neighbour is answered meanwhile", async () => {
    const world = await openWorld();
    await touring(world, "crash-after-t1");
    expect((await world.post(path, payForm, { key: "order-2" })).status).toBe(200);
    expect(world.logged.filter((line) => line.includes('"crash tour"'))).toHaveLength(1);
  });

  test.each([
    ["crash-after-claim", { keys: 0, intents: 0 }],
    ["crash-after-t1", { keys: 1, intents: 1 }],
    ["crash-after-acquirer", { keys: 1, bookings: 0 }],
  ])("%s stops dead: nothing is done, given back or logged behind the step, however long it is", async (stop, rows) => {
    const world = await openWorld();
    await touring(world, stop);
    const before = [countRows(world), world.logged.length, await world.journal.list(10)];
    expect(before[0]).toMatchObject(rows);

    await world.clock.advance(120_000);

    expect([countRows(world), world.logged.length, await world.journal.list(10)]).toEqual(before);
    expect((await lifeOf(world)).claim).toMatchObject({ state: "in_progress", generation: 1 });
  });
});

describe("the header", () => {
  test.each([
    ["an unknown stop", "crash-after-lunch", { key: "order-1" }],
    ["no stop", "", { key: "order-1" }],
    ["two stops", ["lose-answer", "run-twice"], { key: "order-1" }],
    ["a stop without an idempotency key", "lose-answer", {}],
  ])("with %s is refused by name, and nothing runs", async (_, stop, sent) => {
    const world = await openWorld();
    const { status, json, headers } = await world.post(path, payForm, { ...sent, headers: { "crash-tour": stop } });
    expect([status, json.error.param]).toEqual([400, "Crash-Tour"]);
    expect(headers["Request-Id"]).toMatch(/^req_/);
    expect(countRows(world)).toMatchObject({ intents: 0, keys: 0 });
  });

  test("is refused on a GET", async () => {
    const world = await openWorld();
    const { status, json } = await world.get(path, { key: "k", headers: { "crash-tour": "lose-answer" } });
    expect([status, json.error.param]).toEqual([400, "Crash-Tour"]);
  });

  test("is refused where the tour is closed, and nothing runs", async () => {
    const world = await openWorld();
    const { ledger, balances, stories, accounts, cache, clock, journal } = world;
    const machine = { clock, random: systemRandom, log: () => {} };
    const acquirer = networkOver({ journal, ...machine });
    const ports = { ledger, balances, stories, accounts, cache, acquirer, webhooks: webhookPorts(), ...machine };
    const closed = crashTour(false, ports);
    const headers = new Map([
      ["crash-tour", ["lose-answer"]],
      ["idempotency-key", ["order-1"]],
      ["authorization", [`Bearer ${apiKeys.first}`]],
      ["content-type", ["application/x-www-form-urlencoded"]],
    ]);

    const { status, body } = await closed({ method: "POST", target: path, headers, body: Buffer.from(payForm) });

    expect([status, JSON.parse(body.toString()).error.param]).toEqual([400, "Crash-Tour"]);
    expect(countRows(world)).toMatchObject({ intents: 0, keys: 0 });
  });

  test("is open by the name of a stage, and an instance does not start with prod's", () => {
    const open = ["dev", "staging", "", undefined].map((stage) =>
      crashTourIn(stage === undefined ? {} : { CRASH_TOUR: stage }),
    );
    expect(open).toEqual([true, true, false, false]);
    for (const stage of ["prod", "true", "Dev"]) expect(() => crashTourIn({ CRASH_TOUR: stage })).toThrow("CRASH_TOUR");
  });
});
