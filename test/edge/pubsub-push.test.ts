// Shows what is read from a push, in both spellings and with parts left out, and what is refused by name.
// It must never read more of the envelope than a consumer may rely on.
import { readPush } from "../../functions/edge/pubsub-push.ts";
import { aChargeEvent, pushOf } from "../support/pushes.ts";

const reading = (body: unknown) =>
  readPush({
    ...{ method: "POST", target: "/events", headers: new Map() },
    body: Buffer.from(typeof body === "string" ? body : JSON.stringify(body), "utf8"),
  });

describe("a push", () => {
  test("is read with its data, attributes, id, time, subscription and attempt", () => {
    const event = aChargeEvent();

    expect(reading(pushOf(event, { deliveryAttempt: 7 }))).toEqual({
      messageId: "101",
      publishedAtMs: Date.UTC(2026, 2, 1, 12, 0, 2, 500),
      attributes: event.attributes,
      data: Buffer.from(event.data),
      subscription: "projects/local-project/subscriptions/payment-events-to-test",
      deliveryAttempt: 7,
    });
  });

  test.each([
    ["only the one spelling", { message_id: undefined, publish_time: undefined }],
    ["only the other spelling", { messageId: undefined, publishTime: undefined }],
  ])("with %s has its id and time", (_title, message) => {
    expect(reading(pushOf(aChargeEvent(), { message }))).toMatchObject({
      messageId: "101",
      publishedAtMs: Date.UTC(2026, 2, 1, 12, 0, 2, 500),
    });
  });

  test("without data, attributes, time and attempt is read as empty, because Pub/Sub leaves empty ones out", () => {
    const message = { data: undefined, attributes: undefined, publishTime: undefined, publish_time: undefined };

    expect(reading(pushOf(aChargeEvent(), { message, deliveryAttempt: undefined }))).toMatchObject({
      ...{ data: Buffer.alloc(0), attributes: {} },
      ...{ publishedAtMs: null, deliveryAttempt: null },
    });
  });

  test("keeps bytes that are no text", () => {
    const message = { data: Buffer.from([0, 255, 128]).toString("base64") };

    expect(reading(pushOf(aChargeEvent(), { message })).data).toEqual(Buffer.from([0, 255, 128]));
  });
});

describe("a push is refused by name", () => {
  test.each<[string, unknown, string]>([
    ["that is no JSON", "{", "The body is not JSON."],
    ["that is a list", [], "The body is not a JSON object."],
    ["without a message", { subscription: "s" }, "Member message of the push is missing."],
    ["whose message is text", { message: "m", subscription: "s" }, "Member message of the push must be an object."],
    [
      "without an id",
      pushOf(aChargeEvent(), { message: { messageId: undefined, message_id: undefined } }),
      "Member message.messageId of the push is missing.",
    ],
    ["without a subscription", pushOf(aChargeEvent(), { subscription: undefined }), "Member subscription"],
    [
      "with data that is no base64",
      pushOf(aChargeEvent(), { message: { data: "{}" } }),
      "message.data of the push must",
    ],
    ["with data that is no text", pushOf(aChargeEvent(), { message: { data: 7 } }), "message.data of the push must"],
    [
      "with an attribute that is no text",
      pushOf(aChargeEvent(), { message: { attributes: { event_id: 7 } } }),
      "message.attributes of the push must hold text only",
    ],
    ["with a list of attributes", pushOf(aChargeEvent(), { message: { attributes: [] } }), "message.attributes"],
    [
      "published at no time",
      pushOf(aChargeEvent(), { message: { publishTime: "soon", publish_time: "soon" } }),
      "message.publishTime of the push must be a time",
    ],
    ["with an attempt below 1", pushOf(aChargeEvent(), { deliveryAttempt: 0 }), "deliveryAttempt"],
    ["with half an attempt", pushOf(aChargeEvent(), { deliveryAttempt: 1.5 }), "deliveryAttempt"],
  ])("%s", (_title, body, message) => {
    expect(() => reading(body)).toThrow(message);
  });
});
