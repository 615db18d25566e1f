// A poison message on its way: given up by its consumer, recorded once, planned, sent again once, done once (F46); with a
// crash at every call of the redrive.
// It must never count by the redrive's own receipt alone: what was published and what consumers did are the oracles.
import { memoryDeadLetters } from "../../functions/adapters/memory/dead-letters.ts";
import { memoryPublisher } from "../../functions/adapters/memory/publisher.ts";
import { deadLetterRecorder } from "../../functions/edge/dead-letter-recorder.ts";
import type { BusMessage } from "../../functions/flows/bus-ports.ts";
import { planRedriveOf, runRedrive } from "../../functions/flows/redrive-events.ts";
import { openConsumerWorld } from "../support/consumer-world.ts";
import { intercept } from "../support/interception.ts";
import { manualClock } from "../support/manual-clock.ts";
import { aPaymentEvent, push, pusher, pushOf } from "../support/pushes.ts";
import { died } from "./crash-support.ts";

const nowMs = Date.UTC(2026, 2, 2, 9, 0, 0);

function open() {
  const kept = memoryDeadLetters();
  const bus = memoryPublisher();
  const clock = manualClock(nowMs);
  const lines: object[] = [];
  const log = (severity: string, message: string, fields: object = {}) =>
    void lines.push({ severity, message, ...fields });
  const recorder = deadLetterRecorder({ deadLetters: kept, clock, log, callerAccount: pusher.account });
  /** As Pub/Sub does after the last delivery; the time of the first publish is the message's identity. */
  const bury = async (
    message: BusMessage,
    { source = "payment-events-to-invoice", publishedAt = "2026-03-01T12:00:02.5Z" } = {},
  ) =>
    await push(
      recorder,
      pushOf({
        data: message.data,
        attributes: {
          ...message.attributes,
          CloudPubSubDeadLetterSourceDeliveryCount: "100",
          CloudPubSubDeadLetterSourceSubscription: source,
          CloudPubSubDeadLetterSourceSubscriptionProject: "local-project",
          CloudPubSubDeadLetterSourceTopicPublishTime: publishedAt,
        },
      }),
      { target: "/dead-letters" },
    );
  /** One run of the script; each of its ports disturbable on its own. */
  const startRun = () => {
    const ports = { deadLetters: intercept(kept), publisher: intercept(bus) };
    const deps = { deadLetters: ports.deadLetters.port, publisher: ports.publisher.port, clock };
    return { ports, run: async (plan: string) => await runRedrive(deps, plan) };
  };
  const dryRun = async () => await planRedriveOf(kept);
  return { kept, bus, clock, lines, recorder, bury, startRun, dryRun, ...startRun() };
}

const payment = (number: number) => aPaymentEvent({ id: `pi_${number}` }, { id: `evt_${number}` });
const sentIds = (messages: readonly BusMessage[]) => messages.map(({ attributes }) => attributes["event_id"]);

