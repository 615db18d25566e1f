// Field cases of section A, through the API's front, on memory stores: bugs that other systems really had.

import { door } from "../proof/crash-support.ts";
import { settled } from "../support/patience.ts";
import { beginMs, countRows, openWorld, payForm, type World } from "../support/world.ts";

const intents = "/v1/payment_intents";
const dayMs = 24 * 60 * 60 * 1000;
const pay = (world: Pick<World, "post">, key = "K", form = payForm) => world.post(intents, form, { key });

describe("what is stored, and for how long", () => {
  test("F14: a validation error does not burn the key, a decline does", async () => {
    const world = await openWorld();
    const missing = await pay(world, "K", "amount=2000&confirm=true&payment_method=pm_card_visa");
    expect([missing.status, missing.json.error.param]).toEqual([400, "currency"]);
    expect((await pay(world)).status).toBe(200);

    const decline = payForm.replace("pm_card_visa", "pm_card_visa_chargeDeclinedInsufficientFunds");
    const declined = await pay(world, "D", decline);
    const again = await pay(world, "D", decline);
    expect([declined.status, declined.json.error.decline_code]).toEqual([402, "insufficient_funds"]);
    expect([
      again.status,
      again.text,
      again.headers["Idempotent-Replayed"],
      again.headers["Stripe-Should-Retry"],
    ]).toEqual([402, declined.text, "true", "false"]);
    expect(await world.journal.list(10)).toHaveLength(2);
  });

  test("F16: an answer is replayed to the last millisecond of its day, and the key is new from then on", async () => {
    const world = await openWorld();
    const first = await pay(world);
    await world.clock.advance(dayMs - 1);
    expect((await pay(world)).text).toBe(first.text);
    await world.clock.advance(1);
    const fresh = await pay(world);
    expect(fresh.json.id).not.toBe(first.json.id);
    expect(fresh.headers["Idempotent-Replayed"]).toBeUndefined();
    await world.clock.advance(1);
    expect((await pay(world)).text).toBe(fresh.text);
    expect(countRows(world)).toMatchObject({ charges: 2, keys: 1 });
  });

  test("F16: the sweeper's late delete cannot remove a new claim", async () => {
    const world = await openWorld();
    await pay(world);
    await world.clock.advance(dayMs);
    // given a fresh claim whose worker is still busy, and a sweeper that then deletes the whole collection
    const busy = world.startServer();
    const pause = door();
    busy.ports.acquirer.disturb("authorize", { at: "before", act: "wait", until: pause.opened });
    const working = pay(busy);
    await world.clock.advance(0);
    world.cache.wipe();
    const twin = settled(world.clock, pay(world.startServer()));
    pause.open();
    // then the worker and its twin have one answer
    expect((await settled(world.clock, working)).text).toBe((await twin).text);
    expect(await world.journal.list(10)).toHaveLength(2);
  });

  test("F16: swept in the cache but standing in the ledger, an answer is still replayed; expired in both, it is replaced", async () => {
    const world = await openWorld();
    const first = await pay(world);
    world.cache.wipe();
    await world.clock.advance(dayMs - 1);
    expect((await pay(world)).text).toBe(first.text);
    world.cache.wipe();
    await world.clock.advance(1);
    expect((await pay(world)).json.id).not.toBe(first.json.id);
    expect(world.ledger.rows("idempotency_keys").map((row) => row.generation)).toEqual([2]);
  });

  test("F16: a key whose outcome is unknown at 24 hours is not new: the retry adopts its attempt", async () => {
    const world = await openWorld();
    const dying = world.startServer();
    dying.ports.acquirer.disturb("authorize", { at: "after", act: "die" });
    void pay(dying);
    await world.clock.advance(dayMs + 1);
    world.cache.wipe();
    const retry = await pay(world.startServer());
    expect([retry.status, retry.json.created]).toEqual([200, beginMs / 1000]);
    expect(countRows(world)).toMatchObject({ intents: 1, charges: 1, keys: 1 });
    expect(await world.journal.list(10)).toHaveLength(1);
  });
});

