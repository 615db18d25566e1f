// One account probes everything of another, through every endpoint and every parameter that takes an id.
// It must never list the endpoints itself: they come from the route table, so that a new one without a probe turns this red.
import { systemRandom } from "../../functions/adapters/system.ts";
import { newDelivery } from "../../functions/domain/delivery-record.ts";
import { type Route, routes } from "../../functions/edge/payments-routes.ts";
import { wireRenderer } from "../../functions/edge/renderer.ts";
import { wireDeliveryRenderer } from "../../functions/edge/serialize-webhook-delivery.ts";
import { wireEndpointRenderer } from "../../functions/edge/serialize-webhook-endpoint.ts";
import { declaredFields, readerOf } from "../edge/endpoint-description.ts";
import { apiKeys, beginMs, openWorld, payForm, type Reply, type World, webhookPorts } from "../support/world.ts";

/** What the first account owns. */
type Owned = Readonly<Record<OwnedKind, string>>;
type OwnedKind =
  | "payment_intent"
  | "charge"
  | "refund"
  | "event"
  | "balance_transaction"
  | "webhook_endpoint"
  | "webhook_delivery"
  | "idempotency_key";

/** Parameters that take an id, of which object; on every route the cursors take one of the route's own. */
const idParameters: Readonly<Record<string, readonly OwnedKind[]>> = {
  payment_intent: ["payment_intent"],
  charge: ["charge"],
  refund: ["refund"],
  event: ["event"],
  webhook_endpoint: ["webhook_endpoint"],
  source: ["charge", "refund"],
  key_id: ["idempotency_key"],
};
const cursors = ["starting_after", "ending_before"];

/** Parameters that name nothing of anybody. A customer and a key are the merchant's own text. */
const plainParameters = new Set(
  `amount api_version automatic_payment_methods capture_method confirm confirmation_method connect created currency customer
  description enabled_events error_on_requires_action expand key limit metadata off_session payment_method payment_method_types
  payout reason receipt_email return_url setup_future_usage shipping statement_descriptor statement_descriptor_suffix status
  transfer_group type types url`.split(/\s+/),
);

/** What a form must have for the code to look for the rest. */
const goodForms: Readonly<Record<string, string>> = {
  "POST /v1/payment_intents": "amount=2000&currency=usd",
  "POST /v1/refunds": "charge=ch_1",
  "POST /v1/webhook_endpoints": "url=https://shop.example/&enabled_events[]=*",
};

const second = { apiKey: apiKeys.second };
const titleOf = ({ method, path }: Route) =>
  `${method} ${path.source.slice(1, -1).replaceAll("\\/", "/").replaceAll("([^/]+)", "{id}")}`;
const pathOf = (route: Route, id: string) => titleOf(route).split(" ")[1]?.replace("{id}", id) ?? "";

/** A world in which the first account has one of everything. */
async function openOwned(): Promise<{ world: World; owned: Owned }> {
  const world = await openWorld();
  const intent = (await world.post("/v1/payment_intents", `${payForm}&expand[]=latest_charge`)).json;
  const refund = (await world.post("/v1/refunds", `charge=${intent.latest_charge.id}&amount=5`)).json;
  const endpoint = (await world.post("/v1/webhook_endpoints", "url=https://shop.example/&enabled_events[]=*")).json;
  const [event] = world.ledger.rows("events");
  const about = {
    accountId: "acct_first",
    endpointId: endpoint.id,
    eventId: event?.id ?? "",
    eventType: event?.type ?? "",
  };
  const delivery = newDelivery({ ...about, body: Buffer.from("{}") }, beginMs);
  await world.deliveries.create(delivery);
  const owned = {
    payment_intent: intent.id,
    charge: intent.latest_charge.id,
    refund: refund.id,
    event: event?.id ?? "",
    balance_transaction: intent.latest_charge.balance_transaction,
    webhook_endpoint: endpoint.id,
    webhook_delivery: delivery.id,
    idempotency_key: world.ledger.rows("idempotency_keys")[0]?.keyHash ?? "",
  };
  return { world, owned };
}

/** Everything that stands, but the keys: a refusal that was decided on what stands is kept under its own key. */
const standing = (world: World) =>
  JSON.stringify(
    [
      ...(
        ["payment_intents", "charges", "refunds", "attempts", "ledger_transactions", "events", "outbox"] as const
      ).map((table) => world.ledger.rows(table)),
      world.webhookEndpoints.everything(),
      world.deliveries.everything(),
      world.wakeUps.waiting(),
    ],
    (_, value) => (typeof value === "bigint" ? String(value) : value),
  );

