// Input that is bad by its value, by what stands beside it, or by what is stored: each refused in the contract's words.
// It must never let a refusal be remembered under a key before the command has begun to execute.
import { expectValid } from "../support/schemas.ts";
import { apiKeys, countRows, openWorld, type Reply, type World } from "../support/world.ts";

const creates = "/v1/payment_intents";
const stored = (world: World) => ({ ...countRows(world), claims: world.cache.records().size });
const nothing = { intents: 0, charges: 0, bookings: 0, keys: 0, events: 0, outbox: 0, claims: 0 };

const errorOf = ({ status, json }: Reply) => {
  expectValid("error", json);
  const { type, code, param } = json.error;
  return { status, type, code, param };
};
const refused = (code: string | undefined, param: string | undefined, status = 400) => {
  return { status, type: "invalid_request_error", code, param };
};
const keys = (count: number) => Array.from({ length: count }, (_, index) => `metadata[k${index}]=v`).join("&");

describe("a create that is refused by its values stores nothing and leaves the key free", () => {
  test.each([
    ["F27 half a yen's worth", "amount=49&currency=jpy", "amount_too_small", "amount"],
    ["F27 a dinar with a last digit", "amount=1005&currency=kwd", undefined, "amount"],
    ["F27 half a krona", "amount=150&currency=isk", undefined, "amount"],
    ["F27 less than a currency's minimum", "amount=29&currency=gbp", "amount_too_small", "amount"],
    ["F27 more than eight digits", "amount=100000000&currency=usd", "amount_too_large", "amount"],
    ["F27 nothing", "amount=0&currency=usd", "amount_too_small", "amount"],
    ["F26 less than nothing", "amount=-25&currency=usd", "parameter_invalid_integer", "amount"],
    ["F27 an exponent", "amount=1e-1000000&currency=usd", "parameter_invalid_integer", "amount"],
    ["F27 a hexadecimal number", "amount=0x7d0&currency=usd", "parameter_invalid_integer", "amount"],
    ["spaces around a number", "amount=+2000+&currency=usd", "parameter_invalid_integer", "amount"],
    ["digits of another script", "amount=٢٠٠٠&currency=usd", "parameter_invalid_integer", "amount"],
    ["F27 a currency that is not", "amount=2000&currency=XXX", undefined, "currency"],
    ["a confirm without a method", "amount=2000&currency=usd&confirm=true", "parameter_missing", "payment_method"],
    ["a capture method that is none", "amount=2000&currency=usd&capture_method=later", undefined, "capture_method"],
    ["51 metadata keys", `amount=2000&currency=usd&${keys(51)}`, undefined, "metadata"],
    [
      "a long metadata key",
      `amount=2000&currency=usd&metadata[${"k".repeat(41)}]=v`,
      undefined,
      `metadata[${"k".repeat(41)}]`,
    ],
    ["a bracket in a metadata key", "amount=2000&currency=usd&metadata[a[b]=v", undefined, "metadata[a[b]"],
    ["metadata in metadata", "amount=2000&currency=usd&metadata[a][b]=v", undefined, "metadata[a]"],
    [
      "a descriptor of 23 letters",
      "amount=2000&currency=usd&statement_descriptor=abcdefghijklmnopqrstuvw",
      undefined,
      "statement_descriptor",
    ],
    ["an expansion of 5 levels", "amount=2000&currency=usd&expand[]=a.b.c.d.e", undefined, "expand[0]"],
    [
      "a second expansion that is none",
      "amount=2000&currency=usd&expand[]=latest_charge&expand[]=customer",
      undefined,
      "expand[1]",
    ],
    ["21 expansions", `amount=2000&currency=usd&${"&expand[]=latest_charge".repeat(21)}`, undefined, "expand"],
    ["a script for a URL", "amount=2000&currency=usd&return_url=javascript:alert(1)", "url_invalid", "return_url"],
    ["a value and a map", "amount=2000&currency=usd&shipping=a&shipping[name]=b", undefined, "shipping"],
  ])("%s", async (_, form, code, param) => {
    const world = await openWorld();
    const reply = await world.post(creates, form, { key: "K" });
    expect(errorOf(reply)).toEqual(refused(code, param));
    expect(stored(world)).toEqual(nothing);
    const corrected = await world.post(creates, "amount=2000&currency=usd", { key: "K" });
    expect([corrected.status, corrected.headers["Idempotent-Replayed"]]).toEqual([200, undefined]);
  });

  test.each([
    ["a number with a fraction", '{"amount":2000.0,"currency":"usd"}', "parameter_invalid_integer", "amount"],
    ["a number with an exponent", '{"amount":2e3,"currency":"usd"}', "parameter_invalid_integer", "amount"],
    ["a truth", '{"amount":true,"currency":"usd"}', "parameter_invalid_integer", "amount"],
    ["null for what cannot be unset", '{"amount":null,"currency":"usd"}', "parameter_invalid_empty", "amount"],
    ["a list", '{"amount":[2000],"currency":"usd"}', "parameter_invalid_integer", "amount"],
    ["an empty object, which is absent", '{"amount":{},"currency":"usd"}', "parameter_missing", "amount"],
    [
      "F03 half of a surrogate pair",
      String.raw`{"amount":2000,"currency":"usd","description":"\ud83d"}`,
      undefined,
      "description",
    ],
    ["F03 NUL", String.raw`{"amount":2000,"currency":"usd","metadata":{"n":"\u0000"}}`, undefined, "metadata[n]"],
    ["F20 a name twice", '{"amount":1,"amount":2000,"currency":"usd"}', undefined, "amount"],
  ])("in JSON: %s", async (_, body, code, param) => {
    const world = await openWorld();
    expect(errorOf(await world.postJson(creates, body, { key: "K" }))).toEqual(refused(code, param));
    expect(stored(world)).toEqual(nothing);
  });

  test.each(["4242424242424242", "4242 4242 4242 4242", "4000-0000-0000-0002"])(
    "the number of a card (%s) goes nowhere: not into the answer, not into the log",
    async (number) => {
      const world = await openWorld();
      const form = `amount=2000&currency=usd&confirm=true&payment_method=${encodeURIComponent(number)}`;
      const reply = await world.post(creates, form, { key: "K" });
      expect(errorOf(reply)).toEqual(refused(undefined, "payment_method"));
      const told = reply.text + world.logged.join();
      expect(told.replaceAll(/[ -]/g, "")).not.toContain(number.replaceAll(/[ -]/g, ""));
      expect(stored(world)).toEqual(nothing);
    },
  );
});