describe("the recorder", () => {
  test("records a dead letter once and says so in one line, however often it is buried", async () => {
    const { bury, lines, dryRun } = open();

    expect(await bury(payment(1))).toEqual({ status: 200, body: { outcome: "recorded" } });
    expect(await bury(payment(1))).toEqual({ status: 200, body: { outcome: "known" } });

    expect(lines).toEqual([
      {
        ...{ severity: "ERROR", message: "dead letter recorded", letter: expect.any(String), isKept: true },
        ...{ source: "payment-events-to-invoice", event: "evt_1", type: "payment_intent.succeeded", deliveries: 100 },
      },
    ]);
    expect((await dryRun()).events).toHaveLength(1);
  });

  test.each([
    ["no JSON", { data: Buffer.from("{"), attributes: {} }],
    ["no event", { data: Buffer.from('"text"'), attributes: { a: "b" } }],
    ["nothing at all", { data: Buffer.alloc(0), attributes: {} }],
  ])("records what is %s, and the plan says that it stays", async (_title, message) => {
    const { bury, dryRun } = open();

    expect((await bury(message)).status).toBe(200);
    expect(await dryRun()).toMatchObject({ events: [], left: [expect.any(String)] });
  });

  test("records that a content was too large to keep, instead of failing for ever", async () => {
    const { bury, dryRun, lines } = open();
    const large = aPaymentEvent({ description: "x".repeat(900_001) }, { id: "evt_1" });

    expect((await bury(large)).status).toBe(200);
    expect(lines).toMatchObject([{ event: "evt_1", isKept: false }]);
    expect((await dryRun()).left).toHaveLength(1);
  });

  test("answers nobody but its subscription, and does not acknowledge what it could not keep", async () => {
    const { recorder, kept, clock, lines } = open();
    const failing = intercept(kept);
    failing.disturb("record", { at: "before", act: "throw", error: new Error("down") });
    const log = (_severity: string, message: string) => void lines.push({ message });
    const broken = deadLetterRecorder({ deadLetters: failing.port, clock, log, callerAccount: pusher.account });
    const letter = pushOf(payment(1));

    expect((await push(recorder, letter, { target: "/dead-letters", claims: { email: "x" } })).status).toBe(403);
    expect((await push(recorder, letter, { target: "/events" })).status).toBe(404);
    expect((await push(recorder, letter, { target: "/health", method: "GET" })).status).toBe(200);
    expect((await push(broken, letter, { target: "/dead-letters" })).status).toBe(500);
  });
});

describe("a plan", () => {
  test("sends an event once that two consumers gave up, and one of them twice", async () => {
    const { bury, dryRun, bus, run } = open();
    await bury(payment(1));
    await bury(payment(1), { source: "payment-events-to-risk" });
    await bury(payment(1), { publishedAt: "2026-03-01T13:00:00Z" });

    const plan = await dryRun();

    expect(plan.events).toEqual([
      {
        ...{ eventId: "evt_1", eventType: "payment_intent.succeeded" },
        sources: ["payment-events-to-invoice", "payment-events-to-risk"],
        letterIds: [expect.any(String), expect.any(String), expect.any(String)],
      },
    ]);
    expect(await run(plan.id)).toEqual({
      ...{ redriveId: plan.id, sent: 1, elsewhere: 0, duplicates: 2, sentTwice: 0, finishedAtMs: nowMs },
    });
    expect(sentIds(bus.messages())).toEqual(["evt_1"]);
  });

  test("is the same for the same letters in any order, and another one as soon as a letter comes", async () => {
    const [one, other] = [open(), open()];
    for (const number of [1, 2, 3]) await one.bury(payment(number));
    for (const number of [3, 1, 2]) await other.bury(payment(number));

    expect(await one.dryRun()).toEqual(await other.dryRun());
    await other.bury(payment(4));
    expect((await other.dryRun()).id).not.toBe((await one.dryRun()).id);
  });

  test("that is not the one of the letters that wait is refused, and nothing is sent", async () => {
    const { bury, dryRun, bus, run } = open();
    await bury(payment(1));
    const { id } = await dryRun();
    await bury(payment(2));

    await expect(run(id)).rejects.toMatchObject({ code: "parameter_invalid", param: "run" });
    await expect(open().run((await open().dryRun()).id)).rejects.toMatchObject({ code: "parameter_invalid" });
    expect(bus.messages()).toEqual([]);
  });

  test("sends the message as it was published, with the redrive's id beside", async () => {
    const { bury, dryRun, bus, run } = open();
    await bury(payment(1));
    const { id } = await dryRun();
    await run(id);

    const { data, attributes } = payment(1);
    expect(bus.messages()).toEqual([{ data: Uint8Array.from(data), attributes: { ...attributes, redrive_id: id } }]);
  });

  test("that is done sends nothing again and gives its receipt again", async () => {
    const { bury, dryRun, bus, run, clock } = open();
    await bury(payment(1));
    const { id } = await dryRun();
    const receipt = await run(id);
    await clock.advance(60_000);

    expect(await run(id)).toEqual(receipt);
    expect(bus.messages()).toHaveLength(1);
    expect(await dryRun()).toMatchObject({ events: [], left: [] });
  });
});

