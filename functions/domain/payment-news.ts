/**
 * What a payment or a charge of the payments API says to the sample shop: from its JSON to news of an order.
 * It never trusts a shape: what lacks a field, or has it in another form, is no news.
 */
import type { ChargeNews, PaymentNews, PaymentStatus } from "./order.ts";

/** Members of a JSON object; empty for anything else. */
export type Fields = Readonly<Record<string, unknown>>;

/** The members of a value that came out of a JSON reader. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

/** News from a payment intent (contract section 5.1), or undefined; `version` is that of the event around it, if any. */
export function paymentNewsOf(intent: Fields, version: number | null): PaymentNews | undefined {
  const { object, id, status, amount_received: received, currency, last_payment_error: failure } = intent;
  if (object !== "payment_intent" || typeof id !== "string" || !isStatus(status)) return undefined;
  if (!isAmount(received) || typeof currency !== "string") return undefined;
  const { message } = fieldsOf(failure);
  const { url } = fieldsOf(fieldsOf(intent["next_action"])["redirect_to_url"]);
  return {
    kind: "payment",
    version,
    intentId: id,
    status,
    receivedMinor: BigInt(received),
    currency,
    failure: typeof message === "string" ? message : null,
    // It becomes a link on a page, so nothing but a web address may pass.
    actionUrl: typeof url === "string" && /^https?:\/\/[\x21-\x7e]+$/.test(url) ? url : null,
  };
}

/** An event of the API as far as the shop reads it: whose order it is about, and the news; undefined for any other event. */
export function eventNewsOf(
  event: Fields,
): { readonly orderId: string; readonly news: PaymentNews | ChargeNews } | undefined {
  const { object_version: version } = event;
  if (typeof version !== "number" || !Number.isSafeInteger(version) || version < 1) return undefined;
  const object = fieldsOf(fieldsOf(event["data"])["object"]);
  const { order_id: orderId } = fieldsOf(object["metadata"]);
  if (typeof orderId !== "string" || !/^order_[0-9a-f]{32}$/.test(orderId)) return undefined;
  const news = object["object"] === "charge" ? chargeNewsOf(object, version) : paymentNewsOf(object, version);
  return news && { orderId, news };
}

function chargeNewsOf(charge: Fields, version: number): ChargeNews | undefined {
  const { payment_intent: intentId, amount_refunded: refunded, status } = charge;
  // A failed charge is of a try that the payment's own events tell of.
  if (typeof intentId !== "string" || !isAmount(refunded) || status !== "succeeded") return undefined;
  return { kind: "charge", version, intentId, refundedMinor: BigInt(refunded) };
}

function isAmount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

const statuses: ReadonlySet<unknown> = new Set<PaymentStatus>([
  "requires_payment_method",
  "requires_confirmation",
  "requires_action",
  "processing",
  "requires_capture",
  "succeeded",
  "canceled",
]);

function isStatus(value: unknown): value is PaymentStatus {
  return statuses.has(value);
}
