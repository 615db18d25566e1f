// A worker dies at each store call of a change of webhook endpoints or deliveries, and the client retries, or the completer has
// it carried out because the client never comes back: one change, one first answer.
// It must never find a signing secret in the clear in anything that is kept.

import { openSecrets } from "../../functions/domain/endpoint-secrets.ts";
import { defaultTimings, retentionMs } from "../../functions/domain/idempotency.ts";
import { deadDelivery, deadEndpoint } from "../support/dead-deliveries.ts";
import { abandoned, carrierTo, dispatcherOf, intentions, sweepIntentions } from "../support/intentions.ts";
import { settled } from "../support/patience.ts";
import { openWorld, type Reply, type World, webhookPorts } from "../support/world.ts";
import { diedWhole, door } from "./crash-support.ts";

type Server = ReturnType<World["startServer"]>;

const creation = "url=https://shop.example/hooks&enabled_events[]=*";
const create = (server: Server, key = "change") => server.post("/v1/webhook_endpoints", creation, { key });

/** Everything that any store keeps, as text. */
const kept = (world: World): string =>
  JSON.stringify([
    world.ledger.rows("idempotency_keys").map((row) => ({ ...row, body: textOf(row.outcome?.body) })),
    [...world.cache.records().values()].map(({ record }) => {
      const { outcome } = record;
      return outcome === null || outcome === "in_ledger" ? outcome : textOf(outcome.body);
    }),
    world.webhookEndpoints.everything(),
    world.logged,
  ]);
const textOf = (body: Uint8Array | null | undefined) => Buffer.from(body ?? []).toString("latin1");

/** Calls of one create in their order, as the port that takes them and the call's number there. */
const steps = [
  { name: "the claim", port: "cache", nth: 1 },
  { name: "the key row", port: "ledger", nth: 1 },
  { name: "the read of the endpoints", port: "webhookEndpoints", nth: 1 },
  { name: "the commit of the endpoint", port: "webhookEndpoints", nth: 2 },
  { name: "the outcome in the key row", port: "ledger", nth: 2 },
  { name: "the result in the cache", port: "cache", nth: 2 },
] as const;

const deaths = steps.flatMap((step) => [
  { ...step, at: "before" as const },
  { ...step, at: "after" as const },
]);

describe.each(deaths)("a worker that dies $at $name", ({ port, nth, at }) => {
  test.each([false, true])("is finished by a retry, with the cache wiped in between: %s", async (isWiped) => {
    const world = await openWorld();
    const dying = world.startServer();
    dying.ports[port].disturbCall(nth, diedWhole(dying, at));
    void create(dying);
    await world.clock.advance(0);
    if (isWiped) world.cache.wipe();
    await world.clock.advance(defaultTimings.leaseMs);
    const retrying = world.startServer();

    const first = await settled(world.clock, create(retrying));
    const again = await settled(world.clock, create(retrying));

    expect(first.status).toBe(200);
    expect(again.text).toBe(first.text);
    expect(world.webhookEndpoints.everything().map(({ id }) => id)).toEqual([first.json.id]);
    expect(kept(world)).not.toContain("whsec_");
  });
});

describe("a rotation whose answer was lost", () => {
  test("rotates once, and the retry gets the same secret", async () => {
    const world = await openWorld();
    const { json } = await create(world);
    const rotate = (server: Server) =>
      server.post(`/v1/webhook_endpoints/${json.id}/rotate_secret`, "", { key: "rotate" });
    const dying = world.startServer();
    dying.ports.webhookEndpoints.disturb("commit", diedWhole(dying, "after"));
    void rotate(dying);
    await world.clock.advance(defaultTimings.leaseMs + 1);
    const [rotated] = world.webhookEndpoints.everything();

    const first = await settled(world.clock, rotate(world));
    const again = await settled(world.clock, rotate(world));

    expect(first.json.secret).not.toBe(json.secret);
    expect(again.text).toBe(first.text);
    expect(world.webhookEndpoints.everything()).toEqual([rotated]);
    expect(kept(world)).not.toContain("whsec_");
  });
});

