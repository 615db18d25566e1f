// What every answer has: a valid body, its headers, and only what belongs to whoever asks.
// It must never judge an answer by the serializers: the schemas are the contract's own.
import { refuse } from "../../functions/domain/errors.ts";
import { expectValid } from "../support/schemas.ts";
import { apiKeys, countRows, openWorld, payForm, type Reply, type World } from "../support/world.ts";

const creates = "/v1/payment_intents";
const declineForm = payForm.replace("pm_card_visa", "pm_card_chargeDeclinedIncorrectCvc");
const requestId = /^req_[A-Za-z0-9]{20,}$/;

const create = async (world: World, form = "amount=900&currency=usd", apiKey = apiKeys.first) =>
  String((await world.post(creates, form, { apiKey })).json.id);

describe("the bodies of a day's work are what the contract says", () => {
  const full =
    "amount=1099&currency=eur&customer=cus_1&description=T&receipt_email=a@b.example&statement_descriptor=S&transfer_group=G" +
    "&statement_descriptor_suffix=X&setup_future_usage=off_session&metadata[k]=v&payment_method=pm_card_amex" +
    "&payment_method_types[]=card&automatic_payment_methods[enabled]=true&automatic_payment_methods[allow_redirects]=never" +
    "&shipping[name]=A&shipping[phone]=1&shipping[carrier]=C&shipping[tracking_number]=T&shipping[address][line1]=L";

  test.each<[string, "payment_intent" | "charge" | "error" | "list", number, (world: World) => Promise<Reply>]>([
    ["a create of the least", "payment_intent", 200, (world) => world.post(creates, "amount=900&currency=usd")],
    ["a create of everything", "payment_intent", 200, (world) => world.post(creates, full)],
    [
      "a payment",
      "payment_intent",
      200,
      (world) => world.post(creates, `${full}&confirm=true&return_url=https://a.example`),
    ],
    [
      "a payment with its charge",
      "payment_intent",
      200,
      (world) => world.post(creates, `${payForm}&expand[]=latest_charge`),
    ],
    ["a decline", "error", 402, (world) => world.post(creates, declineForm)],
    [
      "an update",
      "payment_intent",
      200,
      async (world) => world.post(`${creates}/${await create(world)}`, "description=T"),
    ],
    [
      "a confirm",
      "payment_intent",
      200,
      async (world) => world.post(`${creates}/${await create(world, full)}/confirm`, ""),
    ],
    [
      "a confirm too many",
      "error",
      400,
      async (world) => world.post(`${creates}/${await create(world, payForm)}/confirm`, ""),
    ],
    [
      "a cancel",
      "payment_intent",
      200,
      async (world) => world.post(`${creates}/${await create(world)}/cancel`, "cancellation_reason=fraudulent"),
    ],
    ["a retrieve", "payment_intent", 200, async (world) => world.get(`${creates}/${await create(world, full)}`)],
    ["a list", "list", 200, (world) => create(world, full).then(() => world.get(creates))],
    ["an empty list", "list", 200, (world) => world.get(creates)],
    ["nothing there", "error", 404, (world) => world.get(`${creates}/pi_none`)],
    ["no such call", "error", 404, (world) => world.get("/v1/nothing")],
  ])("%s", async (_, kind, status, act) => {
    const reply = await act(await openWorld());
    expect(reply.status).toBe(status);
    expectValid(kind, reply.json);
  });

  test("a charge, paid or failed, on its own, in a list, and with its intent", async () => {
    const world = await openWorld();
    const paid = await world.post(creates, payForm);
    const declined = await world.post(creates, declineForm);
    for (const id of [paid.json.latest_charge, declined.json.error.charge]) {
      expectValid("charge", (await world.get(`/v1/charges/${id}`)).json);
      const expanded = (await world.get(`/v1/charges/${id}?expand[]=payment_intent`)).json;
      expectValid("charge", expanded);
      expectValid("payment_intent", expanded.payment_intent);
    }
    const list = (await world.get(`${creates}?expand[]=data.latest_charge`)).json;
    expectValid("list", list);
    for (const { latest_charge: charge } of list.data) expectValid("charge", charge);
  });

  test("health is told to anybody, and nothing else is", async () => {
    const world = await openWorld();
    expect((await world.get("/health", { apiKey: "" })).json).toEqual({ status: "ok" });
    expect((await world.get("/healthy", { apiKey: "" })).status).toBe(401);
  });
});

