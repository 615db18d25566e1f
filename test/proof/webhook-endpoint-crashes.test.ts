// A worker dies at each store call of a change of webhook endpoints, and the client retries: one change, one first answer.
// It must never find a signing secret in the clear in anything that is kept.
import { defaultTimings, retentionMs } from "../../functions/domain/idempotency.ts";
import { settled } from "../support/patience.ts";
import { openWorld, type Reply, type World } from "../support/world.ts";
import { diedWhole } from "./crash-support.ts";

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