describe("a delete whose worker died", () => {
  test("answers the retry as deleted, not as unknown", async () => {
    const world = await openWorld();
    const { id } = (await create(world)).json;
    const dying = world.startServer();
    dying.ports.webhookEndpoints.disturb("commit", { at: "after", act: "throw", error: new Error("reply lost") });

    const lost = await dying.send("DELETE", `/v1/webhook_endpoints/${id}`, "", {});
    const later = await world.send("DELETE", `/v1/webhook_endpoints/${id}`, "", {});

    // The client has no key for a DELETE, so its retry is another request, and the truth is that nothing is there.
    expect([lost.status, later.status]).toEqual([500, 404]);
  });
});

describe("the same key", () => {
  test("with other parameters is refused, with or without the cache", async () => {
    const world = await openWorld();
    await create(world);
    const other = () => world.post("/v1/webhook_endpoints", `${creation}&description=x`, { key: "change" });
    const fromCache = await other();
    world.cache.wipe();

    const refusals: Reply[] = [fromCache, await other()];

    expect(refusals.map(({ status, json }) => [status, json.error.type])).toEqual(
      Array(2).fill([400, "idempotency_error"]),
    );
    expect(world.webhookEndpoints.everything()).toHaveLength(1);
  });

  test("is free again after a day, and then makes another endpoint", async () => {
    const world = await openWorld();
    const first = await create(world);
    await world.clock.advance(retentionMs);

    const second = await create(world);

    expect(second.status).toBe(200);
    expect(second.json.id).not.toBe(first.json.id);
    expect(second.headers["Idempotent-Replayed"]).toBeUndefined();
  });

  test("of twenty requests at once makes one endpoint, and all get its bytes", async () => {
    const world = await openWorld();

    const replies = await settled(
      world.clock,
      Promise.all(Array.from({ length: 20 }, () => create(world.startServer()))),
    );

    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    expect(world.webhookEndpoints.everything()).toHaveLength(1);
  });
});

describe("changes that meet", () => {
  test("seventeen endpoints at once are sixteen, and one refusal that is final for its key", async () => {
    const world = await openWorld();
    const keys = Array.from({ length: 17 }, (_, index) => `key-${index}`);

    const replies = await settled(world.clock, Promise.all(keys.map((key) => create(world, key))));

    expect(replies.filter(({ status }) => status === 200)).toHaveLength(16);
    const refused = replies.findIndex(({ status }) => status === 400);
    expect(replies[refused]?.json.error.message).toContain("maximum of 16 webhook endpoints");
    expect((await create(world, keys[refused])).headers["Idempotent-Replayed"]).toBe("true");
  });
});

/** Past the lease and one call's timeout: then the completer may act. */
const graceEndsMs = defaultTimings.leaseMs + defaultTimings.callTimeoutMs + 1;

const keyRowOf = (world: World, key: string) => {
  const row = world.ledger.rows("idempotency_keys").find(({ idempotencyKey }) => idempotencyKey === key);
  if (row === undefined) throw new Error(`there is no row of ${key}`);
  return row;
};

const everything = (world: World) => [world.webhookEndpoints.everything(), world.deliveries.everything()];

const abandonments = Object.keys(intentions).flatMap((name) => [
  { name, death: "before it" as const },
  { name, death: "after it" as const },
]);

describe.each(abandonments)("$name whose worker died $death, and whose client never comes back", ({ name, death }) => {
  test("is carried out once by the completer's word, and its key sealed for a day from then", async () => {
    const { world, ask } = await abandoned(name, death);
    const before = everything(world);
    await world.clock.advance(graceEndsMs);

    const swept = await sweepIntentions(world);
    const done = everything(world);
    const again = await sweepIntentions(world);
    const row = keyRowOf(world, "left");
    const late = await ask(world);

    expect([swept, again]).toEqual([
      { intentionsSealed: 1, intentionsLeft: 0 },
      { intentionsSealed: 0, intentionsLeft: 0 },
    ]);
    expect(row).toMatchObject({ generation: 2, intention: null, expiresAtMs: world.clock.now() + retentionMs });
    expect([late.status, late.headers["Idempotent-Replayed"]]).toEqual([200, "true"]);
    expect(late.headers["Original-Request"]).toBe(row.requestId);
    expect(everything(world)).toEqual(done);
    // Where the worker had done it already, nothing was done again.
    expect(JSON.stringify(done) === JSON.stringify(before)).toBe(death === "after it");
    expect(kept(world)).not.toContain("whsec_");
  });
});

