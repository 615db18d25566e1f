// The official client, unmodified, makes, changes, lists and deletes webhook endpoints, and rotates a secret.
// It must never page by hand: the client's own loop is what has to end at the right place.
import Stripe from "stripe";
import { signatureHeaders } from "../../functions/domain/signature.ts";
import { apiKeys } from "../support/world.ts";
import { openShop, type Shop, thrownBy } from "./stripe-shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await openShop();
});
afterEach(() => shop.close());

const input = { url: "https://shop.example/hooks", enabled_events: ["payment_intent.succeeded"] } as const;
const endpointInput = (): Stripe.WebhookEndpointCreateParams => ({
  ...input,
  enabled_events: [...input.enabled_events],
});

describe("a webhook endpoint", () => {
  test("is made with its secret, which is never shown again", async () => {
    const { webhookEndpoints } = shop.stripe;
    const created = await webhookEndpoints.create({
      ...endpointInput(),
      description: "Orders",
      metadata: { shop: "17" },
      api_version: "2026-10-28.endive",
    });

    const { secret, ...shown } = created;
    expect(secret).toMatch(/^whsec_/);
    expect(shown).toMatchObject({
      ...input,
      status: "enabled",
      description: "Orders",
      metadata: { shop: "17" },
      api_version: "2026-10-28.endive",
    });
    const { lastResponse: _one, ...before } = shown;
    const { lastResponse: _other, ...later } = await webhookEndpoints.retrieve(created.id);
    expect(later).toEqual(before);
  });

  test("is changed, disabled, enabled and cleared; what is not named stays", async () => {
    const { webhookEndpoints } = shop.stripe;
    const { id } = await webhookEndpoints.create({ ...endpointInput(), description: "Orders", metadata: { a: "1" } });

    expect(await webhookEndpoints.update(id, { disabled: true })).toMatchObject({ status: "disabled", ...input });
    expect(
      await webhookEndpoints.update(id, { url: "https://new.example/", enabled_events: ["*"], metadata: { b: "2" } }),
    ).toMatchObject({ url: "https://new.example/", enabled_events: ["*"], metadata: { a: "1", b: "2" } });
    expect(await webhookEndpoints.update(id, { disabled: false, description: "", metadata: "" })).toMatchObject({
      status: "enabled",
      description: null,
      metadata: {},
      url: "https://new.example/",
    });
  });

  test("is deleted, and then unknown to every call", async () => {
    const { webhookEndpoints } = shop.stripe;
    const { id } = await webhookEndpoints.create(endpointInput());

    expect(await webhookEndpoints.del(id)).toMatchObject({ id, object: "webhook_endpoint", deleted: true });

    const missing = { statusCode: 404, code: "resource_missing", message: `No such webhook endpoint: '${id}'` };
    for (const act of [
      () => webhookEndpoints.retrieve(id),
      () => webhookEndpoints.update(id, { disabled: true }),
      () => webhookEndpoints.del(id),
    ]) {
      expect(await thrownBy(act)).toMatchObject(missing);
    }
    expect((await webhookEndpoints.list()).data).toEqual([]);
  });

  test("of another account does not exist", async () => {
    const { id } = await shop.stripe.webhookEndpoints.create(endpointInput());
    const { webhookEndpoints } = shop.clientWith(apiKeys.second);

    expect(await thrownBy(() => webhookEndpoints.retrieve(id))).toMatchObject({ statusCode: 404 });
    expect(await thrownBy(() => webhookEndpoints.del(id))).toMatchObject({ statusCode: 404 });
    expect((await webhookEndpoints.list()).data).toEqual([]);
    expect((await shop.stripe.webhookEndpoints.list()).data).toHaveLength(1);
  });

  test.each([
    ["an event that is none", { enabled_events: ["payment_intent.paid"] }, "enabled_events[0]"],
    ["no event", { enabled_events: [] }, "enabled_events"],
    ["a version that is not served", { api_version: "2020-03-02" }, "api_version"],
    ["plain http", { url: "http://shop.example/hooks" }, "url"],
    ["a password", { url: "https://user:word@shop.example/hooks" }, "url"],
    ["another scheme", { url: "ftp://shop.example/hooks" }, "url"],
    ["a private address", { url: "https://10.0.0.1/hooks" }, "url"],
    ["the metadata server", { url: "https://metadata.google.internal/" }, "url"],
    ["the metadata server in another spelling", { url: "https://[::ffff:a9fe:a9fe]/" }, "url"],
    ["this machine", { url: "https://localhost:8443/hooks" }, "url"],
    ["a fragment", { url: "https://shop.example/hooks#paid" }, "url"],
    ["other accounts' events", { connect: true }, "connect"],
  ])("is refused with %s, by name", async (_, fields, param) => {
    const params = { ...endpointInput(), ...fields } as Stripe.WebhookEndpointCreateParams;

    expect(await thrownBy(() => shop.stripe.webhookEndpoints.create(params))).toMatchObject({ statusCode: 400, param });
    expect(shop.world.webhookEndpoints.everything()).toEqual([]);
  });
});

