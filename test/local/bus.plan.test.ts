// The bus on the laptop: what a push looks like, when it comes again, and where it ends.
import { createServer, type Server } from "node:http";
import { buffer } from "node:stream/consumers";
import { type Bus, openBus } from "../../local/bus.ts";
import { parseFilter } from "../../local/bus-filter.ts";
import { listenFrom } from "../../local/listen.ts";
import { type MovableClock, movableClock } from "../../local/movable-clock.ts";
import type { PlannedSubscription } from "../../local/plan-bus.ts";
import { type PlannedGrant, PUBSUB_AGENT } from "../../local/plan-grants.ts";
import { rightsOf } from "../../local/rights.ts";
import { predefinedRoles } from "../../local/roles.ts";
import { tokenIssuer } from "../../local/token-issuer.ts";

/** 2026-01-15 12:00:00 UTC. */
const startMs = Date.UTC(2026, 0, 15, 12);
const topic = "projects/local-project/topics/payment-events";
const name = "projects/local-project/subscriptions/payment-events-to-risk";
const kept = "projects/local-project/subscriptions/payment-events-dead-kept";
const caller = "risk-caller@local-project.iam.gserviceaccount.com";

let clock: MovableClock = movableClock(startMs);
/** One for all tests, on the clock of the one that runs: a new key takes longer than a test. */
const issuer = await tokenIssuer({ ...clock, now: () => clock.now() });

const subscription: PlannedSubscription = {
  name,
  topic,
  filter: () => true,
  delivery: {
    kind: "push",
    url: "https://risk.invalid/events",
    token: { account: caller, audience: "https://risk.invalid" },
  },
  ackDeadlineMs: 60_000,
  retry: { firstWaitMs: 10_000, longestWaitMs: 600_000 },
  deadLetter: { topic: `${topic}-dead`, attemptsMax: 100 },
  retentionMs: 7 * 24 * 3_600_000,
};

/** As in the plan (test/local/plan.plan.test.ts), which takes seconds to synthesize. */
const keeping: PlannedSubscription = {
  ...subscription,
  ...{ name: kept, topic: `${topic}-dead`, delivery: { kind: "pull" }, ackDeadlineMs: 600_000, deadLetter: undefined },
  ...{ retry: { firstWaitMs: 0, longestWaitMs: 0 }, retentionMs: 31 * 24 * 3_600_000 },
};

const grant = (role: string, resource: string): PlannedGrant => ({
  ...{ member: PUBSUB_AGENT, role, resource },
  permissions: predefinedRoles[role] ?? [],
});
const signs = grant("roles/iam.serviceAccountOpenIdTokenCreator", `projects/local-project/serviceAccounts/${caller}`);
const takes = grant("roles/pubsub.subscriber", name);
const buries = grant("roles/pubsub.publisher", `${topic}-dead`);

type Push = { atMs: number; path: string; headers: Record<string, unknown>; body: Record<string, unknown> };

let server: Server | undefined;
let bus: Bus | undefined;
afterEach(() => {
  bus?.stop();
  server?.close();
  server?.closeAllConnections();
});

/** A bus with one subscription, changed, and a function that answers by the number of the call. */
async function open(
  change: Partial<PlannedSubscription> = {},
  answer: (call: number) => number | Promise<number> = () => 204,
  grants: readonly PlannedGrant[] = [signs, takes, buries],
) {
  clock = movableClock(startMs);
  const pushes: Push[] = [];
  const logged: { message: string; fields: Readonly<Record<string, unknown>> }[] = [];
  server = createServer(async (incoming, outgoing) => {
    const body = JSON.parse((await buffer(incoming)).toString()) as Record<string, unknown>;
    pushes.push({ atMs: clock.now() - startMs, path: incoming.url ?? "", headers: incoming.headers, body });
    outgoing.writeHead(await answer(pushes.length)).end();
  });
  const address = `http://127.0.0.1:${await listenFrom(server, undefined)}`;
  const rights = rightsOf({ grants: [...grants], buryingGrants: [], roles: predefinedRoles }, () => {});
  bus = openBus(
    {
      ...{ clock, issuer, log: (_severity, message, fields = {}) => void logged.push({ message, fields }) },
      mayAgent: (permission, resource) => rights.refusalOf({ member: PUBSUB_AGENT, permission, resource }),
      archive: () => {},
    },
    { topics: [topic, `${topic}-dead`], subscriptions: [keeping, { ...subscription, ...change }] },
  );
  bus.start((url) => url.replace("https://risk.invalid", address));
  /** When each push came, in seconds after the publish, to ten of them: the clock goes on while a push is on its way. */
  const seconds = () => pushes.map(({ atMs }) => Math.round(atMs / 10_000) * 10);
  return { clock, issuer, pushes, logged, bus, seconds };
}

