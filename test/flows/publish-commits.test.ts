// Publishing beside the answer: what goes out, what the next commit takes from the outbox, and what a broken bus may do.
import { refuse } from "../../functions/domain/errors.ts";
import { eventRow, insertOf } from "../support/ledger-rows.ts";
import { openWorld, payForm, type World } from "../support/world.ts";

const anEvent = () => eventRow({ data: Buffer.from('{"object":{}}') });

const typesOn = ({ bus }: World) => bus.messages().map(({ attributes }) => attributes["event_type"]);
const waiting = ({ ledger }: World) => ledger.rows("outbox").length;

/** A process that publishes, over the stores of a new world. */
async function openPublishing() {
  const world = await openWorld();
  const server = world.startServer({ publishes: true });
  const pay = (key: string) => server.post("/v1/payment_intents", payForm, { key });
  return { world, server, pay };
}

describe("a payment", () => {
  test("has all its events on the bus when it is answered, each once", async () => {
    const { world, pay } = await openPublishing();

    expect((await pay("k1")).status).toBe(200);

    expect(typesOn(world)).toEqual(["payment_intent.created", "charge.succeeded", "payment_intent.succeeded"]);
    expect(world.bus.messages().map(({ attributes }) => attributes["event_id"])).toEqual(
      world.ledger.rows("events").map(({ id }) => id),
    );
  });

  test("takes the rows of published events away with its commits, at no further call of the store", async () => {
    const { world, server, pay } = await openPublishing();
    await pay("k1");
    const callsOfOne = server.ports.ledger.calls.splice(0);

    await pay("k2");

    expect(server.ports.ledger.calls).toEqual(callsOfOne);
    // The second payment took the first one's rows; its own last ones wait for a third.
    expect(waiting(world)).toBe(2);
    await pay("k3");
    expect(waiting(world)).toBe(2);
  });

  test("that nothing follows has its rows taken away after half a minute, long before the relay looks", async () => {
    const { world, pay } = await openPublishing();
    await pay("k1");

    await world.clock.advance(29_999);
    expect(waiting(world)).toBeGreaterThan(0);
    await world.clock.advance(1);
    expect(waiting(world)).toBe(0);
  });

  test("leaves its rows to the process's end when it ends before", async () => {
    const { world, server, pay } = await openPublishing();
    await pay("k1");

    await server.outlet.close();

    expect(waiting(world)).toBe(0);
    expect(world.clock.pendingTimers()).toBe(0);
  });

  test("that is replayed publishes nothing", async () => {
    const { world, pay } = await openPublishing();
    await pay("k1");
    await pay("k1");
    expect(typesOn(world)).toHaveLength(3);
  });
});

describe("a bus in trouble", () => {
  const unreachable = refuse("store_unavailable", "The bus is away.");

  test("changes no answer, and leaves the rows to the relay", async () => {
    const { world, server, pay } = await openPublishing();
    server.ports.publisher.disturbAll({ at: "before", act: "throw", error: unreachable });

    expect((await pay("k1")).status).toBe(200);
    await pay("k2");
    await world.clock.advance(30_000);

    expect(waiting(world)).toBe(6);
    expect(typesOn(world)).toEqual([]);
    expect(world.logged).toContain(
      '{"severity":"WARNING","message":"events left to the relay","events":1,"reason":"store_unavailable"}',
    );
  });

  test("that hangs holds an answer for half a second, and then no answer at all for a while", async () => {
    const { world, server, pay } = await openPublishing();
    server.ports.publisher.disturbAll({ at: "before", act: "wait", until: new Promise(() => {}) });
    const answered: string[] = [];
    const payAndTell = async (key: string) => void answered.push(`${key} ${(await pay(key)).status}`);

    void payAndTell("k1");
    await world.clock.advance(499);
    expect(answered).toEqual([]);
    await world.clock.advance(1);
    expect(answered).toEqual(["k1 200"]);
    void payAndTell("k2");
    await world.clock.advance(500);
    // Four failed by now: the next answers wait for nothing.
    void payAndTell("k3");
    await world.clock.advance(0);
    expect(answered).toEqual(["k1 200", "k2 200", "k3 200"]);
    expect(server.ports.publisher.calls).toHaveLength(4);
  });

  test("is tried again five seconds after it was given up, and used again when it is back", async () => {
    const { world, server, pay } = await openPublishing();
    const heal = server.ports.publisher.disturbAll({ at: "before", act: "throw", error: unreachable });
    await pay("k1");
    await pay("k2");
    heal();

    await pay("k3");
    expect(typesOn(world)).toEqual([]);
    await world.clock.advance(5_000);
    await pay("k4");
    expect(typesOn(world)).toHaveLength(3);
  });

  test("that took the messages and lost its reply has them twice once the relay has run, and loses none", async () => {
    const { world, server, pay } = await openPublishing();
    server.ports.publisher.disturb("publish", { at: "after", act: "throw", error: unreachable });
    await pay("k1");
    await pay("k2");
    await world.clock.advance(30_000);

    // The event whose reply was lost still stands, all others are gone.
    expect(world.ledger.rows("outbox").map(({ eventId }) => eventId)).toEqual([world.ledger.rows("events")[0]?.id]);
    expect(typesOn(world)).toHaveLength(6);
  });

  test("that answers after half a second is believed all the same", async () => {
    const { world, server, pay } = await openPublishing();
    const late = Promise.withResolvers<void>();
    server.ports.publisher.disturb("publish", { at: "after", act: "wait", until: late.promise });
    void pay("k1");
    await world.clock.advance(500);
    late.resolve();
    await world.clock.advance(30_000);

    expect(waiting(world)).toBe(0);
  });
});

