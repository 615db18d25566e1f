/**
 * A consumer of events over HTTP: Pub/Sub pushes to it, nobody else; a fork's own consumer is one call of this.
 * It must never answer 2xx for an event whose effect is not done: that would take it off the subscription for ever.
 */
import type { ConsumedEvent } from "../domain/consumption.ts";
import { DomainError, refuse } from "../domain/errors.ts";
import { eventAttributes } from "../domain/events.ts";
import { type ConsumeDependencies, type Consumption, consumeEvent } from "../flows/consume-event.ts";
import type { BusinessAction } from "../flows/consumer-ports.ts";
import type { Log } from "../flows/ports.ts";
import type { Tracer } from "../flows/trace-ports.ts";
import { readEvent } from "./consumed-event.ts";
import { errorFields } from "./error-line.ts";
import { errorResponseOf } from "./error-table.ts";
import { requirePlatformCaller } from "./platform-caller.ts";
import { type PushedMessage, readPush } from "./pubsub-push.ts";
import { jsonResponse, pathOf, type WireHandler, type WireRequest, type WireResponse } from "./wire.ts";

/** What every consumer needs from the outside. */
export interface ConsumerPorts extends ConsumeDependencies {
  readonly log: Log;
  /** Service account whose tokens it accepts: its subscription's. */
  readonly callerAccount: string;
  /** Goes on with the trace that a message carries. */
  readonly tracer?: Tracer | undefined;
}

/** One consumer. */
export interface EventConsumer {
  /** Its name, under which its markers stand; it must never change, or everything would be done again. */
  readonly name: string;
  /**
   * What an event asks of it; null when nothing, and the event is acknowledged.
   * It may throw a DomainError for an event that it cannot read: such a one ends among the dead letters.
   */
  readonly actionOf: (event: ConsumedEvent) => BusinessAction | null;
}

/** The handler: `POST /events`, and `GET /health`. 200 acknowledges; 409 says that another delivery is at it. */
export function eventConsumer(ports: ConsumerPorts, consumer: EventConsumer): WireHandler {
  return async (request) => {
    if (pathOf(request.target) === "/health") return jsonResponse(200, { status: "ok" });
    const startedAtMs = ports.clock.now();
    let told: Told = {};
    const inAll = () => ({ ...told, durationMs: ports.clock.now() - startedAtMs });
    try {
      requirePlatformCaller(request, ports.callerAccount, ports.clock.now());
      requirePushTo("/events", request);
      const message = readPush(request);
      ports.tracer?.continueFrom(message.attributes[eventAttributes.traceparent]);
      told = envelopeOf(message);
      const event = readEvent(message);
      told = { ...told, eventId: event.id, eventType: event.type, accountId: event.accountId };
      const result = await consume(ports, consumer, event);
      return answered(ports, inAll(), result);
    } catch (error) {
      return failed(ports, inAll(), error);
    }
  };
}

/**
 * Lets nothing but a POST to the one path through.
 * @throws DomainError `route_unknown`, `method_not_allowed`
 */
export function requirePushTo(path: string, request: WireRequest): void {
  const asked = pathOf(request.target);
  if (asked !== path)
    throw refuse("route_unknown", `Unrecognized request URL (${request.method}: ${asked.slice(0, 200)}).`);
  if (request.method !== "POST") throw refuse("method_not_allowed", "Only POST is allowed here.");
}

/** What a log line tells of a delivery: ids and numbers, nothing of the content. */
type Told = Readonly<Record<string, unknown>>;

function envelopeOf({ messageId, subscription, deliveryAttempt }: PushedMessage): Told {
  return { messageId, subscription: subscription.split("/").at(-1), deliveryAttempt };
}

async function consume(
  ports: ConsumerPorts,
  consumer: EventConsumer,
  event: ConsumedEvent,
): Promise<Consumption | { readonly kind: "nothing" }> {
  const action = consumer.actionOf(event);
  if (action === null) return { kind: "nothing" };
  return await consumeEvent(ports, { consumer: consumer.name, event, action });
}

function answered(ports: ConsumerPorts, told: Told, result: Consumption | { readonly kind: "nothing" }): WireResponse {
  const outcome = result.kind === "done" ? result.outcome : result.kind;
  ports.log("INFO", "event consumed", { ...told, outcome });
  // Not an acknowledgement: if the other delivery dies, this one has to do it.
  return jsonResponse(result.kind === "busy" ? 409 : 200, { outcome });
}

function failed(ports: ConsumerPorts, told: Told, error: unknown): WireResponse {
  const response = errorResponseOf(error);
  const param = error instanceof DomainError ? error.param : undefined;
  ports.log("ERROR", "event not consumed", {
    ...told,
    ...{ status: response.status, param, ...errorFields(error) },
  });
  return response;
}
