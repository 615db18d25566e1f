/**
 * A delivery as the fields of one Firestore document, and back.
 * It must never leave a field out: an update overwrites exactly the fields it names. The body is written once, elsewhere.
 */
import type { WebhookDelivery } from "../domain/webhook-delivery.ts";

/** The document's fields but the body; a delivery that nothing is due of has no time for the sweep, and no index entry. */
export function fieldsOfDelivery(delivery: WebhookDelivery): Record<string, unknown> {
  const { id: _name, body: _body, sweepAtMs, attempts, ...fields } = delivery;
  return { ...fields, attempts: [...attempts], ...(sweepAtMs === null ? {} : { sweepAtMs }) };
}

/**
 * The delivery in a document's fields.
 * @throws Error when one of the fields that decide is missing or of another type: somebody else wrote into the collection
 */
export function deliveryOf(id: string, fields: Readonly<Record<string, unknown>>): WebhookDelivery {
  const { body, state, epoch, window, attempts, sweepAtMs, traceparent } = fields;
  const isWhole =
    body instanceof Uint8Array &&
    (state === "pending" || state === "delivered" || state === "dead") &&
    Number.isSafeInteger(epoch) &&
    typeof window === "object" &&
    Array.isArray(attempts);
  if (!isWhole) throw new Error("A delivery document lacks a field or has one of another type.");
  // Nobody but `fieldsOfDelivery` writes the other members.
  const known = fields as unknown as Omit<WebhookDelivery, "id" | "sweepAtMs">;
  return {
    id,
    accountId: known.accountId,
    endpointId: known.endpointId,
    eventId: known.eventId,
    eventType: known.eventType,
    createdAtMs: known.createdAtMs,
    body,
    state,
    window: known.window,
    next: known.next,
    resend: known.resend,
    epoch: known.epoch,
    inFlight: known.inFlight,
    attempts: known.attempts,
    dead: known.dead,
    sweepAtMs: typeof sweepAtMs === "number" ? sweepAtMs : null,
    deleteAfterMs: known.deleteAfterMs,
    ...(typeof traceparent === "string" ? { traceparent } : {}),
  };
}
