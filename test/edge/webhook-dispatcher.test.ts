// The dispatcher over HTTP: who may call, what it takes, and that a merchant's failure is no failure of its own.
import { memoryPublisher } from "../../functions/adapters/memory/publisher.ts";
import { systemRandom } from "../../functions/adapters/system.ts";
import { refuse } from "../../functions/domain/errors.ts";
import type { Exchange } from "../../functions/domain/exchange.ts";
import { webhookDispatcher } from "../../functions/edge/webhook-dispatcher.ts";
import { answered, beginMs, openDeliveryWorld } from "../support/delivery-world.ts";
import { intentionsCaller } from "../support/intentions.ts";

const account = "webhook-caller@project.iam.gserviceaccount.com";
const host = "webhook-dispatcher-abc.a.run.app";

/** A token as Cloud Run leaves it: its signature stripped. */
const tokenOf = (claims: object) => {
  const whole = {
    iss: "https://accounts.google.com",
    email: account,
    email_verified: true,
    aud: `https://${host}`,
    exp: 4e9,
  };
  return `Bearer e30.${Buffer.from(JSON.stringify({ ...whole, ...claims })).toString("base64url")}.`;
};

function openDispatcher(receiver: () => Exchange = () => answered(200)) {
  const world = openDeliveryWorld(receiver);
  const publisher = memoryPublisher();
  const targets: string[] = [];
  const handler = webhookDispatcher({
    ...world.deps,
    ...{ publisher, random: systemRandom, callerAccount: account, intentionsCaller },
    tasks: (targetUrl) => {
      targets.push(targetUrl);
      return world.deps.tasks;
    },
  });
  const call = async (target: string, body: unknown, { method = "POST", claims = {} } = {}) => {
    const headers = new Map([
      ["host", [host]],
      ["authorization", [tokenOf(claims)]],
    ]);
    const bytes = Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
    const response = await handler({ method, target, headers, body: bytes });
    return { status: response.status, json: JSON.parse(response.body.toString("utf8")) };
  };
  return { world, publisher, targets, call };
}

const event = {
  id: "evt_1",
  object: "event",
  type: "charge.succeeded",
  created: beginMs / 1000,
  pending_webhooks: 0,
  data: { object: { id: "ch_1" } },
};

function pushOf(
  content: unknown,
  attributes: Record<string, string> = { account_id: "acct_first", event_id: "evt_1" },
) {
  const data = Buffer.from(typeof content === "string" ? content : JSON.stringify(content)).toString("base64");
  return {
    message: { data, attributes, messageId: "1", publishTime: "2026-01-15T12:00:00Z" },
    subscription: "projects/p/subscriptions/s",
  };
}

describe("an event that is pushed", () => {
  test("becomes a delivery to each endpoint that wants it, with the number of receivers in its bytes", async () => {
    const { world, call, targets } = openDispatcher();
    await world.endpoint({ id: "we_1" });
    await world.endpoint({ id: "we_2", enabledEvents: ["charge.succeeded"] });
    await world.endpoint({ id: "we_3", enabledEvents: ["refund.created"] });
    await world.endpoint({ id: "we_4", accountId: "acct_other" });

    expect(await call("/events", pushOf(event))).toEqual({ status: 200, json: { created: 2, known: 0 } });
    expect(await call("/events", pushOf(event))).toEqual({ status: 200, json: { created: 0, known: 2 } });

    expect(
      world.deliveries
        .everything()
        .map(({ endpointId }) => endpointId)
        .sort(),
    ).toEqual(["we_1", "we_2"]);
    for (const { body } of world.deliveries.everything()) {
      expect(Buffer.from(body).toString()).toBe(JSON.stringify({ ...event, pending_webhooks: 2 }));
    }
    expect(new Set(targets)).toEqual(new Set([`https://${host}`]));
  });

  test.each([
    ["no JSON", pushOf("nothing"), 400],
    ["without an id", pushOf({ ...event, id: undefined }), 400],
    ["with an id that cannot be signed", pushOf({ ...event, id: "evt.1" }, { account_id: "acct_first" }), 400],
    ["of two ids", pushOf(event, { account_id: "acct_first", event_id: "evt_2" }), 400],
    ["of nobody", pushOf(event, {}), 400],
    ["without a time", pushOf({ ...event, created: "now" }), 400],
    ["no envelope", {}, 400],
  ])("is refused, and so comes to the dead letters: %s", async (_, body, status) => {
    const { world, call } = openDispatcher();
    await world.endpoint();

    expect((await call("/events", body)).status).toBe(status);
    expect(world.deliveries.everything()).toEqual([]);
  });

  test("is refused when a store is away, and so comes again", async () => {
    const { world, call } = openDispatcher();
    await world.endpoint();
    world.ports.deliveries.disturb("create", {
      at: "before",
      act: "throw",
      error: refuse("store_unavailable", "down"),
    });

    expect((await call("/events", pushOf(event))).status).toBe(503);
    expect((await call("/events", pushOf(event))).status).toBe(200);
  });
});

