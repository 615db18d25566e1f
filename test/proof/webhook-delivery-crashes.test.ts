// An instance dies at each call of a fan-out and of an attempt: the merchant gets the event at least once, and it ends.
// It must never count on the queue alone: a task that is gone comes back by the sweep.

import { withResend } from "../../functions/domain/delivery-record.ts";
import { answered, beginMs, openDeliveryWorld } from "../support/delivery-world.ts";

const minute = 60_000;
const day = 24 * 60 * minute;
const wakeUp = (deliveryId: string, number = 1) => ({ deliveryId, number, redriveId: null, resendId: null });

/** Calls of the first attempt, which fails, in their order. */
const calls = [
  ["the read of the delivery", "deliveries", "read"],
  ["the read of the endpoint", "endpoints", "read"],
  ["the read of its health", "health", "read"],
  ["the claim", "deliveries", "replace"],
  ["the request to the merchant", "egress", "post"],
  ["the write of its health", "health", "write"],
  ["the record", "deliveries", "replace"],
  ["the next task", "tasks", "enqueue"],
] as const;

const deaths = calls.flatMap(([name, port, method], index) =>
  (["before", "after"] as const).map((at) => {
    const nth = calls.slice(0, index + 1).filter(([, other, same]) => other === port && same === method).length;
    return { name, port, method, nth, at };
  }),
);

describe.each(deaths)("an instance that dies $at $name", ({ port, method, nth, at }) => {
  test.each([true, false])("loses nothing; the queue calls again: %s", async (isCalledAgain) => {
    let count = 0;
    const world = openDeliveryWorld(() => answered(++count < 3 ? 500 : 200));
    await world.endpoint();
    await world.fanOut({});
    const [task] = world.tasks.takeDue();
    const dying = world.startInstance();
    const takes = () => {
      for (const each of Object.values(dying.ports)) each.disturbAll({ at: "before", act: "die" });
    };
    dying.ports[port].disturb(method as never, { at, act: "die", takes }, nth);

    void dying.deliver(task?.body as never);
    await world.turns();
    if (isCalledAgain) await world.deliver(task?.body as never);
    await world.runUntil(60 * minute);

    expect(world.deliveries.everything()).toMatchObject([{ state: "delivered", inFlight: null, sweepAtMs: null }]);
    // Three answers were wanted; one more was sent where the first one's record was lost with its instance.
    expect([3, 4]).toContain(world.received.length);
    expect(world.tasks.waiting()).toEqual([]);
    const numbers = world.deliveries
      .everything()[0]
      ?.attempts.map(({ trigger }) => "number" in trigger && trigger.number);
    expect(numbers).toEqual([1, 2, 3].slice(0, numbers?.length));
  });
});

describe("a fan-out that dies", () => {
  test.each([
    ["deliveries", "create", "before"],
    ["deliveries", "create", "after"],
    ["tasks", "enqueue", "before"],
    ["tasks", "enqueue", "after"],
  ] as const)("at %s.%s, %s, is made whole when the bus brings the event again", async (port, method, at) => {
    const world = openDeliveryWorld(() => answered(200));
    await world.endpoint();
    const dying = world.startInstance();
    dying.ports[port].disturb(method as never, { at, act: "throw", error: new Error("died") });

    await expect(dying.fanOut({})).rejects.toThrow("died");
    await world.fanOut({});
    await world.runUntil(minute);

    expect(world.received).toHaveLength(1);
    expect(world.deliveries.everything()).toMatchObject([{ state: "delivered" }]);
  });

  test("and whose event never comes again is found by the sweep, once its record stands", async () => {
    const world = openDeliveryWorld(() => answered(200));
    await world.endpoint();
    const dying = world.startInstance();
    dying.ports.tasks.disturb("enqueue", { at: "before", act: "die" });
    void dying.fanOut({});
    await world.turns();

    await world.runUntil(5 * minute);

    expect(world.received).toHaveLength(1);
  });
});

