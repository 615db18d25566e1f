// Field cases of section A about what counts as one request, through the API's front, on memory stores: bugs that other systems really had.

import { apiKeys, countRows, openWorld, payForm, type World } from "../support/world.ts";

const intents = "/v1/payment_intents";
const pay = (world: Pick<World, "post">, key = "K", form = payForm) => world.post(intents, form, { key });

describe("what counts as the same request", () => {
  test("F01: the order of keys does not matter at any level, the order of a list does", async () => {
    const world = await openWorld();
    const first = await world.postJson(
      intents,
      { amount: 100, currency: "usd", metadata: { a: "1", b: "2" } },
      { key: "K" },
    );
    const again = await world.postJson(
      intents,
      { metadata: { b: "2", a: "1" }, currency: "usd", amount: 100 },
      { key: "K" },
    );
    expect([again.status, again.headers["Idempotent-Replayed"], again.text]).toEqual([200, "true", first.text]);
    expect(countRows(world).intents).toBe(1);

    const listed = (types: string[]) =>
      world.postJson(
        intents,
        { amount: 100, currency: "usd", payment_method_types: types, metadata: { k: "v" } },
        { key: "L" },
      );
    await listed(["card"]);
    expect((await listed(["card", "card"])).json.error.type).toBe("idempotency_error");
  });

  test("F03: escaped and raw spellings of one text replay, composed and decomposed ones do not", async () => {
    const world = await openWorld();
    const body = (name: string) => `{"amount":100,"currency":"usd","metadata":{"n":"${name}"}}`;
    await world.postJson(intents, body("é"), { key: "nfc" });
    const decomposed = await world.postJson(intents, body("e\u0301"), { key: "nfc" });
    expect([decomposed.status, decomposed.json.error.type]).toEqual([400, "idempotency_error"]);

    const raw = await world.postJson(intents, body("😀"), { key: "emoji" });
    const escaped = await world.postJson(intents, body("\\ud83d\\ude00"), { key: "emoji" });
    expect([escaped.headers["Idempotent-Replayed"], escaped.text]).toEqual(["true", raw.text]);
    const event = world.ledger.rows("events").find((row) => row.objectId === raw.json.id);
    expect(JSON.parse(Buffer.from(event?.data ?? []).toString("utf8")).object.metadata).toEqual({ n: "😀" });
  });

  test.each(["\\ud83d", "\\u0000"])("F03: %s is refused before the claim", async (escaped) => {
    const world = await openWorld();
    const refused = await world.postJson(intents, `{"amount":100,"currency":"usd","metadata":{"n":"${escaped}"}}`, {
      key: "K",
    });
    expect([refused.status, refused.json.error.param]).toEqual([400, "metadata[n]"]);
    expect(world.cache.records().size).toBe(0);
  });

  test("F05: a key is bound to its operation and its account", async () => {
    const world = await openWorld();
    const created = await pay(world, "K", "amount=2000&currency=usd&payment_method=pm_card_visa");
    const other = await pay(world, "other", "amount=3000&currency=usd&payment_method=pm_card_visa");
    const confirm = await world.post(`${intents}/${created.json.id}/confirm`, "", { key: "K" });
    expect([confirm.status, confirm.json.error.type]).toEqual([400, "idempotency_error"]);
    const first = await world.post(`${intents}/${created.json.id}/cancel`, "", { key: "C" });
    const second = await world.post(`${intents}/${other.json.id}/cancel`, "", { key: "C" });
    expect([first.status, second.status, second.json.error.type]).toEqual([200, 400, "idempotency_error"]);
    const foreign = await world.post(intents, "amount=2000&currency=usd&payment_method=pm_card_visa", {
      key: "K",
      apiKey: apiKeys.second,
    });
    expect([foreign.status, foreign.headers["Idempotent-Replayed"], foreign.json.id === created.json.id]).toEqual([
      200,
      undefined,
      false,
    ]);
  });

  test("F06: keys are opaque text of 1 to 255 characters, and a digest everywhere behind the door", async () => {
    const world = await openWorld();
    const names = ["x".repeat(255), "a b", '"quoted"', "a, b", "../x", "a/b", ".", "__x__", "k", "K"];
    for (const name of names) expect((await pay(world, name)).status).toBe(200);
    expect(countRows(world).charges).toBe(names.length);
    expect(world.ledger.rows("idempotency_keys").every((row) => /^[0-9a-f]{64}$/.test(row.keyHash))).toBe(true);
    for (const sent of [[""], ["x".repeat(256)], ["x".repeat(100_000)], ["a", "b"]]) {
      const refused = await world.post(intents, payForm, { headers: { "idempotency-key": sent } });
      expect([refused.status, refused.json.error.param]).toEqual([400, "Idempotency-Key"]);
    }
    expect(countRows(world).charges).toBe(names.length);
  });

  test("F15: the mismatch is seen on a warm and on a cold process, and leaks nothing", async () => {
    const world = await openWorld();
    const first = await pay(world);
    const before = world.cache.records();
    for (const server of [world, world.startServer()]) {
      const refused = await pay(server, "K", payForm.replace("2000", "2100"));
      expect([refused.status, refused.json.error.type, refused.json.error.code]).toEqual([
        400,
        "idempotency_error",
        undefined,
      ]);
      expect(refused.text).not.toContain(first.json.id);
    }
    expect(world.cache.records()).toEqual(before);
    world.cache.wipe();
    expect((await pay(world.startServer(), "K", payForm.replace("2000", "2100"))).json.error.type).toBe(
      "idempotency_error",
    );
    expect((await pay(world.startServer())).text).toBe(first.text);
  });

  test("F19: absent, empty, null and empty object have one documented rule each, in form and JSON alike", async () => {
    const world = await openWorld();
    const send = (extra: object, key: string) =>
      world.postJson(intents, { amount: 100, currency: "usd", ...extra }, { key });
    const same = async (one: object, other: object, key: string) => {
      await send(one, key);
      return (await send(other, key)).headers["Idempotent-Replayed"] === "true";
    };
    expect(await same({ metadata: {} }, {}, "empty object is absent")).toBe(true);
    expect(await same({ metadata: null }, { metadata: "" }, "null is empty")).toBe(true);
    expect(await same({ description: null }, {}, "null is not absent")).toBe(false);
    expect(await same({ confirm: false }, {}, "false is not absent")).toBe(false);
    expect(await same({ confirm: false }, { confirm: "false" }, "false is its text")).toBe(true);
    expect((await send({ description: "" }, "cleared")).json.description).toBeNull();
    expect((await send({ metadata: null }, "no metadata")).json.metadata).toEqual({});
    const form = await world.post(intents, "amount=100&currency=usd&confirm=false", { key: "false is its text" });
    expect(form.headers["Idempotent-Replayed"]).toBe("true");
  });

  test("F27: a currency means the same in upper and lower case, for the payment and for the key", async () => {
    const world = await openWorld();
    const first = await pay(world, "K", payForm.replace("usd", "USD"));
    const again = await pay(world, "K");
    expect([first.json.currency, again.headers["Idempotent-Replayed"], again.text]).toEqual([
      "usd",
      "true",
      first.text,
    ]);
  });

  test("the order in which objects are expanded does not matter, what is expanded does", async () => {
    const world = await openWorld();
    const expand = (...paths: string[]) => `${payForm}&${paths.map((path) => `expand[]=${path}`).join("&")}`;
    const first = await pay(world, "K", expand("latest_charge", "latest_charge.payment_intent"));
    const again = await pay(world, "K", expand("latest_charge.payment_intent", "latest_charge"));
    expect([first.json.latest_charge.status, again.text]).toEqual(["succeeded", first.text]);
    expect((await pay(world, "K", expand("latest_charge"))).json.error.type).toBe("idempotency_error");
  });
});