describe("a creation that the completer had carried out", () => {
  test.each(["before it", "after it"] as const)(
    "shows a client that comes later the secret that signs, when its worker died %s",
    async (death) => {
      const { world, ask } = await abandoned("a creation", death);
      await world.clock.advance(graceEndsMs);
      await sweepIntentions(world);

      const { json } = await ask(world);

      const made = world.webhookEndpoints.everything().find(({ id }) => id === json.id);
      expect(made && openSecrets(webhookPorts().box, made).map(({ secret }) => secret)).toEqual([json.secret]);
    },
  );
});

describe("the completer of intentions", () => {
  test("leaves a living worker alone to the last millisecond of its grace", async () => {
    const { world } = await abandoned("a resend", "before it");
    const row = keyRowOf(world, "left");
    await world.clock.advance(graceEndsMs - 1);

    expect(await sweepIntentions(world)).toEqual({ intentionsSealed: 0, intentionsLeft: 0 });
    expect(keyRowOf(world, "left")).toEqual(row);
  });

  test("makes a client that comes back meanwhile wait for the one answer", async () => {
    const { world, ask } = await abandoned("a creation", "before it");
    await world.clock.advance(graceEndsMs);
    const { opened, open } = door();
    const { carryOut } = carrierTo(dispatcherOf(world));
    const sweeping = sweepIntentions(world, {
      carryOut: async (...asked) => await opened.then(() => carryOut(...asked)),
    });
    await world.clock.advance(0);

    const back = ask(world);
    await world.clock.advance(200);
    open();
    const [reply] = await settled(world.clock, Promise.all([back, sweeping]));

    expect([reply.status, reply.headers["Idempotent-Replayed"]]).toEqual([200, "true"]);
    expect(world.webhookEndpoints.everything()).toHaveLength(2);
  });

  test("is not overtaken by its first worker, which wakes up when all is done and gives the same answer", async () => {
    const world = await openWorld();
    const stalled = world.startServer();
    const { opened, open } = door();
    stalled.ports.webhookEndpoints.disturb("commit", { at: "before", act: "wait", until: opened });
    const first = create(stalled);
    await world.clock.advance(graceEndsMs);
    await sweepIntentions(world);
    const row = keyRowOf(world, "change");

    open();
    const reply = await settled(world.clock, first);

    expect([reply.status, world.webhookEndpoints.everything().map(({ id }) => id)]).toEqual([200, [reply.json.id]]);
    expect(keyRowOf(world, "change")).toEqual(row);
    expect((await create(world)).text).toBe(reply.text);
  });

  test("leaves open what others are at, says so, and ends it with a later sweep", async () => {
    const { world } = await abandoned("a resend", "before it");
    await world.clock.advance(graceEndsMs);
    const busy = await sweepIntentions(world, { carryOut: async () => "busy" });
    const silent = await sweepIntentions(world);
    await world.clock.advance(graceEndsMs);

    const ended = await sweepIntentions(world);

    expect([busy.intentionsLeft, silent.intentionsSealed, ended.intentionsSealed]).toEqual([1, 0, 1]);
    expect(world.logged.join()).toContain("intention stays open");
  });
});

describe("a resend that was refused because another one waits", () => {
  test("is wanted no longer: nobody does it behind its client's back, and its key is free", async () => {
    const world = await openWorld();
    const deliveryId = await deadDelivery(world, await deadEndpoint(world));
    const resend = (key: string, form = "") => world.post(`/v1/webhook_deliveries/${deliveryId}/resend`, form, { key });
    await resend("first");
    const waiting = everything(world);

    const refused = await resend("second");
    await world.clock.advance(graceEndsMs);
    const swept = await sweepIntentions(world);
    const again = await resend("second");

    expect([refused.status, swept, again.status]).toEqual([409, { intentionsSealed: 0, intentionsLeft: 0 }, 409]);
    expect(again.headers["Idempotent-Replayed"]).toBeUndefined();
    expect(everything(world)).toEqual(waiting);
    expect(keyRowOf(world, "second")).toMatchObject({ intention: null, outcome: { status: 409, body: null } });
  });
});