/** An id of the same kind and length that nothing has. */
const unknownLike = (id: string) => id.slice(0, -4) + (/^(?:wd_)?[0-9a-f]+$/.test(id) ? "0000" : "zzzz");

/** The answer without the id that was asked for. */
const told = ({ status, text }: Reply, id: string) => `${status} ${text.replaceAll(id, "{id}")}`;

const send = (world: World, { method }: Route, path: string, parameter: string) =>
  method === "POST" ? world.post(path, parameter, second) : world.send(method, `${path}?${parameter}`, "", second);

// One world for all probes: none of them may change it, and that is looked at after each.
let world: World;
let owned: Owned;
beforeAll(async () => {
  ({ world, owned } = await openOwned());
});

describe.each(routes.map((route) => [titleOf(route), route] as const))("%s", (_title, route) => {
  const takesId = route.path.source.includes("([^/]+)");

  test("tells nothing of another account's objects and changes none: theirs are as unknown as made-up ones", async () => {
    const before = standing(world);
    const probes = takesId
      ? [{ of: route.object as OwnedKind, ask: (id: string) => send(world, route, pathOf(route, id), "") }]
      : (await idParametersOf(route, world)).map(({ name, of }) => {
          // A create of a payment takes no id; a refund names the one or the other.
          return { of, ask: (id: string) => send(world, route, pathOf(route, ""), `${name}=${id}`) };
        });

    for (const { of, ask } of probes) {
      const id = owned[of];
      const reply = await ask(id);
      expect(told(reply, id)).toBe(told(await ask(unknownLike(id)), unknownLike(id)));
      if (takesId) expect([reply.status, reply.json.error.code]).toEqual([404, "resource_missing"]);
      for (const other of Object.values(owned)) if (other !== id) expect(reply.text).not.toContain(other);
    }

    if (!takesId && route.method === "GET")
      expect((await world.get(pathOf(route, ""), second)).json.data ?? []).toEqual([]);
    expect(standing(world)).toBe(before);
  });

  if (takesId) return;
  test("takes ids in no parameter that is not probed", async () => {
    const names = await parametersOf(route, world);
    const known = (name: string) => name in idParameters || cursors.includes(name) || plainParameters.has(name);

    expect(names.filter((name) => !known(name))).toEqual([]);
  });
});

test("an API key works to the last millisecond of the minute in which it was revoked, and then no more", async () => {
  const { accounts, clock, get, startServer } = await openWorld();
  expect((await get("/v1/payment_intents")).status).toBe(200);
  await accounts.revokeKeys("first", null, beginMs);

  await clock.advance(59_999);
  expect((await get("/v1/payment_intents")).status).toBe(200);
  await clock.advance(1);
  expect((await get("/v1/payment_intents")).status).toBe(401);
  expect((await startServer().get("/v1/payment_intents")).status).toBe(401);
});

async function idParametersOf(route: Route, world: World): Promise<readonly { name: string; of: OwnedKind }[]> {
  const names = await parametersOf(route, world);
  return names.flatMap((name) => {
    const kinds = cursors.includes(name) ? [route.object as OwnedKind] : (idParameters[name] ?? []);
    return kinds.map((of) => ({ name, of }));
  });
}

/** Names that the code itself looks for, without what is inside of them. */
async function parametersOf(route: Route, { ledger, balances, stories, clock }: World): Promise<readonly string[]> {
  const renderers = { renderer: wireEndpointRenderer, deliveryRenderer: wireDeliveryRenderer };
  const deps = {
    ...{ ledger, balances, stories, clock, cache: { read: async () => ({ kind: "none" }) as const }, leaseMs: 30_000 },
    ...{ random: systemRandom, renderer: wireRenderer() },
    webhooks: { ...webhookPorts(), ...renderers },
  };
  const description = {
    title: "",
    method: "GET",
    needs: "nothing",
    path: () => "",
    base: () => [],
    fields: [],
  } as const;
  const names = await declaredFields(
    { ...description, whole: goodForms[titleOf(route)] ?? "", read: readerOf(route.serve) },
    deps,
  );
  return names.filter((name) => !name.includes("["));
}