describe("the headers of an answer", () => {
  test("a first execution: its own request is the original, and no retry can help", async () => {
    const { headers } = await (await openWorld()).post(creates, payForm, { key: 'a "key" of ours' });
    expect(headers).toEqual({
      "Content-Type": "application/json",
      "Cache-Control": "no-cache, no-store",
      "Request-Id": expect.stringMatching(requestId),
      "Original-Request": headers["Request-Id"],
      "Idempotency-Key": 'a "key" of ours',
      "Stripe-Version": "2026-10-28.endive",
      "Stripe-Should-Retry": "false",
    });
  });

  test.each([
    ["a payment", creates, payForm, 200],
    ["a decline", creates, declineForm, 402],
    ["a refusal by state", `${creates}/pi_none/confirm`, "", 404],
  ])("a replay of %s: the same bytes, a new request, the first one's id", async (_, path, form, status) => {
    const world = await openWorld();
    const first = await world.post(path, form, { key: "K" });
    const second = await world.post(path, form, { key: "K", headers: { "stripe-version": "2024-04-10" } });

    expect([first.status, second.status, second.text]).toEqual([status, status, first.text]);
    expect(second.headers).toEqual({
      ...first.headers,
      "Request-Id": expect.stringMatching(requestId),
      "Stripe-Version": "2024-04-10",
      "Idempotent-Replayed": "true",
    });
    expect(second.headers["Request-Id"]).not.toBe(first.headers["Request-Id"]);
  });

  test.each([
    ["a read", 200, undefined, (world: World) => world.get(creates)],
    ["a validation failure", 400, undefined, (world: World) => world.post(creates, "", { key: "K" })],
    [
      "a mismatch",
      400,
      undefined,
      async (world: World) => {
        await world.post(creates, payForm, { key: "K" });
        return await world.post(creates, "amount=900&currency=usd", { key: "K" });
      },
    ],
    ["a wrong API key", 401, undefined, (world: World) => world.get(creates, { apiKey: "sk_test_nobody_1" })],
    [
      "a locked intent",
      429,
      "true",
      async (world: World) => {
        const id = await create(world, "amount=900&currency=usd&payment_method=pm_card_visa");
        world.ports.acquirer.disturb("authorize", { at: "before", act: "die" });
        void world.post(`${creates}/${id}/confirm`, "", { key: "other" });
        await world.clock.advance(1);
        return await world.post(`${creates}/${id}/cancel`, "", { key: "K" });
      },
    ],
    [
      "a store out of reach",
      503,
      "true",
      (world: World) => {
        const error = refuse("store_unavailable", "spanner said: secret");
        world.ports.ledger.disturb("insert", { at: "before", act: "throw", error });
        return world.post(creates, payForm, { key: "K" });
      },
    ],
    [
      "a bug",
      500,
      "true",
      (world: World) => {
        world.ports.ledger.disturb("insert", { at: "before", act: "throw", error: new TypeError("secret") });
        return world.post(creates, payForm, { key: "K" });
      },
    ],
  ] as const)(
    "%s (%i) is nobody's stored answer, and Stripe-Should-Retry is %s",
    async (_, status, shouldRetry, act) => {
      const reply = await act(await openWorld());
      expect(reply.status).toBe(status);
      expect(reply.headers["Stripe-Should-Retry"]).toBe(shouldRetry);
      expect(reply.headers["Request-Id"]).toMatch(requestId);
      for (const name of ["Original-Request", "Idempotent-Replayed"]) expect(reply.headers).not.toHaveProperty([name]);
      if (status >= 400) expectValid("error", reply.json);
      expect(reply.text).not.toContain("secret");
    },
  );

  test("the version that was asked for is echoed, a malformed one is refused and never echoed", async () => {
    const world = await openWorld();
    const asked = await world.get(creates, { headers: { "stripe-version": "2024-04-10" } });
    expect(asked.headers["Stripe-Version"]).toBe("2024-04-10");
    const malformed = await world.get(creates, { headers: { "stripe-version": "newest\r\nX: y" } });
    expect(malformed).toMatchObject({ status: 400, headers: { "Stripe-Version": "2026-10-28.endive" } });
    expect(malformed.json.error.param).toBe("Stripe-Version");
  });
});

