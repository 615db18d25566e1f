// What a merchant reads about one key, one payment and its books: after a good day, a crash, a wipe, an expiry.
// It must never look into a store for what the API is said to show.

import { newDelivery, recorded } from "../../functions/domain/delivery-record.ts";
import { keyIdentity, retentionMs } from "../../functions/domain/idempotency.ts";
import { sealLedger } from "../../functions/flows/seal-ledger.ts";
import { died } from "../proof/crash-support.ts";
import { sweep } from "../support/completer.ts";
import { apiKeys, beginMs, openWorld, payForm, type Reply, type World } from "../support/world.ts";

const path = "/v1/idempotency_keys/life";
const lifeOf = (world: Pick<World, "get">, key: string, apiKey: string = apiKeys.first) =>
  world.get(`${path}?key=${encodeURIComponent(key)}`, { apiKey });
const told = ({ json }: Reply) => json.story.map(({ kind }: { kind: string }) => kind);
const paramOf = ({ status, json }: Reply) => [status, json.error?.param];

/** Every event delivered once, in vain, to an endpoint that nobody reads here. */
async function deliverAll(world: World): Promise<void> {
  for (const { id: eventId, type: eventType } of world.ledger.rows("events")) {
    const about = { accountId: "acct_first", endpointId: "we_shop", eventId, eventType, body: Buffer.from("{}") };
    const startedAtMs = world.clock.now();
    const failed = {
      ...{ outcome: "failed", failure: "bad_status", trigger: { kind: "schedule", number: 1 } },
      ...{ startedAtMs, endedAtMs: startedAtMs + 12 },
      exchange: {
        ...{ kind: "answered", status: 500, retryAfter: null, excerpt: "oh no", bodyEnd: "complete", durationMs: 12 },
      },
    } as unknown as Parameters<typeof recorded>[1];
    const step = { kind: "retry", number: 2, atMs: startedAtMs + 5_000 } as const;
    await world.deliveries.create(recorded(newDelivery(about, startedAtMs), failed, "wa_1", step));
  }
}