const message = { data: Buffer.from('{"id":"evt_1"}'), attributes: { event_type: "charge.succeeded" } };

describe("a push", () => {
  test("carries the envelope, the headers and the token that a function gets in the cloud", async () => {
    const { clock, issuer, pushes, bus } = await open();

    const [id] = bus.publish(topic, [message]);
    await clock.advance(1);

    const publishTime = expect.stringMatching(/^2026-01-15T12:00:00\.\d{3}Z$/);
    expect(pushes).toMatchObject([{ path: "/events" }]);
    expect(pushes[0]?.body).toEqual({
      deliveryAttempt: 1,
      message: {
        ...{ data: "eyJpZCI6ImV2dF8xIn0=", attributes: { event_type: "charge.succeeded" } },
        ...{ messageId: id, message_id: id, publishTime, publish_time: publishTime },
      },
      subscription: name,
    });
    const { authorization, ...headers } = pushes[0]?.headers ?? {};
    expect(headers).toMatchObject({ "user-agent": "CloudPubSub-Google", "content-type": "application/json" });
    expect(issuer.check(String(authorization).replace("Bearer ", ""))).toMatchObject({
      ...{ iss: "https://accounts.google.com", aud: "https://risk.invalid", email: caller, email_verified: true },
    });
  });

  test("leaves out what is empty, and counts no attempts where nothing is buried", async () => {
    const { clock, pushes, bus } = await open({ deadLetter: undefined });

    bus.publish(topic, [{ data: Buffer.from("{}"), attributes: {} }]);
    bus.publish(topic, [{ data: Buffer.alloc(0), attributes: { a: "b" } }]);
    await clock.advance(1);

    expect(pushes.map(({ body }) => Object.keys(body).sort())).toEqual([
      ["message", "subscription"],
      ["message", "subscription"],
    ]);
    const named = ["messageId", "message_id", "publishTime", "publish_time"];
    expect(pushes.map(({ body }) => Object.keys(body["message"] as object).sort()).sort()).toEqual([
      ["attributes", ...named],
      ["data", ...named],
    ]);
  });

  test("comes only for messages that the subscription's filter takes", async () => {
    const { clock, pushes, bus } = await open({
      filter: parseFilter('hasPrefix(attributes.event_type, "payment_intent.")'),
    });

    bus.publish(topic, [message, { ...message, attributes: { event_type: "payment_intent.succeeded" } }]);
    await clock.advance(60_000);

    expect(pushes.map(({ body }) => (body["message"] as { attributes: unknown }).attributes)).toEqual([
      { event_type: "payment_intent.succeeded" },
    ]);
  });

  test.each([200, 201, 202, 204])("that is answered with %i comes no more", async (status) => {
    const { clock, pushes, bus } = await open({}, () => status);

    bus.publish(topic, [message]);
    await clock.advance(3_600_000);

    expect(pushes).toHaveLength(1);
    expect(bus.subscription(name).backlog()).toBe(0);
  });

  test.each([203, 301, 400, 404, 429, 500])("that is answered with %i comes again", async (status) => {
    const { clock, seconds, bus } = await open({}, (call) => (call === 1 ? status : 204));

    bus.publish(topic, [message]);
    await clock.advance(60_000);

    expect(seconds()).toEqual([0, 10]);
  });

  test("comes again after waits that double from 10 s to 600 s and stay there", async () => {
    const { clock, seconds, bus } = await open({}, () => 503);

    bus.publish(topic, [message]);
    await clock.advance(2_400_000);

    expect(seconds()).toEqual([0, 10, 30, 70, 150, 310, 630, 1230, 1830]);
  });

  test("that nobody may sign reaches nobody, and comes again", async () => {
    const { clock, pushes, logged, bus } = await open({}, () => 204, [takes, buries]);

    bus.publish(topic, [message]);
    await clock.advance(10_000);

    expect(pushes).toEqual([]);
    expect(logged.map(({ fields }) => fields["answer"])).toContainEqual(
      expect.stringContaining("roles/iam.serviceAccountOpenIdTokenCreator would give it"),
    );
    expect(bus.subscription(name).backlog()).toBe(1);
  });
});