describe("a run that dies", () => {
  const twelve = Array.from({ length: 12 }, (_, index) => index + 1);

  test("makes these calls when it lives, for ten events at once", async () => {
    const { bury, dryRun, ports, run } = open();
    for (const number of twelve) await bury(payment(number));
    await run((await dryRun()).id);

    const some = ["take", "settle"];
    expect(ports.deadLetters.calls).toEqual([
      "findRedrive",
      "waiting",
      "startRedrive",
      ...some,
      ...some,
      "finishRedrive",
    ]);
    expect(ports.publisher.calls).toEqual(["publish", "publish"]);
  });

  test.each(
    (["deadLetters", "publisher"] as const).flatMap((port) =>
      Array.from({ length: port === "deadLetters" ? 8 : 2 }, (_, index) => index + 1).flatMap((nth) =>
        (["before", "after"] as const).map((at) => [port, nth, at] as const),
      ),
    ),
  )(
    "at call %s %i, %s it: the next run of the plan sends the rest, and says what it sent twice",
    async (port, nth, at) => {
      const { bury, dryRun, startRun, run, clock, bus } = open();
      for (const number of twelve) await bury(payment(number));
      const { id } = await dryRun();
      const dying = startRun();
      dying.ports[port].disturbCall(nth, died(at));
      void dying.run(id);
      await clock.advance(1);
      // A letter that comes meanwhile is not of this plan, and does not keep it from being finished.
      await bury(payment(13));

      const finished = run(id);

      // Before the plan was written down, nothing was sent, and the plan is not that of the letters that wait now.
      if (port === "deadLetters" && (nth <= 2 || (nth === 3 && at === "before"))) {
        await expect(finished).rejects.toMatchObject({ param: "run" });
        expect(bus.messages()).toEqual([]);
        return;
      }
      const receipt = await finished;
      const sent = sentIds(bus.messages());
      expect(receipt).toMatchObject({ sent: 12, elsewhere: 0, duplicates: 0 });
      expect([...new Set(sent)].sort()).toEqual(twelve.map((number) => `evt_${number}`).sort());
      // A run that dies before its publish cannot be told from one that dies after it, so the receipt may say too much.
      expect(sent.length - 12).toBeLessThanOrEqual(receipt.sentTwice);
      expect((await dryRun()).events.map(({ eventId }) => eventId)).toEqual(["evt_13"]);
    },
  );

  test("leaves letters that another plan may not send", async () => {
    const { bury, dryRun, startRun, run, clock, bus } = open();
    for (const number of twelve) await bury(payment(number));
    const first = await dryRun();
    const dying = startRun();
    dying.ports.publisher.disturbCall(2, died("before"));
    void dying.run(first.id);
    await clock.advance(1);
    const second = await dryRun();

    expect(second.events).toEqual([]);
    expect(await run(first.id)).toMatchObject({ sent: 12, sentTwice: 2 });
    expect(sentIds(bus.messages())).toHaveLength(12);
  });
});

test("what was redriven is done once by the consumer that had given it up, and dropped by those that had done it", async () => {
  const { bury, dryRun, bus, run } = open();
  const world = openConsumerWorld();
  await push(world.invoice, pushOf(payment(2)));
  for (const number of [1, 2]) await bury(payment(number));
  await run((await dryRun()).id);

  const outcomes: unknown[] = [];
  for (const message of bus.messages()) outcomes.push((await push(world.invoice, pushOf(message))).body);

  expect(outcomes).toEqual([{ outcome: "issued" }, { outcome: "repeated" }]);
  expect(world.documents.all("invoices")).toHaveLength(2);
});
