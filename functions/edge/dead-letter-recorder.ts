/**
 * The dead-letter recorder over HTTP: Pub/Sub pushes to it what no consumer took, nobody else.
 * It must never acknowledge a letter that is not recorded, nor refuse one for what stands in it.
 */
import { type DeadLetter, deadLetterId, keptBytesMax } from "../domain/dead-letter.ts";
import { eventAttributes } from "../domain/events.ts";
import type { DeadLetters } from "../flows/dead-letter-ports.ts";
import type { Clock, Log } from "../flows/ports.ts";
import { recordDeadLetter } from "../flows/record-dead-letter.ts";
import type { Tracer } from "../flows/trace-ports.ts";
import { errorFields } from "./error-line.ts";
import { errorResponseOf } from "./error-table.ts";
import { requirePushTo } from "./event-consumer.ts";
import { requirePlatformCaller } from "./platform-caller.ts";
import { type PushedMessage, readPush } from "./pubsub-push.ts";
import { jsonResponse, pathOf, type WireHandler } from "./wire.ts";

/** What the recorder needs from the outside. */
export interface RecorderPorts {
  readonly deadLetters: DeadLetters;
  readonly clock: Clock;
  readonly log: Log;
  /** Service account whose tokens it accepts: its subscription's. */
  readonly callerAccount: string;
  /** Goes on with the trace that a letter carries. */
  readonly tracer?: Tracer | undefined;
}

/** The handler: `POST /dead-letters`, and `GET /health`. */
export function deadLetterRecorder(ports: RecorderPorts): WireHandler {
  return async (request) => {
    if (pathOf(request.target) === "/health") return jsonResponse(200, { status: "ok" });
    try {
      requirePlatformCaller(request, ports.callerAccount, ports.clock.now());
      requirePushTo("/dead-letters", request);
      const message = readPush(request);
      ports.tracer?.continueFrom(message.attributes[eventAttributes.traceparent]);
      const outcome = await recordDeadLetter(ports, letterIn(message, ports.clock.now()));
      return jsonResponse(200, { outcome });
    } catch (error) {
      const response = errorResponseOf(error);
      const told = { status: response.status, ...errorFields(error) };
      ports.log("ERROR", "dead letter not recorded", told);
      return response;
    }
  };
}

/** What Pub/Sub adds when it gives a message up. */
const buried = {
  deliveries: "CloudPubSubDeadLetterSourceDeliveryCount",
  source: "CloudPubSubDeadLetterSourceSubscription",
  project: "CloudPubSubDeadLetterSourceSubscriptionProject",
  publishedAt: "CloudPubSubDeadLetterSourceTopicPublishTime",
} as const;

function letterIn({ attributes, data, publishedAtMs }: PushedMessage, nowMs: number): DeadLetter {
  const source = attributes[buried.source] ?? "unknown";
  const { id: eventId, type: eventType } = namedIn(data);
  const deliveries = Number(attributes[buried.deliveries]);
  // The time of the first publish is the same each time the message is buried; without it this copy's own has to do.
  const publishedAt = attributes[buried.publishedAt] ?? String(publishedAtMs ?? "");
  const added: readonly string[] = Object.values(buried);
  return {
    id: deadLetterId({ source, eventId, publishedAt, data }),
    ...{ source, eventId, eventType: eventType ?? attributes[eventAttributes.type] ?? null },
    deliveries: Number.isSafeInteger(deliveries) ? deliveries : null,
    recordedAtMs: nowMs,
    attributes: Object.fromEntries(Object.entries(attributes).filter(([name]) => !added.includes(name))),
    data: data.length > keptBytesMax ? null : data,
  };
}

/** The id and type that consumers go by: those of the content. What is no event has none. */
function namedIn(data: Buffer): { id: string | null; type: string | null } {
  let event: unknown;
  try {
    event = JSON.parse(data.toString("utf8"));
  } catch {
    return { id: null, type: null };
  }
  const { id, type } = Object(event) as Record<string, unknown>;
  const textOrNull = (value: unknown) => (typeof value === "string" && value !== "" ? value : null);
  return { id: textOrNull(id), type: textOrNull(type) };
}
