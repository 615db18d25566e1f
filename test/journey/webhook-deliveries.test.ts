// From a payment to a merchant's receiver and back to what a person sees of it, with the official client where it can.
// It must never verify a signature with our own code: the receiver is the client's library.
import Stripe from "stripe";
import { memoryEndpointHealth } from "../../functions/adapters/memory/deliveries.ts";
import { systemRandom } from "../../functions/adapters/system.ts";
import type { DeliveryWakeUp } from "../../functions/domain/webhook-delivery.ts";
import { busMessageOf } from "../../functions/edge/bus-message.ts";
import { readFannedEvent } from "../../functions/edge/webhook-event.ts";
import { deliverWebhook } from "../../functions/flows/deliver-webhook.ts";
import type { EgressRequest } from "../../functions/flows/egress-ports.ts";
import { fanOut } from "../../functions/flows/fan-out.ts";
import { deliveryGate } from "../../functions/flows/limit-deliveries.ts";
import { answered } from "../support/delivery-world.ts";
import { apiKeys, webhookPorts } from "../support/world.ts";
import { openShop, payment, type Shop, thrownBy } from "./stripe-shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await openShop();
});
afterEach(() => shop.close());

const everything = (): Stripe.WebhookEndpointCreateParams => ({
  url: "https://shop.example/hooks",
  enabled_events: ["*"],
});

/** The dispatcher's work over the world's stores, done whenever a test says so; the receiver answers `status`. */
function openDispatcher() {
  const { world } = shop;
  const received: EgressRequest[] = [];
  const receiver = { status: 200 };
  const deps = {
    ...{ deliveries: world.deliveries, endpoints: world.webhookEndpoints, tasks: world.wakeUps, clock: world.clock },
    ...{ health: memoryEndpointHealth(), box: webhookPorts().box, random: systemRandom, log: () => {} },
    gate: deliveryGate(world),
    disable: async () => {},
    egress: {
      post: async (request: EgressRequest) => {
        received.push(request);
        return answered(receiver.status);
      },
    },
  };
  const work = async () => {
    for (const { body } of world.wakeUps.takeDue()) await deliverWebhook(deps, body as unknown as DeliveryWakeUp);
  };
  const publish = async () => {
    for (const event of world.ledger.rows("events")) {
      const { data, attributes } = busMessageOf(event);
      const message = { messageId: "1", publishedAtMs: null, subscription: "s", deliveryAttempt: null };
      await fanOut(deps, readFannedEvent({ ...message, data: Buffer.from(data), attributes }));
    }
    await work();
  };
  return { received, receiver, work, publish };
}

const call = async (method: "GET" | "POST", path: string, apiKey: string = apiKeys.first) =>
  (await shop.clientWith(apiKey).rawRequest(method, path, {})) as unknown as Record<string, never> & {
    id: string;
    data: Record<string, unknown>[];
  };

describe("a payment", () => {
  test("reaches the receiver as events that the client's library accepts, and a person sees each attempt", async () => {
    const { secret = "", id } = await shop.stripe.webhookEndpoints.create(everything());
    const paid = await shop.stripe.paymentIntents.create(payment);
    const { received, publish } = openDispatcher();

    await publish();
    await publish();

    // The world's clock stands still in January, so the library is told not to look at the age.
    const events = received.map(({ headers, body }) =>
      Stripe.webhooks.constructEvent(Buffer.from(body), headers["Stripe-Signature"] ?? "", secret, 10 * 365 * 86_400),
    );
    expect(events.map(({ type }) => type).sort()).toEqual([
      "charge.succeeded",
      "payment_intent.created",
      "payment_intent.succeeded",
    ]);
    expect(events.find(({ type }) => type === "payment_intent.succeeded")?.data.object).toMatchObject({ id: paid.id });
    expect(new Set(events.map(({ pending_webhooks }) => pending_webhooks))).toEqual(new Set([1]));
    const listed = await call("GET", `/v1/webhook_deliveries?webhook_endpoint=${id}&status=delivered`);
    expect(listed.data).toHaveLength(3);
    const attempts = await call("GET", `/v1/webhook_deliveries/${listed.data[0]?.["id"]}/attempts`);
    expect(attempts.data).toMatchObject([{ number: 1, http_status: 200, failure: null, response_excerpt: "said 200" }]);
  });
});

