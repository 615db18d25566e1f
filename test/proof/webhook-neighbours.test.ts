// One merchant that hangs or is down, and others beside it: they must not notice.
// It must never let time pass by itself: how long a delivery waited is counted in virtual milliseconds.
import type { Exchange } from "../../functions/domain/exchange.ts";
import { answered, beginMs, type DeliveryWorld, openDeliveryWorld } from "../support/delivery-world.ts";

const second = 1_000;
const hanging = "https://hanging.example/";
const timedOut: Exchange = { kind: "not_answered", failure: "timeout", reason: "no answer", durationMs: 15_000 };

/** Events a second to a merchant, for so many seconds; every one is fanned out when its second begins. */
async function send(world: DeliveryWorld, seconds: number, perSecond: Readonly<Record<string, number>>) {
  for (let at = 0; at < seconds; at += 1) {
    await world.runUntil(at * second);
    for (const [accountId, count] of Object.entries(perSecond)) {
      for (let index = 0; index < count; index += 1)
        await world.fanOut({ id: `evt_${accountId}_${at}_${index}`, accountId });
    }
  }
}

/** How long after its event each delivery of an account was received first, in milliseconds. */
function waits(world: DeliveryWorld, accountId: string): number[] {
  const firsts = new Map<string, number>();
  for (const { eventId, atMs } of world.received) if (!firsts.has(eventId)) firsts.set(eventId, atMs);
  return [...firsts]
    .filter(([eventId]) => eventId.startsWith(`evt_${accountId}_`))
    .map(([eventId, atMs]) => atMs - beginMs - Number(eventId.split("_").at(-2)) * second);
}

describe("a merchant that hangs for 15 s at 8 events a second", () => {
  test("delays nobody else, holds few places, and the queue sees no error", async () => {
    const world: DeliveryWorld = openDeliveryWorld(async ({ url }) => {
      if (url !== hanging) return answered(200);
      await world.sleep(15 * second);
      return timedOut;
    });
    await world.endpoint({ accountId: "bad", url: hanging });
    await world.endpoint({ accountId: "good" });

    await send(world, 40, { bad: 8, good: 1 });
    await world.runUntil(41 * second);

    expect(waits(world, "good")).toEqual(Array(40).fill(0));
    const toHanging = world.received.filter(({ url }) => url === hanging).map(({ atMs }) => atMs);
    const atOnce = toHanging.map(
      (atMs) => toHanging.filter((other) => other > atMs - 15 * second && other <= atMs).length,
    );
    expect(Math.max(...atOnce)).toBe(20);
    // Once it is known to hang, two at once.
    expect(
      Math.max(...atOnce.filter((_, index) => (toHanging[index] ?? 0) >= beginMs + 30 * second)),
    ).toBeLessThanOrEqual(4);
    expect(world.logged.filter(({ message }) => message === "webhook work failed")).toEqual([]);
  });
});

describe("F48: a throttle", () => {
  const oneAMinute = { inFlightMax: 10, everyMs: 60 * second, burst: 1 };

  test("of one attempt a minute really lets one through a minute, and none of those that wait is an attempt", async () => {
    const world = openDeliveryWorld(() => answered(200), { healthy: oneAMinute, failing: oneAMinute });
    await world.endpoint();
    for (let index = 0; index < 5; index += 1) await world.fanOut({ id: `evt_${index}` });

    await world.runUntil(3_600 * second);

    expect(world.received.map(({ atMs }) => (atMs - beginMs) / second)).toEqual([0, 60, 120, 180, 240]);
    const attempts = world.deliveries.everything().map(({ attempts: made }) => made.map(({ trigger }) => trigger));
    expect(attempts).toEqual(Array(5).fill([{ kind: "schedule", number: 1 }]));
  });

  test("lets an endpoint that was down come back at its rate, without a storm and without growing delays", async () => {
    let isUp = false;
    const world: DeliveryWorld = openDeliveryWorld(({ url }) => answered(url === hanging && !isUp ? 503 : 200));
    await world.endpoint({ accountId: "bad", url: hanging });
    await world.endpoint({ accountId: "good" });
    await send(world, 10, { bad: 12 });
    await world.runUntil(1_800 * second);
    isUp = true;
    const upAtMs = beginMs + 1_800 * second;
    await world.fanOut({ id: "evt_good_1800_0", accountId: "good" });

    await world.runUntil(4 * 3_600 * second);

    expect(waits(world, "good")).toEqual([0]);
    const states = world.deliveries.everything().map(({ state }) => state);
    expect(states).toEqual(Array(121).fill("delivered"));
    const after = world.received.filter(({ url, atMs }) => url === hanging && atMs >= upAtMs).map(({ atMs }) => atMs);
    const inOneSecond = after.map((atMs) => after.filter((other) => other >= atMs && other < atMs + second).length);
    expect(Math.max(...inOneSecond)).toBeLessThanOrEqual(100);
  });
});