describe("the life of a key that paid", () => {
  test("tells the key, its claim, attempt, booking, events and deliveries, in order, and no secret", async () => {
    const world = await openWorld();
    const paid = await world.post("/v1/payment_intents", payForm, { key: "order-1" });
    await world.post("/v1/payment_intents", payForm, { key: "order-1" });
    await deliverAll(world);

    const life = await lifeOf(world, "order-1");

    const { record, claim, attempts, ledger_transactions: bookings, events, deliveries } = life.json;
    expect(life.json).toMatchObject({ state: "completed", idempotency_key: "order-1", claim_read: "found" });
    expect(life.json.key_id).toBe(keyIdentity("acct_first", false, "order-1"));
    const outcome = { status: 200, body_bytes: Buffer.byteLength(paid.text), body_encrypted: false };
    expect(record).toMatchObject({ generation: 1, resource: paid.json.id, taken_over_at_ms: null, outcome });
    expect(record.request).toBe(paid.headers["Request-Id"]);
    expect(claim).toMatchObject({
      state: "completed",
      generation: 1,
      answer: "kept",
      expires_at_ms: beginMs + retentionMs,
    });
    expect(attempts).toEqual([expect.objectContaining({ id: record.attempt, state: "succeeded", adopted: false })]);
    expect(bookings[0]).toMatchObject({ kind: "charge", source: paid.json.latest_charge });
    expect(bookings[0].entries).toEqual([
      { account: "acquirer_receivable", direction: "debit", amount: 2_000 },
      { account: "merchant_payable", direction: "credit", amount: 1_912 },
      { account: "platform_fees", direction: "credit", amount: 88 },
    ]);
    expect(events.map(({ type, status }: Record<string, string>) => `${type} ${status}`)).toEqual(
      expect.arrayContaining(["payment_intent.created requires_confirmation", "payment_intent.succeeded succeeded"]),
    );
    expect(deliveries).toHaveLength(events.length);
    expect(deliveries[0]).toMatchObject({ status: "pending", next_attempt: { number: 2, at_ms: beginMs + 5_000 } });
    expect(deliveries[0].attempts[0]).toMatchObject({ number: 1, http_status: 500, failure: "bad_status" });
    expect(told(life)).toEqual([
      ...["recorded", "attempt_began", "created", "attempt_ended", "booked"],
      ...events.slice(1).map(() => "event"),
      "answer_kept",
      ...events.map(() => "delivery_attempt"),
      ...events.map(() => "delivery_due"),
      "answer_ends",
    ]);
    expect(life.text).not.toContain(paid.json.client_secret);
    expect(life.text).not.toContain("pm_card_visa");
    expect(life.headers["Idempotent-Replayed"]).toBeUndefined();
  });

  test("tells of a capture, a refund and a decline only what each key caused", async () => {
    const world = await openWorld();
    const held = await world.post("/v1/payment_intents", `${payForm}&capture_method=manual`, { key: "hold" });
    await world.post(`/v1/payment_intents/${held.json.id}/capture`, "", { key: "take" });
    const refunded = await world.post("/v1/refunds", `payment_intent=${held.json.id}&amount=500`, { key: "back" });
    await world.post("/v1/payment_intents", payForm.replace("pm_card_visa", "pm_card_visa_chargeDeclined"), {
      key: "no",
    });

    const [hold, take, back, no] = await Promise.all(["hold", "take", "back", "no"].map((key) => lifeOf(world, key)));

    const kinds = (life: Reply | undefined) => [
      life?.json.attempts.map(({ kind }: { kind: string }) => kind),
      life?.json.ledger_transactions.map(({ kind }: { kind: string }) => kind),
    ];
    expect([kinds(hold), kinds(take), kinds(back)]).toEqual([
      [["authorize"], []],
      [["capture"], ["charge"]],
      [["refund"], ["refund"]],
    ]);
    for (const life of [hold, take, back, no]) {
      const requests = life?.json.events.map(({ request }: { request: string }) => request);
      expect(new Set(requests)).toEqual(new Set([life?.json.record.request]));
    }
    expect(back?.json.record.resource).toBe(refunded.json.id);
    expect(no?.json.record.outcome.status).toBe(402);
    expect(no?.json.attempts[0]).toMatchObject({ state: "declined", failure: { code: "card_declined" } });
  });
});