describe("a delivery that failed", () => {
  const failedOnce = async () => {
    const { id } = await shop.stripe.webhookEndpoints.create(everything());
    await shop.stripe.paymentIntents.create({ amount: 500, currency: "usd" });
    const dispatcher = openDispatcher();
    dispatcher.receiver.status = 500;
    await dispatcher.publish();
    const [delivery] = shop.world.deliveries.everything();
    return { ...dispatcher, endpointId: id, path: `/v1/webhook_deliveries/${delivery?.id}` };
  };

  test("is sent again by a person, once per key, without using up the schedule", async () => {
    const { receiver, received, work, path } = await failedOnce();
    expect(await call("GET", path)).toMatchObject({ status: "pending", attempts: 1, dead_letter_reason: null });
    receiver.status = 200;

    const first = await shop.world.post(`${path}/resend`, "", { key: "again" });
    const again = await shop.world.post(`${path}/resend`, "", { key: "again" });
    await work();

    expect([first.status, again.headers["Idempotent-Replayed"]]).toEqual([200, "true"]);
    expect(received).toHaveLength(2);
    expect(await call("GET", path)).toMatchObject({ status: "delivered", attempts: 2, next_attempt_at: null });
    const { data } = await call("GET", `${path}/attempts`);
    expect(data.map(({ number, resend }) => [number, resend])).toEqual([
      [null, expect.stringMatching(/^rs_/)],
      [1, null],
    ]);
  });

  test("is not sent twice at once: a second resend is 409 and leaves its key free", async () => {
    const { work, path } = await failedOnce();
    await shop.world.post(`${path}/resend`, "", { key: "one" });

    const busy = await shop.world.post(`${path}/resend`, "", { key: "two" });
    await work();
    const later = await shop.world.post(`${path}/resend`, "", { key: "two" });

    expect([busy.status, busy.headers["Stripe-Should-Retry"], later.status]).toEqual([409, "true", 200]);
  });

  test("ends as a dead letter with its reason when its endpoint is deleted, and cannot be sent any more", async () => {
    const { work, path, endpointId } = await failedOnce();
    await shop.stripe.webhookEndpoints.del(endpointId);
    await shop.world.clock.advance(6_000);
    await work();

    expect(await call("GET", path)).toMatchObject({ status: "dead", dead_letter_reason: "endpoint_deleted" });
    for (const verb of ["resend", "redrive"]) {
      const refused = await shop.world.post(`${path}/${verb}`, "");
      expect([refused.status, refused.json.error.param]).toEqual([400, "webhook_endpoint"]);
    }
  });

  test("of another account does not exist", async () => {
    const { path } = await failedOnce();
    const other = { apiKey: apiKeys.second };

    for (const reply of [
      await shop.world.get(path, other),
      await shop.world.get(`${path}/attempts`, other),
      await shop.world.post(`${path}/resend`, "", other),
      await shop.world.post(`${path}/redrive`, "", other),
    ]) {
      expect([reply.status, reply.json.error.code]).toEqual([404, "resource_missing"]);
    }
    expect((await shop.world.get("/v1/webhook_deliveries", other)).json.data).toEqual([]);
  });

  test("that is not dead is not redriven", async () => {
    const { path } = await failedOnce();
    const refused = await shop.world.post(`${path}/redrive`, "");
    expect([refused.status, refused.json.error.message]).toEqual([400, expect.stringContaining("is pending")]);
  });
});

describe("a test event", () => {
  test("is sent to the one endpoint, once per key, signed like all others", async () => {
    const { id, secret = "" } = await shop.stripe.webhookEndpoints.create({
      ...everything(),
      enabled_events: ["charge.failed"],
    });
    await shop.stripe.webhookEndpoints.create(everything());
    const { received, work } = openDispatcher();

    const first = await shop.world.post(`/v1/webhook_endpoints/${id}/send_test_event`, "", { key: "test" });
    await work();
    const again = await shop.world.post(`/v1/webhook_endpoints/${id}/send_test_event`, "", { key: "test" });
    await work();

    expect([first.json.event_type, first.json.webhook_endpoint, again.text]).toEqual([
      "webhook_endpoint.test",
      id,
      first.text,
    ]);
    expect(received).toHaveLength(1);
    const [request] = received;
    const event = Stripe.webhooks.constructEvent(
      Buffer.from(request?.body ?? []),
      request?.headers["Stripe-Signature"] ?? "",
      secret,
      10 * 365 * 86_400,
    );
    expect(event).toMatchObject({ id: first.json.event, type: "webhook_endpoint.test", data: { object: { id } } });
  });

  test("is refused for an endpoint that is disabled or unknown", async () => {
    const { id } = await shop.stripe.webhookEndpoints.create(everything());
    await shop.stripe.webhookEndpoints.update(id, { disabled: true });

    expect((await shop.world.post(`/v1/webhook_endpoints/${id}/send_test_event`, "")).status).toBe(400);
    expect((await shop.world.post("/v1/webhook_endpoints/we_none/send_test_event", "")).status).toBe(404);
    expect(await thrownBy(() => shop.stripe.webhookEndpoints.retrieve("we_none"))).toMatchObject({ statusCode: 404 });
  });
});
