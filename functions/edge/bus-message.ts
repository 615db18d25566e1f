/**
 * An event as a message of the topic: its JSON as the API shows it, and the attributes that subscriptions filter by.
 * It never renders its object anew, so that every copy of an event carries the same bytes, however often it is published.
 */
import { eventAttributes, type PaymentEvent } from "../domain/events.ts";
import type { BusMessage } from "../flows/bus-ports.ts";
import { serializeEvent } from "./serialize-event.ts";

/** The message; `data` is UTF-8 JSON (contract section 7), and attributes are text, numbers too. */
export function busMessageOf(event: PaymentEvent): BusMessage {
  return {
    data: Buffer.from(JSON.stringify(serializeEvent(event)), "utf8"),
    attributes: {
      [eventAttributes.eventId]: event.id,
      [eventAttributes.type]: event.type,
      [eventAttributes.account]: event.accountId,
      [eventAttributes.objectVersion]: String(event.objectVersion),
      ...(event.traceparent === undefined ? {} : { [eventAttributes.traceparent]: event.traceparent }),
    },
  };
}