describe("an update", () => {
  test("whose amount and currency do not fit each other is refused before it executes", async () => {
    const world = await openWorld();
    const { json } = await world.post(creates, "amount=2000&currency=usd");
    const before = stored(world);
    const reply = await world.post(`${creates}/${json.id}`, "amount=49&currency=jpy", { key: "K" });
    expect(errorOf(reply)).toEqual(refused("amount_too_small", "amount"));
    expect(stored(world)).toEqual(before);
  });

  test.each([
    ["whose amount is too small for the intent's currency", "amount=49", "amount_too_small", "amount"],
    ["that would make 51 metadata keys with those that stand", "metadata[more]=1", undefined, "metadata"],
  ])("%s is refused as the key's outcome, and changes nothing else", async (_, form, code, param) => {
    const world = await openWorld();
    const { json } = await world.post(creates, `amount=2000&currency=usd&${keys(50)}`);
    const before = [world.ledger.rows("payment_intents"), world.ledger.rows("events")];
    const reply = await world.post(`${creates}/${json.id}`, form, { key: "K" });
    const again = await world.post(`${creates}/${json.id}`, form, { key: "K" });
    expect(errorOf(reply)).toEqual(refused(code, param));
    expect([again.text, again.headers["Idempotent-Replayed"]]).toEqual([reply.text, "true"]);
    expect([world.ledger.rows("payment_intents"), world.ledger.rows("events")]).toEqual(before);
  });
});

describe("a refund", () => {
  test.each([
    ["of nothing named", "amount=100", "parameter_missing", "payment_intent", 400],
    ["of both at once", "payment_intent=pi_1&charge=ch_1", undefined, "charge", 400],
    ["of an intent that is not", "payment_intent=pi_none", "resource_missing", "payment_intent", 404],
    ["of a charge that is not", "charge=ch_none", "resource_missing", "charge", 404],
    ["F26 of less than nothing", "charge=ch_none&amount=-5", "parameter_invalid_integer", "amount", 400],
    ["F26 of nothing", "charge=ch_none&amount=0", "amount_too_small", "amount", 400],
    ["for no such reason", "charge=ch_none&reason=expired_uncaptured_charge", undefined, "reason", 400],
    ["with 51 metadata keys", `charge=ch_none&${keys(51)}`, undefined, "metadata", 400],
  ])("%s is refused by name", async (_, form, code, param, status) => {
    const world = await openWorld();
    const reply = await world.post("/v1/refunds", form, { key: "K" });
    expect(errorOf(reply)).toEqual(refused(code, param, status));
    expect([world.ledger.rows("refunds"), world.ledger.rows("attempts")]).toEqual([[], []]);
    // What was found out by looking at the ledger is the key's outcome; all else leaves the key free.
    expect(stored(world)).toMatchObject(status === 404 ? { keys: 1, claims: 1 } : { keys: 0, claims: 0 });
  });
});