describe("twins", () => {
  test("F07: of 100 twins over two processes one executes, and all answers are the same bytes or 409", async () => {
    const world = await openWorld();
    const servers = [world.startServer(), world.startServer()];
    const pause = door();
    for (const server of servers)
      server.ports.acquirer.disturb("authorize", { at: "before", act: "wait", until: pause.opened });
    const twins = Promise.all(Array.from({ length: 100 }, (_, index) => pay(servers[index % 2] ?? world)));
    await world.clock.advance(300);
    pause.open();
    const replies = await settled(world.clock, twins);
    const paid = replies.filter((reply) => reply.status === 200);
    expect(new Set(paid.map((reply) => reply.text)).size).toBe(1);
    expect(
      replies.every(
        (reply) => reply.status === 200 || (reply.status === 409 && reply.headers["Stripe-Should-Retry"] === "true"),
      ),
    ).toBe(true);
    expect(paid.filter((reply) => reply.headers["Idempotent-Replayed"] === undefined)).toHaveLength(1);
    expect(await world.journal.list(10)).toHaveLength(1);
    for (let retry = 0; retry < 10; retry += 1) expect((await pay(world)).text).toBe(paid[0]?.text);
    expect(countRows(world)).toEqual({ intents: 1, charges: 1, bookings: 1, keys: 1, events: 3, outbox: 3 });
  });

  test.each([
    [undefined, 5_000],
    ["wait=0", 0],
    ["wait=2", 2_000],
    ["wait=60", 10_000],
  ])("a twin waits as long as it asked for (Prefer: %s), and then hears 409", async (prefer, waitMs) => {
    const world = await openWorld();
    const busy = world.startServer();
    busy.ports.acquirer.disturb("authorize", { at: "before", act: "die" });
    void pay(busy);
    await world.clock.advance(0);
    const startedMs = world.clock.now();
    const sent = prefer === undefined ? { key: "K" } : { key: "K", headers: { prefer } };
    const twin = await settled(world.clock, world.startServer().post(intents, payForm, sent));
    expect([twin.status, twin.json.error.code, twin.headers["Stripe-Should-Retry"]]).toEqual([
      409,
      "idempotency_key_in_use",
      "true",
    ]);
    expect(world.clock.now() - startedMs).toBeLessThanOrEqual(waitMs + 50);
    expect(world.clock.now() - startedMs).toBeGreaterThanOrEqual(waitMs * 0.6);
  });

  test("another request under a key in progress is refused at once", async () => {
    const world = await openWorld();
    const busy = world.startServer();
    busy.ports.acquirer.disturb("authorize", { at: "before", act: "die" });
    void pay(busy);
    await world.clock.advance(0);
    const refused = await pay(world.startServer(), "K", payForm.replace("2000", "2100"));
    expect([refused.status, refused.json.error.type]).toEqual([400, "idempotency_error"]);
  });

  test("two keys on one intent: while an attempt is open, every other command hears lock_timeout, which is not stored", async () => {
    const world = await openWorld();
    const created = await pay(world, "create", "amount=2000&currency=usd&payment_method=pm_card_visa");
    const path = `${intents}/${created.json.id}`;
    const busy = world.startServer();
    const pause = door();
    busy.ports.acquirer.disturb("authorize", { at: "before", act: "wait", until: pause.opened });
    const confirming = busy.post(`${path}/confirm`, "", { key: "confirm" });
    await world.clock.advance(0);
    for (const [target, form] of [
      [path, "description=x"],
      [`${path}/confirm`, ""],
      [`${path}/cancel`, ""],
    ] as const) {
      const locked = await world.post(target, form, { key: `other ${target}` });
      expect([locked.status, locked.json.error.code, locked.headers["Stripe-Should-Retry"]]).toEqual([
        429,
        "lock_timeout",
        "true",
      ]);
    }
    pause.open();
    expect((await settled(world.clock, confirming)).json.status).toBe("succeeded");
    const retried = await world.post(path, "description=x", { key: `other ${path}` });
    expect([retried.status, retried.json.description]).toEqual([200, "x"]);
  });

  test("F21: a POST without a key executes each time", async () => {
    const world = await openWorld();
    const [one, two] = [await world.post(intents, payForm), await world.post(intents, payForm)];
    expect([one.status, two.status, one.json.id === two.json.id]).toEqual([200, 200, false]);
    expect(one.headers["Idempotency-Key"]).toBeUndefined();
    expect(world.ports.cache.calls).toEqual([]);
  });
});

test("F20: odd bodies are refused in JSON, quickly, and leave the key free", async () => {
  const world = await openWorld();
  const bodies = [
    '{"amount":100,',
    '{"amount":1,"amount":100,"currency":"usd"}',
    `\ufeff{"amount":100,"currency":"usd"}`,
    "[".repeat(10_000),
    `{"a":${'{"a":'.repeat(10_000)}`,
    "null",
    "[]",
    '"text"',
  ];
  for (const body of bodies) {
    const refused = await world.postJson(intents, body, { key: "K" });
    expect([body.slice(0, 20), refused.status, typeof refused.json.error.message]).toEqual([
      body.slice(0, 20),
      400,
      "string",
    ]);
  }
  const proto = await world.postJson(intents, '{"amount":100,"currency":"usd","__proto__":{"x":1}}', { key: "K" });
  expect([proto.status, proto.json.error.code]).toEqual([400, "parameter_unknown"]);
  const plain = await world.post(intents, "amount=100", { key: "K", headers: { "content-type": "text/plain" } });
  expect(plain.status).toBe(415);
  expect((await pay(world)).status).toBe(200);
});
