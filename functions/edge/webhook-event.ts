/**
 * A pushed message as an event to fan out: what filters and times need of it, and its bytes for the receivers.
 * It must never make up an id: two copies of one event would become two deliveries (field case F21).
 */
import { refuse } from "../domain/errors.ts";
import { eventAttributes } from "../domain/events.ts";
import type { FannedEvent } from "../flows/fan-out.ts";
import type { PushedMessage } from "./pubsub-push.ts";

/**
 * The event inside a message.
 * @throws DomainError `body_invalid`, `parameter_missing` or `parameter_invalid`, which names the member
 */
export function readFannedEvent({ data, attributes }: PushedMessage): FannedEvent {
  const event = objectIn(data);
  const id = textIn(event["id"], "id", /^\w+$/);
  // An attribute beside the content is for filters; where it contradicts the content, somebody altered one of them.
  const { [eventAttributes.eventId]: namedId = id, [eventAttributes.account]: accountId } = attributes;
  if (namedId !== id) throw invalid(eventAttributes.eventId, "differs from the event's id");
  const created = event["created"];
  if (!Number.isSafeInteger(created)) throw invalid("created", "must be a time in seconds");
  return {
    id,
    type: textIn(event["type"], "type", /^[\w.]+$/),
    accountId: textIn(accountId, eventAttributes.account, /^\w+$/),
    createdAtMs: Number(created) * 1000,
    // The order of members and all else stays as it was published.
    render: (receivers) => Buffer.from(JSON.stringify({ ...event, pending_webhooks: receivers }), "utf8"),
  };
}

function objectIn(data: Buffer): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(data.toString("utf8"));
  } catch {
    // Not kept as a cause: JSON.parse quotes the text.
    throw refuse("body_invalid", "The message's data is not JSON.");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw refuse("body_invalid", "The message's data is not a JSON object.");
  return value as Readonly<Record<string, unknown>>;
}

/** Ids and types have under 100 characters. */
const textLengthMax = 200;

/** An id has no full stop: it stands in a signature between two of them (contract section 8.4). */
function textIn(value: unknown, name: string, pattern: RegExp): string {
  if (value === undefined || value === "") {
    throw refuse("parameter_missing", `Member ${name} of the event is missing.`, { param: name });
  }
  if (typeof value !== "string" || !pattern.test(value) || value.length > textLengthMax)
    throw invalid(name, "must be an id or a type");
  return value;
}

function invalid(name: string, rule: string) {
  return refuse("parameter_invalid", `Member ${name} of the event ${rule}.`, { param: name });
}
