// A worker that publishes dies at each call of the ledger and of the bus: every committed event reaches the bus, and no
// row of the outbox goes before its event does. It must never look at the order of events, nor mind one that came twice.
import { busMessageOf } from "../../functions/edge/bus-message.ts";
import { relayOutbox } from "../../functions/flows/relay-outbox.ts";
import { sweep } from "../support/completer.ts";
import { openWorld, payForm, type World } from "../support/world.ts";
import { diedWhole } from "./crash-support.ts";

/** What is on the bus or still in the outbox; every event must be in one of them at any moment. */
const knownEvents = ({ bus, ledger }: World) =>
  new Set([
    ...bus.messages().map(({ attributes }) => attributes["event_id"] ?? ""),
    ...ledger.rows("outbox").map(({ eventId }) => eventId),
  ]);

const places = (["ledger", "publisher"] as const).flatMap((port) =>
  (["before", "after"] as const).flatMap((at) => [1, 2, 3, 4].map((nth) => ({ port, at, nth }))),
);

/** A process that published one payment before, so that its next commit carries deletes. */
async function openPublishing() {
  const world = await openWorld();
  const dying = world.startServer({ publishes: true });
  await dying.post("/v1/payment_intents", payForm, { key: "before" });
  return { world, dying };
}

test.each(places)("a death $at call $nth of the $port loses no event", async ({ port, at, nth }) => {
  const { world, dying } = await openPublishing();
  dying.ports[port].disturbCall(nth, diedWhole(dying, at));

  void dying.post("/v1/payment_intents", payForm, { key: "dies" });
  await world.clock.advance(600);
  for (const { id } of world.ledger.rows("events")) expect(knownEvents(world)).toContain(id);
  dying.ports[port].disturbAll(diedWhole(dying, at));

  await expectAllMadeGood(world);
});

test.each([1, 2])("publish %i and all later ones that hang until the process dies lose no event", async (nth) => {
  const { world, dying } = await openPublishing();
  const nowhere = { at: "before", act: "wait", until: new Promise(() => {}) } as const;
  dying.ports.publisher.disturbCall(nth, nowhere);

  for (const key of ["k1", "k2", "k3"]) {
    void dying.post("/v1/payment_intents", payForm, { key });
    await world.clock.advance(600);
    for (const { id } of world.ledger.rows("events")) expect(knownEvents(world)).toContain(id);
    dying.ports.publisher.disturbAll(nowhere);
  }
  dying.ports.ledger.disturbAll(diedWhole(dying, "before"));

  await expectAllMadeGood(world);
});

/** The completer and the relay make good for it, without any client. */
async function expectAllMadeGood(world: World): Promise<void> {
  for (let minute = 1; minute <= 4; minute += 1) {
    await world.clock.advance(60_000);
    await sweep(world);
    await relayOutbox({ ...world, publisher: world.bus, render: busMessageOf });
  }
  const published = new Set(world.bus.messages().map(({ attributes }) => attributes["event_id"]));
  expect(published).toEqual(new Set(world.ledger.rows("events").map(({ id }) => id)));
  expect(world.ledger.rows("outbox")).toEqual([]);
}