describe("lists of webhook endpoints", () => {
  test("end where the client's own loop expects it, forwards and backwards", async () => {
    const { webhookEndpoints } = shop.stripe;
    const made: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      made.unshift((await webhookEndpoints.create(endpointInput())).id);
      await shop.world.clock.advance(1);
    }

    const forwards = await webhookEndpoints.list({ limit: 2 }).autoPagingToArray({ limit: 100 });
    const backwards = await webhookEndpoints
      .list({ limit: 2, ending_before: made[4] ?? "" })
      .autoPagingToArray({ limit: 100 });

    expect(forwards.map(({ id }) => id)).toEqual(made);
    expect(backwards.map(({ id }) => id)).toEqual(made.slice(0, 4).reverse());
    const unknown = () => webhookEndpoints.list({ starting_after: "we_none" });
    expect(await thrownBy(unknown)).toMatchObject({ code: "resource_missing", param: "starting_after" });
  });
});

describe("F33: a rotated secret", () => {
  const rotate = (id: string, fields: object = {}) =>
    shop.stripe.rawRequest(
      "POST",
      `/v1/webhook_endpoints/${id}/rotate_secret`,
      fields,
    ) as unknown as Promise<Stripe.WebhookEndpoint>;

  test("is another one, shown once, and a delivery signed with both passes the client's check with either", async () => {
    const { id, secret: old = "" } = await shop.stripe.webhookEndpoints.create(endpointInput());

    const { secret = "" } = await rotate(id, { overlap_seconds: 3_600 });

    expect(secret).toMatch(/^whsec_/);
    expect(secret).not.toBe(old);
    expect(await shop.stripe.webhookEndpoints.retrieve(id)).not.toHaveProperty("secret");
    const body = `{"id":"evt_1","object":"event"}`;
    const message = { id: "evt_1", body: Buffer.from(body), signedAtMs: Date.now() };
    const { "Stripe-Signature": signature } = signatureHeaders(message, [secret, old]);
    for (const known of [secret, old]) expect(Stripe.webhooks.constructEvent(body, signature, known).id).toBe("evt_1");
  });

  test("ends all others at once when it leaked, and at most five are active", async () => {
    const { id } = await shop.stripe.webhookEndpoints.create(endpointInput());
    for (let count = 2; count <= 5; count += 1) await rotate(id);

    expect(await thrownBy(() => rotate(id))).toMatchObject({ statusCode: 400, param: "overlap_seconds" });
    await rotate(id, { overlap_seconds: 0 });
    await rotate(id);
    expect(await thrownBy(() => rotate(id, { overlap_seconds: 86_401 }))).toMatchObject({ param: "overlap_seconds" });
  });
});