describe("a task", () => {
  const failures: Exchange[] = [
    answered(500),
    answered(429),
    answered(302),
    ...(
      ["blocked_destination", "dns_error", "connection_error", "tls_error", "timeout", "protocol_error"] as const
    ).map((failure): Exchange => ({ kind: "not_answered", failure, reason: "why", durationMs: 1 })),
  ];

  test.each(failures)("is done for the queue, whatever the merchant does: %j", async (exchange) => {
    const { world, call } = openDispatcher(() => exchange);
    await world.endpoint();
    await call("/events", pushOf(event));
    const [task] = world.tasks.takeDue();

    expect(await call(task?.path ?? "", task?.body)).toEqual({ status: 200, json: { did: "sent" } });
    expect(world.deliveries.everything()[0]?.attempts).toHaveLength(1);
  });

  test("comes again when what became of it could not be kept", async () => {
    const { world, call } = openDispatcher();
    await world.endpoint();
    await call("/events", pushOf(event));
    const [task] = world.tasks.takeDue();
    const down = { at: "before", act: "throw", error: refuse("store_unavailable", "down") } as const;
    world.ports.deliveries.disturb("replace", down, 2);

    expect((await call(task?.path ?? "", task?.body)).status).toBe(503);
  });

  test.each([
    ["no JSON", "nothing"],
    ["null", null],
    ["an id of another kind", { deliveryId: "pi_1", redriveId: null, number: 1, resendId: null }],
    ["no number", { deliveryId: `wd_${"0".repeat(32)}`, redriveId: null, number: "1", resendId: null }],
    ["a resend that is no text", { deliveryId: `wd_${"0".repeat(32)}`, redriveId: null, number: null, resendId: 7 }],
  ])("of another form is refused: %s", async (_, body) => {
    expect((await openDispatcher().call("/deliver", body)).status).toBe(400);
  });
});

describe("who calls", () => {
  test.each([
    ["another account", { email: "other@project.iam.gserviceaccount.com" }],
    ["a token for another service", { aud: "https://elsewhere.a.run.app" }],
    ["an old token", { exp: 1 }],
  ])("is turned away: %s", async (_, claims) => {
    const { world, call } = openDispatcher();

    for (const path of ["/events", "/deliver", "/sweep"]) expect((await call(path, {}, { claims })).status).toBe(403);
    expect(world.received).toEqual([]);
  });

  test("finds its paths and no others, by POST", async () => {
    const { call } = openDispatcher();

    expect((await call("/sweep", "")).json).toEqual({ requeued: 0, isFull: false });
    expect((await call("/sweep", "", { method: "GET" })).status).toBe(405);
    expect((await call("/", "")).status).toBe(404);
    expect((await call("/health", "", { claims: { email: "nobody" }, method: "GET" })).status).toBe(200);
  });
});

