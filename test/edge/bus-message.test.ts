// An event on its way to the topic: what consumers and the views in BigQuery read.
// It must never compare with the event's own serializer: the bytes are what strangers get.
import type { PaymentEvent } from "../../functions/domain/events.ts";
import { busMessageOf } from "../../functions/edge/bus-message.ts";

const event: PaymentEvent = {
  id: "evt_1",
  accountId: "acct_1",
  type: "payment_intent.created",
  objectId: "pi_1",
  objectVersion: 12,
  createdAtMs: 1_772_366_400_789,
  requestId: "req_1",
  idempotencyKey: "order-1001",
  data: Buffer.from('{"object":{"id":"pi_1","object":"payment_intent","description":"Łódź"}}'),
};

test("a message is the event's JSON, whole seconds and the frozen object inside", () => {
  const shown = JSON.parse(Buffer.from(busMessageOf(event).data).toString("utf8"));

  expect(shown).toEqual({
    ...{ id: "evt_1", object: "event", api_version: "2026-10-28.endive", created: 1_772_366_400 },
    ...{ livemode: false, object_version: 12, pending_webhooks: 0, type: "payment_intent.created" },
    data: { object: { id: "pi_1", object: "payment_intent", description: "Łódź" } },
    request: { id: "req_1", idempotency_key: "order-1001" },
  });
});

test("a message carries as text what subscriptions filter by", () => {
  expect(busMessageOf(event).attributes).toEqual({
    ...{ event_id: "evt_1", event_type: "payment_intent.created", account_id: "acct_1", object_version: "12" },
  });
});

test("an event that no request caused says so, and is the same bytes each time", () => {
  const swept = { ...event, requestId: "", idempotencyKey: null };
  const { data } = busMessageOf(swept);

  expect(JSON.parse(Buffer.from(data).toString("utf8")).request).toEqual({ id: null, idempotency_key: null });
  expect(Buffer.from(busMessageOf(swept).data).equals(data)).toBe(true);
});