describe("the life of a key in trouble", () => {
  test("whose worker died after the first commit is open, and then shows the adopted attempt of generation 2", async () => {
    const world = await openWorld();
    const dying = world.startServer();
    dying.ports.ledger.disturb("insert", died("after"));
    void dying.post("/v1/payment_intents", payForm, { key: "order-1" });
    await world.clock.advance(50);

    const open = await lifeOf(world, "order-1");
    expect(open.json).toMatchObject({ state: "in_progress", record: { generation: 1, outcome: null } });
    expect(open.json.attempts[0]).toMatchObject({ state: "open", closed_at_ms: null });
    expect(told(open)).toEqual(["claimed", "recorded", "attempt_began", "created", "lease_ends", "lease_ends"]);

    await world.clock.advance(30_950);
    const retried = await world.post("/v1/payment_intents", payForm, { key: "order-1" });
    const life = await lifeOf(world, "order-1");

    expect(retried.status).toBe(200);
    expect(life.json.record).toMatchObject({ generation: 2, taken_over_at_ms: beginMs + 31_000 });
    expect(life.json.attempts).toEqual([expect.objectContaining({ id: open.json.attempts[0].id, adopted: true })]);
    expect(told(life).slice(0, 4)).toEqual(["recorded", "attempt_began", "created", "taken_over"]);
  });

  test("that no client ever sent again tells that the completer kept the answer", async () => {
    const world = await openWorld();
    const dying = world.startServer();
    dying.ports.ledger.disturb("insert", died("after"));
    void dying.post("/v1/payment_intents", payForm, { key: "order-1" });
    await world.clock.advance(60_000);
    await sweep(world);

    const life = await lifeOf(world, "order-1");

    expect(life.json).toMatchObject({ state: "completed", record: { generation: 1, outcome: { status: 200 } } });
    const kept = life.json.story.find(({ kind }: { kind: string }) => kind === "answer_kept");
    expect(kept).toMatchObject({ at_ms: beginMs + 60_000, text: expect.stringMatching(/^The completer kept/) });
  });

  test("whose worker died before the first commit is known by its claim alone, to whoever knows the key", async () => {
    const world = await openWorld();
    const dying = world.startServer();
    dying.ports.ledger.disturb("insert", died("before"));
    void dying.post("/v1/payment_intents", payForm, { key: "order-1" });
    await world.clock.advance(50);

    const life = await lifeOf(world, "order-1");

    expect(life.json).toMatchObject({ state: "claimed", record: null, claim: { state: "in_progress", generation: 1 } });
    expect(paramOf(await world.get(`${path}?key_id=${life.json.key_id}`))).toEqual([404, "key_id"]);
  });

  test("is told from the ledger when the cache was wiped, and says so when it does not answer", async () => {
    const world = await openWorld();
    await world.post("/v1/payment_intents", payForm, { key: "order-1" });
    world.cache.wipe();
    expect((await lifeOf(world, "order-1")).json).toMatchObject({
      claim_read: "none",
      claim: null,
      state: "completed",
    });

    world.ports.cache.disturbAll({ at: "before", act: "throw", error: new Error("cache is down") });
    expect((await lifeOf(world, "order-1")).json).toMatchObject({ claim_read: "unknown", state: "completed" });
    expect((await lifeOf(world, "order-2")).status).toBe(503);
  });

  test("is over a day later, and still says what was", async () => {
    const world = await openWorld();
    await world.post("/v1/payment_intents", payForm, { key: "order-1" });
    await world.clock.advance(retentionMs);

    const life = await lifeOf(world, "order-1");

    expect(life.json).toMatchObject({ state: "expired", record: { outcome: { status: 200 } } });
    expect(told(life).at(-1)).toBe("answer_ends");
  });

  test("that holds a secret says that its answer is encrypted, and shows none", async () => {
    const world = await openWorld();
    const url = "url=https://shop.example/hooks&enabled_events[]=*";
    const { json } = await world.post("/v1/webhook_endpoints", url, { key: "hooks" });

    const life = await lifeOf(world, "hooks");

    expect(life.json.record).toMatchObject({ resource: null, attempt: null, outcome: { body_encrypted: true } });
    expect(life.json.attempts).toEqual([]);
    expect(life.text).not.toContain(json.secret);
  });
});

describe("a key that is asked for", () => {
  test.each([
    ["was never used", "order-2", 404, "key"],
    ["has a space at its end, which a header loses", "order-1 ", 404, "key"],
    ["is empty", "", 400, "key"],
    ["is too long", "k".repeat(256), 400, "key"],
    ["is a card's number", "4242424242424242", 400, "key"],
  ])("and %s is refused by name", async (_, key, status, param) => {
    const world = await openWorld();
    await world.post("/v1/payment_intents", payForm, { key: "order-1" });
    expect(paramOf(await lifeOf(world, key))).toEqual([status, param]);
  });

  test.each(["../../x?y#z&key=w", '"quoted", ünï', "Ã¼ as bytes", "{{a}} ' OR 1=1 --", "k".repeat(255)])(
    "may be odd: %s",
    async (key) => {
      const world = await openWorld();
      await world.post("/v1/payment_intents", payForm, { key });
      expect((await lifeOf(world, key)).json).toMatchObject({ state: "completed", idempotency_key: key });
    },
  );

  test("may be given as UTF-8 when its header came as bytes", async () => {
    const world = await openWorld();
    await world.post("/v1/payment_intents", payForm, { key: Buffer.from("Zoë €", "utf8").toString("latin1") });
    expect((await lifeOf(world, "Zoë €")).status).toBe(200);
  });

  test("exists for its own account only, by its text and by its id", async () => {
    const world = await openWorld();
    await world.post("/v1/payment_intents", payForm, { key: "order-1" });
    const id = keyIdentity("acct_first", false, "order-1");

    expect((await world.get(`${path}?key_id=${id}`)).status).toBe(200);
    expect(paramOf(await world.get(`${path}?key_id=${id}`, { apiKey: apiKeys.second }))).toEqual([404, "key_id"]);
    expect(paramOf(await lifeOf(world, "order-1", apiKeys.second))).toEqual([404, "key"]);
    expect(paramOf(await world.get(`${path}?key_id=${id.toUpperCase()}`))).toEqual([404, "key_id"]);
  });

  test.each([
    ["", "key"],
    ["?key=a&key_id=b", "key_id"],
    ["?key[]=a", "key"],
    ["?keys=a", "keys"],
  ])("with the query %p is refused by name", async (query, param) => {
    const world = await openWorld();
    expect(paramOf(await world.get(`${path}${query}`))[1]).toBe(param);
  });
});