describe("the notice of a disabled endpoint", () => {
  test("is an event like every other, without the secret, and is fanned out to the account's other endpoints", async () => {
    const { world, publisher, call } = openDispatcher(() => answered(world.received.length === 1 ? 410 : 200));
    await world.endpoint({ id: "we_gone", enabledEvents: ["charge.succeeded"] });
    await world.endpoint({ id: "we_ops", url: "https://ops.example/", enabledEvents: ["webhook_endpoint.disabled"] });
    await call("/events", pushOf(event));
    const [task] = world.tasks.takeDue();
    await call(task?.path ?? "", task?.body);

    const [message] = publisher.messages();
    const notice = JSON.parse(Buffer.from(message?.data ?? []).toString());
    expect(notice).toMatchObject({
      object: "event",
      type: "webhook_endpoint.disabled",
      reason: "gone",
      data: { object: { id: "we_gone", object: "webhook_endpoint", status: "disabled" } },
    });
    expect(JSON.stringify(notice)).not.toContain("secret");
    expect((await call("/events", pushOf(notice, { ...message?.attributes }))).json).toEqual({ created: 1, known: 0 });
  });
});

describe("what ledger-writer has carried out", () => {
  const asked = (intention: unknown, changes: object = {}) => ({
    ...{ keyHash: "a".repeat(64), accountId: "acct_first", createdAtMs: beginMs, intention },
    ...changes,
  });
  const deletion = { verb: "delete_endpoint", input: { endpointId: "we_1" } };
  const asWriter = { claims: { email: intentionsCaller } };

  test("is done once, and comes with the bytes to store; the line in the log has none of them", async () => {
    const { world, call } = openDispatcher();
    await world.endpoint({ id: "we_1" });

    const first = await call("/carry-out", asked(deletion), asWriter);
    const again = await call("/carry-out", asked(deletion), asWriter);

    expect(first).toEqual({ status: 200, json: { status: 200, body: expect.any(String) } });
    expect(JSON.parse(Buffer.from(first.json.body, "base64").toString())).toMatchObject({ id: "we_1", deleted: true });
    expect(again).toEqual(first);
    expect((await world.endpoints.read("acct_first", null)).endpoints).toEqual([]);
    expect(JSON.stringify(world.logged)).toContain("intention carried out");
    expect(JSON.stringify(world.logged)).not.toContain(first.json.body);
  });

  test("is for ledger-writer alone, and nothing else is", async () => {
    const { call } = openDispatcher();

    expect((await call("/carry-out", asked(deletion))).status).toBe(403);
    expect((await call("/sweep", {}, asWriter)).status).toBe(403);
  });

  test.each<[title: string, body: unknown, param: string | undefined]>([
    ["no JSON", "{", undefined],
    ["a list", [], undefined],
    ["no key", asked(deletion, { keyHash: undefined }), "keyHash"],
    ["an account of another form", asked(deletion, { accountId: "first" }), "accountId"],
    ["a time that is text", asked(deletion, { createdAtMs: "0" }), "createdAtMs"],
    ["no intention", asked(null), "intention"],
    ["a verb that nobody knows", asked({ ...deletion, verb: "toString" }), "intention.verb"],
    ["an input without its id", asked({ ...deletion, input: {} }), "intention.input.endpointId"],
    ["a member too many", asked({ ...deletion, more: 1 }), undefined],
    [
      "changes of a wrong form",
      asked({ verb: "change_endpoint", input: { endpointId: "we_1", changes: { disabled: "yes" } } }),
      "intention.input.changes.disabled",
    ],
  ])("is refused with %s, by the member's name", async (_title, body, param) => {
    const { call } = openDispatcher();

    const { status, json } = await call("/carry-out", body, asWriter);

    expect([status, json.error.param]).toEqual([400, param]);
  });
});
