// Shows who may push to a consumer, what it answers, and that an event without an id never slips past the markers (F21).
// It must never call a flow: everything goes through the handler.
import { openConsumerWorld } from "../support/consumer-world.ts";
import { aCharge, aHeldView, aPaidView } from "../support/payment-fixtures.ts";
import { aChargeEvent, anEvent, push, pushOf } from "../support/pushes.ts";

const dataOf = (event: object) => ({ data: Buffer.from(JSON.stringify(event)).toString("base64") });
const contentOf = ({ data }: { data: Uint8Array }) => JSON.parse(Buffer.from(data).toString("utf8"));

describe("a consumer", () => {
  test("acknowledges an event once its effect is done, and again without doing it again", async () => {
    const world = openConsumerWorld();

    expect(await push(world.notification, pushOf(aChargeEvent()))).toEqual({
      ...{ status: 200, body: { outcome: "handed_over" } },
    });
    expect(await push(world.notification, pushOf(aChargeEvent()))).toEqual({
      ...{ status: 200, body: { outcome: "repeated" } },
    });
    expect(world.handedOver).toHaveLength(1);
  });

  test.each([
    ["a type that it does nothing for", anEvent("charge.refunded")],
    ["a hold, which is no payment yet", anEvent("charge.succeeded", aHeldView())],
    ["a payment without an address", anEvent("charge.succeeded")],
  ])("acknowledges %s, without a marker", async (_title, event) => {
    const world = openConsumerWorld();

    expect(await push(world.notification, pushOf(event))).toEqual({ status: 200, body: { outcome: "nothing" } });
    expect(world.handedOver).toEqual([]);
    expect(world.store.markers()).toEqual([]);
  });

  test("writes one line for a delivery, with ids and without anything of a person", async () => {
    const world = openConsumerWorld();
    await push(world.notification, pushOf(aChargeEvent(), { deliveryAttempt: 3 }));

    expect(world.logged).toEqual([
      {
        severity: "INFO",
        message: "event consumed",
        fields: {
          ...{ messageId: "101", subscription: "payment-events-to-test", deliveryAttempt: 3 },
          ...{ eventId: "evt_1", eventType: "charge.succeeded", accountId: "acct_1" },
          ...{ outcome: "handed_over", durationMs: 0 },
        },
      },
    ]);
  });

  test("does not acknowledge what failed, says so in one line, and does it when it comes again", async () => {
    const world = openConsumerWorld();
    world.ports.mailer.disturb("send", { at: "before", act: "throw", error: new Error("jane@customer.example") });

    expect((await push(world.notification, pushOf(aChargeEvent()))).status).toBe(500);
    expect(JSON.stringify(world.logged)).not.toContain("jane");
    expect(world.logged).toMatchObject([
      {
        severity: "ERROR",
        message: "event not consumed",
        fields: { eventId: "evt_1", code: "internal", reason: "Error" },
      },
    ]);

    expect((await push(world.notification, pushOf(aChargeEvent(), { deliveryAttempt: 2 }))).status).toBe(200);
    expect(world.handedOver).toHaveLength(1);
  });

  test.each([
    ["another account", { email: "someone@local-project.iam.gserviceaccount.com" }],
    ["a token for another service", { aud: "https://other.example" }],
    ["a token that has expired", { exp: 1 }],
    ["a token of another issuer", { iss: "https://issuer.example" }],
  ])("refuses %s", async (_title, claims) => {
    const world = openConsumerWorld();

    expect((await push(world.notification, pushOf(aChargeEvent()), { claims })).status).toBe(403);
    expect(world.handedOver).toEqual([]);
  });

  test.each([
    ["another path", { target: "/" }, 404],
    ["another method", { method: "GET" }, 405],
  ])("refuses %s", async (_title, asked, status) => {
    expect((await push(openConsumerWorld().notification, pushOf(aChargeEvent()), asked)).status).toBe(status);
  });

  test("says that it is well, to anybody", async () => {
    const health = { target: "/health", method: "GET", claims: { email: "nobody" } };

    expect(await push(openConsumerWorld().notification, "", health)).toEqual({ status: 200, body: { status: "ok" } });
  });
});

describe("a message that is no event is refused each time it comes, so that it ends among the dead letters (F21)", () => {
  const event = aChargeEvent();
  const content = contentOf(event);
  const { event_id: _id, ...withoutId } = event.attributes;

  test.each<[string, object, string]>([
    ["without an id in the content, whatever the attribute says", dataOf({ ...content, id: undefined }), "id"],
    ["with an empty id", { ...dataOf({ ...content, id: "" }), attributes: withoutId }, "id"],
    ["with an id in the attribute that differs", dataOf({ ...content, id: "evt_other" }), "event_id"],
    ["without a merchant", { attributes: { event_id: "evt_1" } }, "account_id"],
    ["without data", { data: undefined }, "message.data"],
    ["without an object", dataOf({ ...content, data: {} }), "object"],
    ["without a type", dataOf({ ...content, type: undefined }), "type"],
    ["with a time that is text", dataOf({ ...content, created: "now" }), "created"],
    ["whose charge has no amount", chargeWith({ amount_captured: undefined }), "amount_captured"],
    ["whose charge has a negative amount", chargeWith({ amount_captured: -1 }), "amount_captured"],
    ["whose charge has an unknown currency", chargeWith({ currency: "xxx" }), "currency"],
  ])("%s", async (_title, message, param) => {
    const world = openConsumerWorld();

    for (const deliveryAttempt of [1, 2]) {
      const answer = await push(world.notification, pushOf(event, { message, deliveryAttempt }));

      expect(answer).toMatchObject({ status: 400, body: { error: { param } } });
    }
    expect(world.handedOver).toEqual([]);
    expect(world.store.markers()).toEqual([]);
  });

  test("without an id in the attributes only: the content's id is the event's", async () => {
    const world = openConsumerWorld();
    for (const _copy of [1, 2]) {
      await push(world.notification, pushOf(event, { message: { attributes: withoutId } }));
    }

    expect(world.handedOver).toHaveLength(1);
  });

  test("a message that is no JSON, whose text appears in no line", async () => {
    const world = openConsumerWorld();
    const message = { data: Buffer.from("4242424242424242").toString("base64") };

    expect((await push(world.notification, pushOf(event, { message }))).status).toBe(400);
    expect(JSON.stringify(world.logged)).not.toContain("4242424242424242");
  });

  function chargeWith(changed: object) {
    const { object } = content.data;
    return dataOf({ ...content, data: { object: { ...object, ...changed } } });
  }
});

test("a captured hold gets its receipt, for what was captured", async () => {
  const world = openConsumerWorld();
  const charge = aCharge({ capturedMinor: 500n, receiptEmail: "jane@customer.example" });
  await push(world.notification, pushOf(anEvent("charge.captured", { ...aPaidView(), charge })));

  expect(world.handedOver.map(({ subject }) => subject)).toEqual(["Your receipt for EUR 5.00"]);
});
