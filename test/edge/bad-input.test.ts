// Every field of every call, wrong in every way: the contract's error with the right `param`, nothing stored, the key not burned.
// It must never skip a field: each list of fields is compared with what the code looks for.

import { systemRandom } from "../../functions/adapters/system.ts";
import { wireRenderer } from "../../functions/edge/renderer.ts";
import { wireDeliveryRenderer } from "../../functions/edge/serialize-webhook-delivery.ts";
import { wireEndpointRenderer } from "../../functions/edge/serialize-webhook-endpoint.ts";
import { expectValid } from "../support/schemas.ts";
import { countRows, openWorld, type Reply, type World, webhookPorts } from "../support/world.ts";
import { formWith, type Verdict, verdictsOn, type Way, ways } from "./bad-values.ts";
import { balanceEndpoints } from "./balance-endpoints.ts";
import { declaredFields, type EndpointDescription, type Need, type ObjectIds } from "./endpoint-description.ts";
import { paymentEndpoints } from "./payment-endpoints.ts";
import { refundEndpoints } from "./refund-endpoints.ts";
import { webhookEndpoints } from "./webhook-endpoints.ts";

/** What a refusal must not change. */
const stored = (world: World) => ({
  ...countRows(world),
  refunds: world.ledger.rows("refunds").length,
  claims: world.cache.records().size,
  webhookEndpoints: world.webhookEndpoints.everything(),
});

const verdictOf = (endpoint: EndpointDescription, { status, json }: Reply): Verdict => {
  if (status === 200) return "accepted";
  expectValid("error", json);
  const { type, code, param } = json.error;
  // The state of what the path names was looked at, so the form was good.
  if (endpoint.neverAllowed && param === "refund") return "accepted";
  return { status, type, code, param };
};

const forms: Readonly<Record<Exclude<Need, "nothing" | "endpoint">, string>> = {
  open: "",
  held: "&confirm=true&capture_method=manual",
  paid: "&confirm=true",
  refunded: "&confirm=true",
};

const noObjects: ObjectIds = { intent: "", charge: "", refund: "", endpoint: "" };

/** New objects for one call. */
async function objectsFor(world: World, needs: Need): Promise<ObjectIds> {
  if (needs === "nothing") return noObjects;
  if (needs === "endpoint") {
    const created = await world.post("/v1/webhook_endpoints", "url=https://shop.example/&enabled_events[]=*");
    return { ...noObjects, endpoint: String(created.json.id) };
  }
  const form = `amount=900&currency=usd&payment_method=pm_card_visa${forms[needs]}`;
  const { id, latest_charge } = (await world.post("/v1/payment_intents", form)).json;
  const ids = { ...noObjects, intent: String(id), charge: String(latest_charge) };
  if (needs !== "refunded") return ids;
  return { ...ids, refund: String((await world.post("/v1/refunds", `charge=${latest_charge}&amount=5`)).json.id) };
}

/** Sends the form under the key, in the query where the call has no body. */
function call(world: World, endpoint: EndpointDescription, path: string, form: string, key: string): Promise<Reply> {
  if (endpoint.method === "POST") return world.post(path, form, { key });
  return world.get(`${path}?${form.replaceAll(/[^ -~]+/g, encodeURIComponent)}`);
}

const endpoints = [...paymentEndpoints, ...refundEndpoints, ...webhookEndpoints, ...balanceEndpoints];

describe.each(endpoints.map((endpoint) => [endpoint.title, endpoint] as const))("%s", (_, endpoint) => {
  test("looks for exactly the fields of this table", async () => {
    const world = await openWorld();
    const renderers = { renderer: wireEndpointRenderer, deliveryRenderer: wireDeliveryRenderer };
    const webhooks = { ...webhookPorts(), ...renderers };
    const machine = { clock: world.clock, random: systemRandom };
    const { ledger, balances, stories } = world;
    const looking = { stories, cache: { read: async () => ({ kind: "none" }) as const }, leaseMs: 30_000 };
    const deps = { ledger, balances, ...looking, ...machine, renderer: wireRenderer(), webhooks };
    const listed = endpoint.fields.filter(({ entry }) => entry === undefined).map(({ name }) => name);
    expect(await declaredFields(endpoint, deps)).toEqual(listed.sort());
  });

  test.each(endpoint.fields.map((field) => [field.name, field] as const))(
    "F14 %s, wrong in each way, is refused by name or taken, and a refusal leaves nothing behind",
    async (_name, field) => {
      const world = await openWorld();
      const expected = verdictsOn(field);
      const everyWay = Object.keys(ways) as Way[];
      const targets = new Map<Way, ObjectIds>();
      for (const way of everyWay) targets.set(way, await objectsFor(world, endpoint.needs));
      const send = async (way: Way, form: (base: readonly string[]) => string) => {
        const ids = targets.get(way) ?? noObjects;
        return [way, await call(world, endpoint, endpoint.path(ids), form(endpoint.base(ids)), way)] as const;
      };
      const sendAll = async (which: readonly Way[], form: (way: Way) => (base: readonly string[]) => string) =>
        Object.fromEntries(await Promise.all(which.map((way) => send(way, form(way))))) as Record<Way, Reply>;
      const wrong = (way: Way) => (base: readonly string[]) => formWith(base, field, way);
      const refusedWays = everyWay.filter((way) => expected[way] !== "accepted");
      const before = stored(world);

      const refusals = await sendAll(refusedWays, wrong);
      const after = stored(world);
      const taken = await sendAll(
        everyWay.filter((way) => expected[way] === "accepted"),
        wrong,
      );

      const replies = Object.entries({ ...refusals, ...taken });
      expect(Object.fromEntries(replies.map(([way, reply]) => [way, verdictOf(endpoint, reply)]))).toEqual(expected);
      expect(after).toEqual(before);
      const corrected = await sendAll(refusedWays, () => (base) => base.join("&"));
      for (const reply of Object.values(corrected)) {
        expect([verdictOf(endpoint, reply), reply.headers["Idempotent-Replayed"]]).toEqual(["accepted", undefined]);
      }
    },
  );

  test.each(["zzz", "amont", "__proto__", "constructor", "toString", "Amount", "é", "0"])(
    "an unknown parameter %s is refused by name, and leaves nothing behind",
    async (name) => {
      const world = await openWorld();
      const ids = await objectsFor(world, endpoint.needs);
      const form = [...endpoint.base(ids), `${encodeURIComponent(name)}=1`].join("&");
      const before = stored(world);
      const reply = await call(world, endpoint, endpoint.path(ids), form, "k");
      expect(verdictOf(endpoint, reply)).toEqual({
        status: 400,
        type: "invalid_request_error",
        code: "parameter_unknown",
        param: name,
      });
      expect(reply.json.error.message).toBe(`Received unknown parameter: ${name}`);
      expect(stored(world)).toEqual(before);
    },
  );
});