describe("the timeline of a payment", () => {
  test("has all of it, whoever asked for each part, with versions and states", async () => {
    const world = await openWorld();
    const { json } = await world.post("/v1/payment_intents", `${payForm}&capture_method=manual`, { key: "hold" });
    await world.clock.advance(1_000);
    await world.post(`/v1/payment_intents/${json.id}/capture`, "", { key: "take" });
    await world.clock.advance(1_000);
    await world.post("/v1/refunds", `payment_intent=${json.id}&amount=500`, { key: "back" });

    const timeline = (await world.get(`/v1/payment_intents/${json.id}/timeline`)).json;

    expect(timeline).toMatchObject({ payment_intent: json.id, status: "succeeded", refunds: [{ amount: 500 }] });
    expect(timeline.attempts.map(({ kind }: { kind: string }) => kind)).toEqual(["authorize", "capture", "refund"]);
    expect(timeline.ledger_transactions.map(({ kind }: { kind: string }) => kind)).toEqual(["charge", "refund"]);
    const own = timeline.events.filter(({ object_id }: { object_id: string }) => object_id === json.id);
    const versions = own.map(({ object_version }: { object_version: number }) => object_version);
    expect(versions).toEqual(versions.toSorted((one: number, other: number) => one - other));
    expect(own.at(-1)).toMatchObject({ type: "payment_intent.succeeded", status: "succeeded" });
  });

  test("is its own account's only", async () => {
    const world = await openWorld();
    const { json } = await world.post("/v1/payment_intents", payForm, { key: "order-1" });
    const foreign = await world.get(`/v1/payment_intents/${json.id}/timeline`, { apiKey: apiKeys.second });
    expect(paramOf(foreign)).toEqual([404, "intent"]);
    expect(paramOf(await world.get("/v1/payment_intents/pi_none/timeline"))).toEqual([404, "intent"]);
  });
});

test("the health of the books has the account's own sums, its balance, the last seals and what is not sealed yet", async () => {
  const world = await openWorld();
  await world.post("/v1/payment_intents", payForm, { key: "first" });
  await world.post("/v1/payment_intents", payForm.replace("usd", "eur"), { key: "other", apiKey: apiKeys.second });
  const before = (await world.get("/v1/ledger_health")).json;
  expect(before).toMatchObject({ balanced: true, bookings: 1, complete: true, seals: [] });
  expect(before.sums).toEqual([{ currency: "usd", debit: 2_000, credit: 2_000, difference: 0 }]);
  expect(before.balances).toEqual([{ currency: "usd", available: 0, pending: 1_912 }]);
  expect(before.unsealed).toEqual({ bookings: 1, since_ms: beginMs });

  await world.clock.advance(10 * 60_000);
  await sealLedger({ seals: world.seals, clock: world.clock, log: () => {} });

  const after = (await world.get("/v1/ledger_health")).json;
  expect(after.unsealed).toEqual({ bookings: 0, since_ms: null });
  expect(after.seals[0]).toMatchObject({ number: 1, root: expect.stringMatching(/^[0-9a-f]{64}$/) });
});
