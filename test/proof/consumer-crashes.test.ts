// The promise of a consumer, with a crash at every call of every port: own documents exactly once, mails at least once and
// a second time only between hand-over and marker, under the same Message-ID. Then duplicates, orders and delays.
// It must never count by the consumer's own markers: the mail server's log and the documents are the oracles.
import { memoryConsumerStore } from "../../functions/adapters/memory/consumer-store.ts";
import { memoryDocuments } from "../../functions/adapters/memory/documents.ts";
import { systemRandom } from "../../functions/adapters/system.ts";
import type { ConsumedEvent } from "../../functions/domain/consumption.ts";
import { consumeEvent } from "../../functions/flows/consume-event.ts";
import type { EffectDocument } from "../../functions/flows/consumer-ports.ts";
import { openConsumerWorld } from "../support/consumer-world.ts";
import { intercept } from "../support/interception.ts";
import { manualClock } from "../support/manual-clock.ts";
import { aChargeEvent, push, pushOf } from "../support/pushes.ts";
import { died, door } from "./crash-support.ts";

type MailWorld = ReturnType<typeof openConsumerWorld>;
type Places = readonly (readonly ["store" | "mailer", string, "before" | "after", number])[];

/** Every call that a delivery makes, in order, and how many mails there are in the end when it dies there. */
const places: Places = [
  ["store", "put", "before", 1],
  ["store", "put", "after", 1],
  ["mailer", "send", "before", 1],
  ["mailer", "send", "after", 2],
  ["store", "finish", "before", 2],
  ["store", "finish", "after", 1],
];

/** Pushes until it is acknowledged, as Pub/Sub does: a wait of 10 s at least before each further delivery. */
async function deliverUntilDone(world: MailWorld, event = aChargeEvent()): Promise<number[]> {
  const statuses: number[] = [];
  while (statuses.at(-1) !== 200 && statuses.length < 5) {
    await world.clock.advance(10_000);
    statuses.push((await push(world.startProcess().notification, pushOf(event))).status);
  }
  return statuses;
}

describe("a process that dies with a mail in its hands", () => {
  test("makes exactly these calls when it lives", async () => {
    const world = openConsumerWorld();
    await push(world.notification, pushOf(aChargeEvent()));

    expect([world.ports.store.calls, world.ports.mailer.calls]).toEqual([["put", "finish"], ["send"]]);
  });

  test.each(places)(
    "%s.%s, %s the call: the next delivery finishes it, with %i mails",
    async (port, method, at, mails) => {
      const world = openConsumerWorld();
      world.ports[port].disturb(method as never, died(at));
      void push(world.notification, pushOf(aChargeEvent()));

      expect(await deliverUntilDone(world)).toEqual([200]);

      expect(world.handedOver).toHaveLength(mails);
      expect(new Set(world.handedOver.map((mail) => JSON.stringify(mail))).size).toBe(1);
      expect(await deliverUntilDone(world)).toEqual([200]);
      expect(world.handedOver).toHaveLength(mails);
    },
  );

  test.each([
    ["the claim is lost", "put", 1],
    ["the marker is lost", "finish", 1],
  ] as const)("when the reply of %s, the next delivery settles it", async (_title, method, mails) => {
    const world = openConsumerWorld();
    world.ports.store.disturb(method, { at: "after", act: "throw", error: new Error("reply lost") });

    expect((await push(world.notification, pushOf(aChargeEvent()))).status).toBe(500);

    expect(await deliverUntilDone(world)).toEqual([200]);
    expect(world.handedOver).toHaveLength(mails);
  });
});

