// Events as Pub/Sub pushes them, for tests of consumers: the envelope around events that the product itself renders.
// It must never make up the words of an event: they come from the serializers that write them.
import type { Charge } from "../../functions/domain/charge.ts";
import type { EventDraft } from "../../functions/domain/events.ts";
import type { PaymentIntent } from "../../functions/domain/payment-intent.ts";
import { busMessageOf } from "../../functions/edge/bus-message.ts";
import { wireRenderer } from "../../functions/edge/renderer.ts";
import type { WireHandler } from "../../functions/edge/wire.ts";
import type { BusMessage } from "../../functions/flows/bus-ports.ts";
import type { PaymentView } from "../../functions/flows/ports.ts";
import { aCharge, aPaidView, createdAtMs } from "./payment-fixtures.ts";

/** An event as it is published. */
export function anEvent(
  type: EventDraft["type"],
  view: PaymentView = aPaidView(),
  { id = "evt_1", atMs = createdAtMs }: { id?: string; atMs?: number } = {},
): BusMessage {
  const about = type.startsWith("charge.") ? "charge" : type.startsWith("refund.") ? "refund" : "payment_intent";
  return busMessageOf({
    ...{ id, type, accountId: view.intent.accountId, createdAtMs: atMs },
    ...{ objectId: view.intent.id, objectVersion: view.intent.version, requestId: "req_1", idempotencyKey: null },
    data: wireRenderer().eventData({ type, about }, view),
  });
}

/** `charge.succeeded` of a payment that was taken at once, with an address for the receipt. */
export function aChargeEvent(charge: Partial<Charge> = {}, identity: { id?: string; atMs?: number } = {}): BusMessage {
  const view = { ...aPaidView(), charge: aCharge({ receiptEmail: "jane@customer.example", ...charge }) };
  return anEvent("charge.succeeded", view, identity);
}

/** `payment_intent.succeeded`. */
export function aPaymentEvent(
  intent: Partial<PaymentIntent> = {},
  identity: { id?: string; atMs?: number } = {},
): BusMessage {
  return anEvent("payment_intent.succeeded", aPaidView(intent), identity);
}

/** The body of a push; `message` replaces members of the message, and undefined takes one out. */
export function pushOf(
  { data, attributes }: BusMessage,
  { message = {}, ...members }: { message?: object; [member: string]: unknown } = {},
): object {
  return {
    deliveryAttempt: 1,
    message: {
      attributes,
      data: Buffer.from(data).toString("base64"),
      messageId: "101",
      message_id: "101",
      publishTime: "2026-03-01T12:00:02.5Z",
      publish_time: "2026-03-01T12:00:02.5Z",
      ...message,
    },
    subscription: "projects/local-project/subscriptions/payment-events-to-test",
    ...members,
  };
}

/** The account that pushes, and the host that it pushes to, in every test here. */
export const pusher = { account: "push@local-project.iam.gserviceaccount.com", host: "consumer.example" } as const;

/** Sends a push to a handler as the platform lets it arrive; `claims` replaces some of the token's. */
export async function push(
  handler: WireHandler,
  body: object | string,
  { claims = {}, target = "/events", method = "POST" }: { claims?: object; target?: string; method?: string } = {},
): Promise<{ status: number; body: unknown }> {
  const token = Buffer.from(
    JSON.stringify({
      iss: "https://accounts.google.com",
      aud: `https://${pusher.host}`,
      email: pusher.account,
      email_verified: true,
      exp: 4_000_000_000,
      ...claims,
    }),
  ).toString("base64url");
  const response = await handler({
    ...{ method, target },
    headers: new Map([
      ["host", [pusher.host]],
      ["authorization", [`Bearer e30.${token}.SIGNATURE_REMOVED_BY_GOOGLE`]],
      ["content-type", ["application/json"]],
    ]),
    body: Buffer.from(typeof body === "string" ? body : JSON.stringify(body), "utf8"),
  });
  return { status: response.status, body: JSON.parse(response.body.toString("utf8")) };
}