describe("a message that nobody takes", () => {
  test("is buried after its last attempt, with where it came from, and is kept for a person", async () => {
    const { clock, pushes, bus } = await open({}, () => 500);

    bus.publish(topic, [message]);
    await clock.advance(16 * 3_600_000);

    expect(pushes).toHaveLength(100);
    // A hundred attempts take 15 h 40 min 30 s; infra/constructs/push-consumer.ts says so in round numbers.
    expect(Math.floor((pushes.at(-1)?.atMs ?? 0) / 600_000)).toBe(94);
    expect(bus.subscription(name).backlog()).toBe(0);
    const [dead] = bus.subscription(kept).pull(10);
    expect(dead?.delivery.message.data.toString()).toBe('{"id":"evt_1"}');
    expect(dead?.delivery.message.attributes).toEqual({
      event_type: "charge.succeeded",
      CloudPubSubDeadLetterSourceDeliveryCount: "100",
      CloudPubSubDeadLetterSourceSubscription: "payment-events-to-risk",
      CloudPubSubDeadLetterSourceSubscriptionProject: "local-project",
      CloudPubSubDeadLetterSourceTopicPublishTime: expect.stringMatching(/^2026-01-15T12:00:00/),
    });
  });

  test.each([
    ["to take it from its subscription", [signs, buries], "roles/pubsub.subscriber"],
    ["to publish it on the dead-letter topic", [signs, takes], "roles/pubsub.publisher"],
  ])("is never buried without the right %s, and goes on coming", async (_, grants, role) => {
    const deadLetter = { topic: `${topic}-dead`, attemptsMax: 5 };
    const { clock, pushes, logged, bus } = await open({ deadLetter }, () => 500, grants);

    bus.publish(topic, [message]);
    await clock.advance(600_000);

    expect(pushes).toHaveLength(6);
    expect(bus.subscription(kept).backlog()).toBe(0);
    const refusals = logged.filter(({ message: line }) => line === "dead letter not forwarded");
    expect(refusals.map(({ fields }) => fields["refusal"])).toContainEqual(
      expect.stringContaining(`${role} would give`),
    );
  });

  test("is dropped when it is older than its subscription keeps it, and a line says so", async () => {
    const { clock, logged, bus } = await open({ deadLetter: undefined, retentionMs: 600_000 }, () => 500);

    bus.publish(topic, [message]);
    await clock.advance(1_200_000);

    expect(bus.subscription(name).backlog()).toBe(0);
    expect(logged.map(({ message: line }) => line)).toContain("message dropped: older than its subscription keeps it");
  });
});

describe("a kept dead letter", () => {
  test("waits until somebody acknowledges it, and comes again to who does not in time", async () => {
    const { clock, bus } = await open();
    bus.publish(`${topic}-dead`, [message]);
    const dead = bus.subscription(kept);
    const [first] = dead.pull(1);

    expect(dead.pull(1)).toEqual([]);
    await clock.advance(600_000);
    const [second] = dead.pull(1);
    expect(second?.delivery).toEqual({ message: first?.delivery.message, attempt: 2 });
    dead.acknowledge([second?.ackId ?? ""]);
    await clock.advance(3_600_000);

    expect(dead.backlog()).toBe(0);
  });
});

test("a topic that is not planned, and a message without anything in it, are refused", async () => {
  const { bus } = await open();

  expect(() => bus.publish(`${topic}s`, [message])).toThrow(`there is no topic ${topic}s`);
  expect(() => bus.publish(topic, [{ data: Buffer.alloc(0), attributes: {} }])).toThrow("needs data or an attribute");
});