describe("two deliveries", () => {
  test("of one event at the same time: one sends, the other is told to come again and then finds it done (F31)", async () => {
    const world = openConsumerWorld();
    const sending = door();
    world.ports.mailer.disturb("send", { at: "before", act: "wait", until: sending.opened });
    const first = push(world.notification, pushOf(aChargeEvent()));
    await world.clock.advance(1);

    const second = await push(world.notification, pushOf(aChargeEvent()));
    sending.open();

    expect([second.status, (await first).status]).toEqual([409, 200]);
    expect(await deliverUntilDone(world)).toEqual([200]);
    expect(world.handedOver).toHaveLength(1);
  });

  test("of two events for one payment make one mail, in whatever order", async () => {
    const events = [aChargeEvent({}, { id: "evt_1" }), aChargeEvent({}, { id: "evt_2" })];
    for (const order of [events, [...events].reverse()]) {
      const world = openConsumerWorld();
      for (const event of order) expect(await deliverUntilDone(world, event)).toEqual([200]);

      expect(world.handedOver).toHaveLength(1);
    }
  });

  test("of which the first outlives its lease: both send the same mail, and the late one neither undoes nor repeats", async () => {
    const world = openConsumerWorld();
    const sending = door();
    world.ports.mailer.disturb("send", { at: "before", act: "wait", until: sending.opened });
    const late = push(world.notification, pushOf(aChargeEvent()));
    expect(await deliverUntilDone(world)).toEqual([200]);

    sending.open();

    expect((await late).status).toBe(200);
    expect(new Set(world.handedOver.map(({ messageId }) => messageId)).size).toBe(1);
    expect(world.store.markers().map(({ state }) => state)).toEqual(["done", "done"]);
  });

  test("80 days apart: the second finds it done", async () => {
    const world = openConsumerWorld();
    await deliverUntilDone(world);
    await world.clock.advance(80 * 24 * 3_600_000);

    expect(await deliverUntilDone(world)).toEqual([200]);
    expect(world.handedOver).toHaveLength(1);
  });
});

test("a mail that failed is released, so that the next delivery need not wait for the lease", async () => {
  const world = openConsumerWorld();
  world.ports.mailer.disturb("send", { at: "before", act: "throw", error: new Error("down") });
  await push(world.notification, pushOf(aChargeEvent()));

  expect((await push(world.startProcess().notification, pushOf(aChargeEvent()))).status).toBe(200);
});

describe("an effect in our own store", () => {
  const event: ConsumedEvent = { id: "evt_1", type: "t", accountId: "acct_1", createdAtMs: 0, object: {} };
  const document: EffectDocument = { collection: "effects", id: "pi_1", write: "create", fields: { words: "done" } };

  const open = () => {
    const documents = memoryDocuments();
    const store = memoryConsumerStore(documents);
    const clock = manualClock(1_772_366_400_000);
    let prepared = 0;
    const run = async (id = "evt_1", port = intercept(store)) =>
      await consumeEvent(
        { store: port.port, clock, random: systemRandom },
        {
          consumer: "invoice",
          event: { ...event, id },
          action: {
            name: "invoice:pi_1",
            effect: {
              kind: "own",
              prepare: async () => {
                prepared += 1;
                return { outcome: "made", documents: [{ ...document, id: `pi_1, made the ${prepared}. time` }] };
              },
            },
          },
        },
      );
    return { documents, store, run };
  };

  test.each(["before", "after"] as const)("is done once when the process dies %s its commit", async (at) => {
    const { documents, store, run } = open();
    const dying = intercept(store);
    dying.disturbCall(1, died(at));
    void run("evt_1", dying);
    await new Promise((resolve) => setImmediate(resolve));

    expect((await run()).kind).toBe(at === "before" ? "done" : "repeated");
    expect((await run()).kind).toBe("repeated");
    expect(documents.all("effects")).toHaveLength(1);
  });

  test("is one call to the store, and done once by twenty deliveries of two events at the same time", async () => {
    const { documents, store, run } = open();
    const counted = intercept(store);

    const results = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => await run(`evt_${index % 2}`, counted)),
    );

    expect(counted.calls).toEqual(Array.from({ length: 20 }, () => "put"));
    expect(results.filter(({ kind }) => kind === "done")).toHaveLength(1);
    expect(documents.all("effects")).toHaveLength(1);
  });
});
