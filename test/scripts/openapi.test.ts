// Holds docs/openapi.json to what is served: the routes, what their readers take, and what they answer.
// It must never accept a document that was edited by hand.
import { readFileSync } from "node:fs";
import { routes } from "../../functions/edge/payments-routes.ts";
import { pathOf } from "../../scripts/openapi/document.ts";
import { operations } from "../../scripts/openapi/operations.ts";
import { openApiFile, openApiText } from "../../scripts/openapi.ts";
import { openWorld, payForm } from "../support/world.ts";

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the document holds, and a wrong path fails the test.
type Json = any;

let text: string;
let document: Json;
beforeAll(async () => {
  text = await openApiText();
  document = JSON.parse(text);
});

const bodyOf = (path: string): Json => document.paths[path].post.requestBody.content["application/json"].schema;

describe("docs/openapi.json", () => {
  test("is what npm run openapi writes; if this fails: run npm run openapi", () => {
    const differs = readFileSync(openApiFile, "utf8") !== text;

    expect(differs ? "docs/openapi.json is not up to date: run npm run openapi" : "").toBe("");
  });

  test("holds every route of the route table, and no other", () => {
    const served = routes.map((route) => `${route.method} ${pathOf(route)}`).sort();
    const described = Object.entries<object>(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );

    expect(described.sort()).toEqual(served);
    expect(Object.keys(operations).sort()).toEqual(served);
    expect(new Set(Object.values(operations).map(({ id }) => id)).size).toBe(served.length);
  });

  test("says of a parameter what its reader says: type, words, bounds, nesting, and whether it must be there", () => {
    const creation = bodyOf("/v1/payment_intents");

    expect(creation.required).toEqual(["amount", "currency"]);
    expect(creation.properties).toMatchObject({
      amount: { type: "integer", minimum: 1, maximum: 99_999_999 },
      confirm: { type: "boolean" },
      capture_method: { type: "string", enum: ["automatic", "automatic_async", "manual"] },
      metadata: { type: "object", additionalProperties: { type: "string" } },
      shipping: { type: "object", required: ["name", "address"], properties: { name: { type: "string" } } },
      return_url: { type: "string", format: "uri" },
      expand: { type: "array", items: { type: "string" } },
    });
    expect(bodyOf("/v1/webhook_endpoints").required).toEqual(["url", "enabled_events"]);
    const query = document.paths["/v1/refunds"].get.parameters;
    expect(query.map(({ name }: Json) => name)).toEqual(expect.arrayContaining(["limit", "created", "expand[]"]));
    const created = query.find(({ name }: Json) => name === "created").schema;
    expect(created.anyOf.map(({ type }: Json) => type)).toEqual(["integer", "object"]);
    expect(Object.keys(created.anyOf[1].properties)).toEqual(["gt", "gte", "lt", "lte"]);
  });

  test("gives every write the key's headers, and no read", () => {
    for (const route of routes) {
      const { parameters } = document.paths[pathOf(route)][route.method.toLowerCase()];
      const headers = parameters.filter((one: Json) => one.in === "header").map((one: Json) => one.name);
      expect(headers).toEqual(route.method === "POST" ? ["Idempotency-Key", "Prefer"] : []);
    }
  });

  test("refers to nothing that it does not hold", () => {
    const references = new Set(text.match(/(?<="#\/components\/)[\w/-]+(?=")/g));

    expect(references.size).toBeGreaterThan(10);
    for (const reference of references) {
      const [kind = "", name = ""] = reference.split("/");
      expect(Object.keys(document.components[kind])).toContain(name);
    }
  });

  test("names the object that each operation really answers", async () => {
    const { post, get } = await openWorld();
    const paid = await post("/v1/payment_intents", payForm, { key: "paid" });
    const refund = await post("/v1/refunds", `payment_intent=${paid.json.id}&amount=500`, { key: "refund" });
    const held = "amount=900&currency=usd&confirm=true&capture_method=manual&payment_method=pm_card_visa";
    const hold = await post("/v1/payment_intents", held, { key: "hold" });
    const endpoint = await post("/v1/webhook_endpoints", "url=https://shop.example/hook&enabled_events[]=*", {
      key: "e",
    });
    const events = await get("/v1/events");
    const answered: Readonly<Record<string, Json>> = {
      "POST /v1/payment_intents": paid,
      "POST /v1/refunds": refund,
      "POST /v1/webhook_endpoints": endpoint,
      "GET /v1/events": events,
      "GET /v1/payment_intents": await get("/v1/payment_intents"),
      "GET /v1/payment_intents/{id}": await get(`/v1/payment_intents/${paid.json.id}`),
      "GET /v1/payment_intents/{id}/timeline": await get(`/v1/payment_intents/${paid.json.id}/timeline`),
      "POST /v1/payment_intents/{id}/capture": await post(`/v1/payment_intents/${hold.json.id}/capture`, "", {
        key: "c",
      }),
      "GET /v1/charges/{id}": await get(`/v1/charges/${paid.json.latest_charge}`),
      "GET /v1/refunds/{id}": await get(`/v1/refunds/${refund.json.id}`),
      "GET /v1/account": await get("/v1/account"),
      "GET /v1/balance": await get("/v1/balance"),
      "GET /v1/balance_transactions": await get("/v1/balance_transactions"),
      "GET /v1/ledger_health": await get("/v1/ledger_health"),
      "GET /v1/idempotency_keys/life": await get("/v1/idempotency_keys/life?key=paid"),
      "GET /v1/events/{id}": await get(`/v1/events/${events.json.data[0].id}`),
      "GET /v1/webhook_deliveries": await get("/v1/webhook_deliveries"),
    };

    for (const [operation, { status, json }] of Object.entries(answered)) {
      expect([operation, status, json.object]).toEqual([operation, 200, operations[operation]?.answers]);
      const item = json.data?.[0]?.object;
      if (json.object === "list" && item !== undefined) expect(item).toBe(operations[operation]?.of);
    }
  });
});