describe("a list", () => {
  test.each([
    ["limit=0", "parameter_invalid_integer", "limit", 400],
    ["limit=101", "parameter_invalid_integer", "limit", 400],
    ["starting_after=pi_nobody", "resource_missing", "starting_after", 404],
    ["ending_before=pi_nobody", "resource_missing", "ending_before", 404],
    ["starting_after=pi_a&ending_before=pi_b", undefined, "ending_before", 400],
    ["created[gte]=253402300800", "parameter_invalid_integer", "created[gte]", 400],
    ["expand[]=latest_charge", undefined, "expand[0]", 400],
  ])("of ?%s is refused by name", async (query, code, param, status) => {
    const world = await openWorld();
    expect(errorOf(await world.get(`${creates}?${query}`))).toEqual(refused(code, param, status));
  });

  test.each([
    ["starting_after=re_nobody", "resource_missing", "starting_after", 404],
    ["ending_before=re_nobody", "resource_missing", "ending_before", 404],
    ["starting_after=re_a&ending_before=re_b", undefined, "ending_before", 400],
    ["expand[]=charge", undefined, "expand[0]", 400],
  ])("of refunds ?%s is refused by name", async (query, code, param, status) => {
    const world = await openWorld();
    expect(errorOf(await world.get(`/v1/refunds?${query}`))).toEqual(refused(code, param, status));
  });

  test("F05 takes no cursor of another account", async () => {
    const world = await openWorld();
    const { json } = await world.post(creates, "amount=2000&currency=usd", { apiKey: apiKeys.second });
    const reply = await world.get(`${creates}?starting_after=${json.id}`);
    expect(errorOf(reply)).toEqual(refused("resource_missing", "starting_after", 404));
  });
});

describe("an id in a path that no object can have is as good as one that no object has", () => {
  const ids = ["pi_none", "ch_none", "pi_", "none", "pi_%C3%A9", "pi_%00", "pi_a%2Fb", "..", `pi_${"a".repeat(5_000)}`];
  const calls = ["", "/confirm", "/capture", "/cancel"];
  test.each(ids)("%s", async (id) => {
    const world = await openWorld();
    const posts = calls.map((call) => world.post(`${creates}/${id}${call}`, "", { key: `K${call}` }));
    const answers = await Promise.all([world.get(`${creates}/${id}`), ...posts]);
    for (const answer of answers) expect(errorOf(answer)).toEqual(refused("resource_missing", "intent", 404));
    const charge = await world.get(`/v1/charges/${id}`);
    expect(errorOf(charge)).toEqual(refused("resource_missing", "charge", 404));
    const refunds = [
      await world.get(`/v1/refunds/${id}`),
      await world.post(`/v1/refunds/${id}`, ""),
      await world.post(`/v1/refunds/${id}/cancel`, ""),
    ];
    for (const answer of refunds) expect(errorOf(answer)).toEqual(refused("resource_missing", "refund", 404));
    expect(countRows(world)).toMatchObject({ intents: 0, charges: 0, events: 0 });
  });
});

test.each([
  ["DELETE", "/v1/payment_intents/pi_1", "GET, POST"],
  ["PUT", "/v1/payment_intents", "POST, GET"],
  ["GET", "/v1/payment_intents/pi_1/confirm", "POST"],
  ["POST", "/v1/events", "GET"],
])("%s %s is 405 and says in Allow what the path serves", async (method, target, allowed) => {
  const world = await openWorld();
  const refused = await world.send(method, target, "");
  expect([refused.status, refused.headers["Allow"]]).toEqual([405, allowed]);
  expect((await world.get("/v1/payment_intents")).headers["Allow"]).toBeUndefined();
});