describe("F51: an event that comes again", () => {
  test.each([0, 59, 61, 2 * 24 * 60])("after %d minutes is one delivery", async (minutes) => {
    const world = openDeliveryWorld(() => answered(200));
    await world.endpoint();
    await world.fanOut({ createdAtMs: beginMs });
    await world.runUntil(minutes * minute);

    const again = await world.fanOut({ createdAtMs: beginMs });
    await world.runUntil(minutes * minute + day);

    expect(again).toEqual({ created: 0, known: 1 });
    expect(world.received).toHaveLength(1);
  });

  test("goes to no endpoint that was made after it", async () => {
    const world = openDeliveryWorld(() => answered(200));
    await world.runUntil(minute);
    await world.endpoint();

    expect(await world.fanOut({ createdAtMs: beginMs })).toEqual({ created: 0, known: 0 });
    expect(await world.fanOut({ id: "evt_later" })).toEqual({ created: 1, known: 0 });
  });

  test("keeps the bytes of the first time, whatever the second one renders", async () => {
    const world = openDeliveryWorld(() => answered(500));
    await world.endpoint();
    await world.fanOut({ render: () => Buffer.from("first") });
    await world.fanOut({ render: () => Buffer.from("second") });
    expect(world.deliveries.everything().map(({ body }) => Buffer.from(body).toString())).toEqual(["first"]);
  });
});

describe("a task that comes twice", () => {
  test("at once sends once", async () => {
    const world = openDeliveryWorld(() => answered(200));
    await world.endpoint();
    await world.fanOut({});
    const id = world.deliveries.everything()[0]?.id ?? "";

    const ends = await Promise.all([1, 2, 3].map(() => world.deliver(wakeUp(id))));

    expect(ends.sort()).toEqual(["busy", "busy", "sent"]);
    expect(world.received).toHaveLength(1);
  });

  test("after its attempt was recorded sends nothing, and makes sure of the next task", async () => {
    const world = openDeliveryWorld(() => answered(500));
    await world.endpoint();
    await world.fanOut({});
    const id = world.deliveries.everything()[0]?.id ?? "";
    await world.runUntil(1_000);
    world.tasks.purge("webhookSlow");

    expect(await world.deliver(wakeUp(id))).toBe("ensured");
    expect(await world.deliver(wakeUp("wd_unknown"))).toBe("nothing");

    expect(world.received).toHaveLength(1);
  });
});

describe("a worker that outlives its lease", () => {
  test("does not overwrite what its successor recorded", async () => {
    const world = openDeliveryWorld(async () => {
      if (world.received.length === 1) await world.sleep(10 * minute);
      return answered(world.received.length === 1 ? 500 : 200);
    });
    await world.endpoint();
    await world.fanOut({});

    await world.runUntil(day);

    expect(world.received).toHaveLength(2);
    expect(world.deliveries.everything()).toMatchObject([{ state: "delivered", attempts: [{ status: 200 }] }]);
  });
});

describe("a resend", () => {
  const resent = async (status: number) => {
    const world = openDeliveryWorld(() => answered(world.received.length === 2 ? status : 500));
    await world.endpoint();
    await world.fanOut({});
    await world.runUntil(1_000);
    const found = await world.deliveries.read(world.deliveries.everything()[0]?.id ?? "");
    if (found === undefined) throw new Error("there is no delivery");
    await world.deliveries.replace(found.version, withResend(found.delivery, "rs_1", beginMs + 1_000));
    const wake = { deliveryId: found.delivery.id, redriveId: null, number: null, resendId: "rs_1" };
    return { world, wake };
  };

  test("that succeeds ends the delivery, and its later tasks do nothing", async () => {
    const { world, wake } = await resent(200);

    expect(await world.deliver(wake)).toBe("sent");
    expect(await world.deliver(wake)).toBe("nothing");
    await world.runUntil(4 * day);

    expect(world.received).toHaveLength(2);
    expect(world.deliveries.everything()).toMatchObject([
      { state: "delivered", attempts: [{ trigger: { number: 1 } }, { trigger: { kind: "resend", resendId: "rs_1" } }] },
    ]);
  });

  test("that fails uses up no place of the schedule", async () => {
    const { world, wake } = await resent(500);
    await world.deliver(wake);

    await world.runUntil(4 * day);

    expect(world.received).toHaveLength(11);
    expect(world.deliveries.everything()).toMatchObject([{ state: "dead", dead: { reason: "exhausted" } }]);
  });

  test("whose task was lost is found by the sweep", async () => {
    const { world } = await resent(200);
    await world.runUntil(5 * minute);

    // The second scheduled attempt came before the sweep, and got the answer that was meant for the resend.
    expect(world.received.length).toBeGreaterThanOrEqual(2);
    expect(world.deliveries.everything()).toMatchObject([{ state: "delivered", resend: null, sweepAtMs: null }]);
  });
});