describe("F05 an account sees its own and nothing else", () => {
  test("the intents and charges of another are not there, whatever is done with them", async () => {
    const world = await openWorld();
    const paid = await world.post(creates, payForm);
    const open = await create(world);
    const before = [countRows(world), world.ledger.rows("payment_intents")];
    const other = { apiKey: apiKeys.second };
    const tries = [
      await world.get(`${creates}/${open}`, other),
      await world.get(`${creates}/${open}?expand[]=latest_charge`, other),
      await world.post(`${creates}/${open}`, "description=mine", other),
      await world.post(`${creates}/${open}/confirm`, "payment_method=pm_card_visa", other),
      await world.post(`${creates}/${open}/cancel`, "", other),
    ];
    for (const { status, text, json } of tries) {
      expect([status, json.error.code, json.error.param]).toEqual([404, "resource_missing", "intent"]);
      expect(text).not.toContain("requires_payment_method");
    }
    expect((await world.get(`/v1/charges/${paid.json.latest_charge}`, other)).status).toBe(404);
    expect((await world.get(creates, other)).json).toMatchObject({ data: [], has_more: false });
    const [counts, intents] = before;
    expect(world.ledger.rows("payment_intents")).toEqual(intents);
    expect(countRows(world)).toEqual({ ...(counts as object), keys: 5 });
  });

  test("the same key of two accounts is two keys", async () => {
    const world = await openWorld();
    const first = await world.post(creates, payForm, { key: "K" });
    const second = await world.post(creates, "amount=5000&currency=eur", { key: "K", apiKey: apiKeys.second });
    const again = await world.post(creates, payForm, { key: "K", apiKey: apiKeys.first });
    expect([first.status, second.status, again.text]).toEqual([200, 200, first.text]);
    expect(second.json).toMatchObject({ amount: 5000, currency: "eur" });
    expect(second.headers).not.toHaveProperty(["Idempotent-Replayed"]);
  });
});

describe("keys where they do not count", () => {
  test("a read with an Idempotency-Key is a read: nothing is claimed, replayed or compared", async () => {
    const world = await openWorld();
    await world.post(creates, payForm, { key: "K" });
    const claims = world.cache.records();
    const list = await world.get(creates, { key: "K" });
    const limited = await world.get(`${creates}?limit=1`, { key: "K" });
    expect([list.json.object, limited.json.object]).toEqual(["list", "list"]);
    for (const { headers } of [list, limited]) {
      expect(Object.keys(headers).sort()).toEqual(["Cache-Control", "Content-Type", "Request-Id", "Stripe-Version"]);
    }
    expect((await world.get(creates, { key: "k".repeat(300) })).status).toBe(200);
    expect(world.cache.records()).toEqual(claims);
  });

  test("F21 a POST without a key executes each time, and claims nothing", async () => {
    const world = await openWorld();
    const [first, second] = [await world.post(creates, payForm), await world.post(creates, payForm)];
    expect(first.json.id).not.toBe(second.json.id);
    expect(countRows(world)).toMatchObject({ intents: 2, charges: 2, bookings: 2 });
    expect(world.cache.records().size).toBe(0);
    for (const { headers } of [first, second]) {
      expect(headers["Original-Request"]).toBe(headers["Request-Id"]);
      expect(headers).not.toHaveProperty(["Idempotency-Key"]);
      expect(headers).not.toHaveProperty(["Idempotent-Replayed"]);
    }
  });
});

describe("a twin of a running request waits as long as it asks to", () => {
  test.each([
    ["Prefer: wait=0", { prefer: "wait=0" }, 0],
    ["Prefer: wait=2", { prefer: "respond-async, wait=2" }, 2_000],
    ["nothing", {}, 5_000],
    ["Prefer: wait=3600", { prefer: "wait=3600" }, 10_000],
  ] as const)("%s", async (_, headers, waitMs) => {
    const world = await openWorld();
    world.ports.acquirer.disturb("authorize", { at: "before", act: "die" });
    void world.post(creates, payForm, { key: "K" });
    await world.clock.advance(1);
    let reply: Reply | undefined;
    void world.post(creates, payForm, { key: "K", headers }).then((answer) => {
      reply = answer;
    });
    // A pause that would end after the wait is not begun; the longest one here is below half of the wait.
    await world.clock.advance(waitMs / 2);
    if (waitMs > 0) expect(reply).toBeUndefined();
    await world.clock.advance(waitMs / 2);
    expect(reply).toMatchObject({ status: 409, headers: { "Stripe-Should-Retry": "true" } });
    expect(reply?.json.error).toMatchObject({ type: "invalid_request_error", code: "idempotency_key_in_use" });
  });
});
