// The relay: what it takes, when, how it survives a broken bus, a crash and a second relay, and what it measures.
import { refuse } from "../../functions/domain/errors.ts";
import { busMessageOf } from "../../functions/edge/bus-message.ts";
import type { Outbox } from "../../functions/flows/bus-ports.ts";
import { relayOutbox } from "../../functions/flows/relay-outbox.ts";
import { died } from "../proof/crash-support.ts";
import { intercept } from "../support/interception.ts";
import { eventRow, insertOf } from "../support/ledger-rows.ts";
import { openWorld, payForm, type World } from "../support/world.ts";

const idsOn = ({ bus }: World) => bus.messages().map(({ attributes }) => attributes["event_id"] ?? "");
const idsOf = ({ ledger }: World) => ledger.rows("events").map(({ id }) => id);
const waiting = ({ ledger }: World) => ledger.rows("outbox").length;
const minuteMs = 60_000;

/** A relay of its own over the world's stores, each of its ports disturbable. */
function relayOver(world: World) {
  const ports = { outbox: intercept<Outbox>(world.outbox), publisher: intercept(world.bus) };
  const deps = { outbox: ports.outbox.port, publisher: ports.publisher.port, render: busMessageOf };
  return { ports, relay: () => relayOutbox({ ...deps, clock: world.clock, log: world.log }) };
}

/** Puts as many events into the outbox as asked for, created now. */
async function commitEvents(world: World, count: number): Promise<void> {
  const createdAtMs = world.clock.now();
  const events = Array.from({ length: count }, () => eventRow({ createdAtMs, data: Buffer.from('{"object":{}}') }));
  const rows = events.map(({ id }) => insertOf("outbox", { eventId: id, createdAtMs, leaseUntilMs: null }));
  await world.ledger.insert("given", [...events.map((event) => insertOf("events", event)), ...rows]);
}

describe("events that their worker did not publish", () => {
  test("are published by the first run after a minute, and their rows are gone", async () => {
    const world = await openWorld();
    await world.post("/v1/payment_intents", payForm, { key: "k1" });
    const { relay } = relayOver(world);

    await world.clock.advance(minuteMs);
    expect(await relay()).toEqual({ published: 0, overdue: 0, oldestMs: 0, failure: null });
    await world.clock.advance(1);
    expect(await relay()).toEqual({ published: 3, overdue: 0, oldestMs: 0, failure: null });

    expect(idsOn(world).sort()).toEqual(idsOf(world).sort());
    expect(waiting(world)).toBe(0);
  });

  test("because it died between commit and publish are published all the same", async () => {
    const world = await openWorld();
    const dying = world.startServer({ publishes: true });
    dying.ports.publisher.disturbAll(died("before"));
    void dying.post("/v1/payment_intents", payForm, { key: "k1" });
    await world.clock.advance(minuteMs + 1);

    await relayOver(world).relay();

    expect(idsOn(world).sort()).toEqual(idsOf(world).sort());
    expect(idsOn(world)).toHaveLength(3);
  });

  test("of a long breakdown are taken batch by batch until none is left", async () => {
    const world = await openWorld();
    await commitEvents(world, 450);
    await world.clock.advance(minuteMs + 1);

    const { relay, ports } = relayOver(world);

    expect(await relay()).toMatchObject({ published: 450 });
    expect(ports.publisher.calls).toHaveLength(3);
    expect(waiting(world)).toBe(0);
  });
});

describe("in a quiet run", () => {
  test("nothing is published twice, however often the relay looks", async () => {
    const world = await openWorld();
    const server = world.startServer({ publishes: true });
    const { relay, ports } = relayOver(world);
    for (const pauseMs of [0, 500, 20_000, 40_000, 90_000]) {
      await server.post("/v1/payment_intents", payForm, { key: `after ${pauseMs}` });
      await world.clock.advance(pauseMs);
      await relay();
    }
    await world.clock.advance(5 * minuteMs);
    await relay();

    expect(idsOn(world)).toHaveLength(15);
    expect(new Set(idsOn(world)).size).toBe(15);
    expect(ports.publisher.calls).toEqual([]);
    expect(waiting(world)).toBe(0);
  });
});

describe("a relay", () => {
  test("that cannot publish deletes nothing, says so, and lets the next run have the rows", async () => {
    const world = await openWorld();
    await commitEvents(world, 2);
    await world.clock.advance(3 * minuteMs);
    const { relay, ports } = relayOver(world);
    ports.publisher.disturb("publish", { at: "before", act: "throw", error: refuse("store_unavailable", "Away.") });

    expect(await relay()).toEqual({ published: 0, overdue: 2, oldestMs: 180_000, failure: "store_unavailable" });

    expect(waiting(world)).toBe(2);
    await world.clock.advance(minuteMs);
    expect(await relay()).toEqual({ published: 2, overdue: 0, oldestMs: 0, failure: null });
  });

  test("that died after it published leaves rows whose next run publishes them again, and loses none", async () => {
    const world = await openWorld();
    await commitEvents(world, 2);
    await world.clock.advance(minuteMs + 1);
    const dying = relayOver(world);
    dying.ports.outbox.disturb("remove", died("before"));
    void dying.relay();
    // While its lease lasts nobody else takes them.
    await world.clock.advance(29_999);
    expect(await relayOver(world).relay()).toMatchObject({ published: 0 });
    await world.clock.advance(1);
    expect(await relayOver(world).relay()).toMatchObject({ published: 2 });

    expect(idsOn(world).sort()).toEqual([...idsOf(world), ...idsOf(world)].sort());
    expect(waiting(world)).toBe(0);
  });

  test("and another one at the same time publish each event once between them", async () => {
    const world = await openWorld();
    await commitEvents(world, 300);
    await world.clock.advance(minuteMs + 1);

    await Promise.all([relayOver(world).relay(), relayOver(world).relay()]);

    expect(idsOn(world)).toHaveLength(300);
    expect(new Set(idsOn(world)).size).toBe(300);
  });

  test("passes by an event that cannot be published, names it, and measures that it waits", async () => {
    const world = await openWorld();
    await commitEvents(world, 2);
    const bad = eventRow({ createdAtMs: world.clock.now(), data: Uint8Array.from([0, 255]) });
    const row = { eventId: bad.id, createdAtMs: bad.createdAtMs, leaseUntilMs: null };
    await world.ledger.insert("given", [insertOf("events", bad), insertOf("outbox", row)]);
    await world.clock.advance(2 * minuteMs + 1);

    expect(await relayOver(world).relay()).toMatchObject({ published: 2, overdue: 1, oldestMs: 120_001 });

    expect(world.ledger.rows("outbox").map(({ eventId }) => eventId)).toEqual([bad.id]);
    expect(world.logged).toContainEqual(expect.stringContaining(`"eventId":"${bad.id}"`));
  });
});
