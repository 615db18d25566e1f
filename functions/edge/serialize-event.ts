/**
 * An event in the words of the API (contract section 7), around the bytes that were frozen when it happened.
 * It never renders its object anew: what it told then, it tells for ever.
 */
import type Stripe from "stripe";
import type { PaymentEvent } from "../domain/events.ts";
import { servedVersion } from "./answer-headers.ts";
import { wireSeconds } from "./wire-scalars.ts";

/** The event; its `data` is what was stored. */
export function serializeEvent(event: PaymentEvent): Stripe.Event {
  const data: unknown = JSON.parse(Buffer.from(event.data).toString("utf8"));
  const shown = {
    id: event.id,
    object: "event",
    api_version: servedVersion,
    created: wireSeconds(event.createdAtMs),
    data,
    livemode: false,
    // Ours: by it a receiver tells what is newer, whatever the order of arrival (docs/decisions.md).
    object_version: event.objectVersion,
    pending_webhooks: 0,
    // Null where no request caused it (contract section 3.1).
    request: { id: event.requestId === "" ? null : event.requestId, idempotency_key: event.idempotencyKey },
    type: event.type,
  };
  // The client's type is a union over all types of event; which object `data` holds was decided when it was rendered.
  return shown as unknown as Stripe.Event;
}