describe("a commit", () => {
  /** The ledger of one request of a publishing process that has published one event already. */
  async function openRemembering() {
    const { world, server } = await openPublishing();
    const { ledger, settled } = server.outlet.open();
    const commitEvent = async (through = ledger) => {
      const event = anEvent();
      const row = { eventId: event.id, createdAtMs: world.clock.now(), leaseUntilMs: null };
      await through.insert("given", [insertOf("events", event), insertOf("outbox", row)]);
      return event.id;
    };
    const published = await commitEvent();
    await settled();
    return { world, server, ledger, settled, commitEvent, published };
  }

  test("that is rolled back publishes nothing and gives the rows back for the next one", async () => {
    const { world, ledger, commitEvent, published } = await openRemembering();
    const unwanted = anEvent();
    await expect(
      ledger.transact("doomed", async (scope) => {
        scope.write([insertOf("events", unwanted)]);
        throw new Error("changed my mind");
      }),
    ).rejects.toThrow("changed my mind");
    expect(world.ledger.rows("outbox").map(({ eventId }) => eventId)).toEqual([published]);

    const next = await commitEvent();

    expect(world.ledger.rows("outbox").map(({ eventId }) => eventId)).toEqual([next]);
    expect(world.bus.messages().map(({ attributes }) => attributes["event_id"])).not.toContain(unwanted.id);
  });

  test("F24 whose body runs twice publishes what its last run wrote, once", async () => {
    const { world, ledger, settled } = await openRemembering();
    const events = [anEvent(), anEvent()];
    const intentId = "pi_contended";
    let runs = 0;
    await ledger.transact("contended", async (scope) => {
      await scope.read({ payment_intents: intentId, events: events[1]?.id ?? "" });
      const event = events[runs] ?? anEvent();
      runs += 1;
      // Somebody else commits what this run has read.
      if (runs === 1) await world.ledger.insert("other", [insertOf("events", events[1] ?? anEvent())]);
      const id = runs === 1 ? event.id : "evt_second_run";
      scope.write([
        insertOf("events", { ...event, id }),
        insertOf("outbox", { eventId: id, createdAtMs: world.clock.now(), leaseUntilMs: null }),
      ]);
    });
    await settled();

    expect(runs).toBe(2);
    expect(world.bus.messages().map(({ attributes }) => attributes["event_id"])).toEqual([
      expect.any(String),
      "evt_second_run",
    ]);
  });

  test("that only read takes no row away", async () => {
    const { world, ledger } = await openRemembering();
    await ledger.transact("look", (scope) => scope.read({ payment_intents: "pi_none" }));
    expect(waiting(world)).toBe(1);
  });

  test("that met rows which were there publishes nothing", async () => {
    const { world, ledger, settled } = await openRemembering();
    const [event] = world.ledger.rows("events");
    const again = event ?? anEvent();
    expect(await ledger.insert("twice", [insertOf("events", again)])).toBe("exists");
    await settled();
    expect(world.bus.messages()).toHaveLength(1);
    expect(waiting(world)).toBe(1);
  });
});
