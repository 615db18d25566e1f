/**
 * The webhook dispatcher over HTTP: Pub/Sub brings events, Cloud Tasks wake-ups, and a schedule starts the sweep.
 * It never answers an error for a merchant's failure: only its own failures may slow a queue down.
 */
import { refuse } from "../domain/errors.ts";
import { eventAttributes } from "../domain/events.ts";
import type { SecretBox } from "../domain/secret-box.ts";
import { type DeliveryWakeUp, deliveryPath } from "../domain/webhook-delivery.ts";
import type { Publisher } from "../flows/bus-ports.ts";
import { deliverWebhook } from "../flows/deliver-webhook.ts";
import type { Deliveries, DeliveryGate, EndpointHealthStore } from "../flows/delivery-ports.ts";
import { disableEndpoint } from "../flows/disable-endpoint.ts";
import type { Egress } from "../flows/egress-ports.ts";
import { fanOut } from "../flows/fan-out.ts";
import { deliveryGate } from "../flows/limit-deliveries.ts";
import type { Clock, Log, Random } from "../flows/ports.ts";
import { sweepDeliveries } from "../flows/sweep-deliveries.ts";
import type { TaskQueues, TaskQueuesCalling } from "../flows/task-ports.ts";
import type { Tracer } from "../flows/trace-ports.ts";
import type { WebhookEndpoints } from "../flows/webhook-endpoint-ports.ts";
import { errorFields } from "./error-line.ts";
import { errorResponseOf } from "./error-table.ts";
import { requirePlatformCaller } from "./platform-caller.ts";
import { readPush } from "./pubsub-push.ts";
import { readFannedEvent } from "./webhook-event.ts";
import { renderNotice } from "./webhook-notice.ts";
import { headerValues, jsonResponse, pathOf, type WireHandler, type WireRequest } from "./wire.ts";

/** What the dispatcher needs from the outside. */
export interface WebhookDispatcherPorts {
  readonly deliveries: Deliveries;
  readonly endpoints: WebhookEndpoints;
  readonly health: EndpointHealthStore;
  readonly box: SecretBox;
  readonly egress: Egress;
  readonly publisher: Publisher;
  /** Queues that call the function at a base URL: its own, as the request's Host tells it. */
  readonly tasks: TaskQueuesCalling;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Service account whose tokens it accepts: that of its subscription, its queues and its schedule. */
  readonly callerAccount: string;
  /** Goes on with the trace that a message or a task carries. */
  readonly tracer?: Tracer | undefined;
  /** What one instance lets through to one endpoint; production's limits by default. */
  readonly gate?: DeliveryGate;
}

/** The handler: `POST /events`, `/deliver` and `/sweep`, and `GET /health`. */
export function webhookDispatcher(ports: WebhookDispatcherPorts): WireHandler {
  const gate = ports.gate ?? deliveryGate(ports);
  const disable = disableEndpoint({ ...ports, renderNotice });
  const jobs = new Map<string, Job>([
    [
      "/events",
      async (request, tasks) => {
        const message = readPush(request);
        ports.tracer?.continueFrom(message.attributes[eventAttributes.traceparent]);
        const event = readFannedEvent(message);
        const { id: eventId, type: eventType, accountId } = event;
        const told = { eventId, eventType, accountId, messageId: message.messageId };
        return { told, result: await fanOut({ ...ports, tasks }, event) };
      },
    ],
    [
      deliveryPath,
      async (request, tasks) => {
        const { traceparent, ...wakeUp } = readWakeUp(request);
        ports.tracer?.continueFrom(traceparent);
        const did = await deliverWebhook({ ...ports, tasks, gate, disable }, wakeUp);
        return { told: { deliveryId: wakeUp.deliveryId, attempt: wakeUp.number ?? wakeUp.resendId }, result: { did } };
      },
    ],
    ["/sweep", async (_request, tasks) => ({ told: {}, result: await sweepDeliveries({ ...ports, tasks }) })],
  ]);
  return async (request) => {
    const path = pathOf(request.target);
    if (path === "/health") return jsonResponse(200, { status: "ok" });
    const startedAtMs = ports.clock.now();
    const durationMs = () => ports.clock.now() - startedAtMs;
    try {
      requirePlatformCaller(request, ports.callerAccount, ports.clock.now());
      const job = jobs.get(path);
      if (job === undefined) {
        throw refuse("route_unknown", `Unrecognized request URL (${request.method}: ${path.slice(0, 200)}).`);
      }
      if (request.method !== "POST") throw refuse("method_not_allowed", "Only POST is allowed here.");
      const { told, result } = await job(request, ports.tasks(ownUrl(request)));
      ports.log("INFO", messages[path] ?? "webhook work done", { ...told, ...result, durationMs: durationMs() });
      return jsonResponse(200, result);
    } catch (error) {
      return failed(ports.log, { path: path.slice(0, 200), durationMs: durationMs() }, error);
    }
  };
}

/** Ids for the log line, and what is answered. */
type Job = (request: WireRequest, tasks: TaskQueues) => Promise<{ readonly told: object; readonly result: object }>;

/** What the log says of each path. */
const messages: Readonly<Record<string, string>> = {
  "/events": "event fanned out",
  [deliveryPath]: "webhook wake-up done",
  "/sweep": "webhook deliveries swept",
};

/** No function's environment names its own URL; the Host is the token's audience, which was checked (design section 2). */
function ownUrl(request: WireRequest): string {
  return `https://${headerValues(request, "host")[0] ?? ""}`;
}

/**
 * What a task tells.
 * @throws DomainError `body_invalid` or `parameter_invalid`, which names the member
 */
function readWakeUp(request: WireRequest): DeliveryWakeUp & { readonly traceparent: string | undefined } {
  let body: Readonly<Record<string, unknown>> | null = null;
  try {
    body = JSON.parse(request.body.toString("utf8"));
  } catch {
    // Not kept as a cause: JSON.parse quotes the text.
  }
  if (typeof body !== "object" || body === null) throw refuse("body_invalid", "The body is not a JSON object.");
  const { deliveryId, redriveId, number, resendId, traceparent } = body;
  if (typeof deliveryId !== "string" || !/^wd_[0-9a-f]{32}$/.test(deliveryId)) throw invalid("deliveryId");
  if (redriveId !== null && typeof redriveId !== "string") throw invalid("redriveId");
  if (number !== null && !Number.isSafeInteger(number)) throw invalid("number");
  if (resendId !== null && typeof resendId !== "string") throw invalid("resendId");
  return {
    ...{ deliveryId, redriveId, number: number === null ? null : Number(number), resendId },
    traceparent: typeof traceparent === "string" ? traceparent : undefined,
  };
}

function invalid(name: string) {
  return refuse("parameter_invalid", `Member ${name} of the wake-up has a wrong form.`, { param: name });
}

function failed(log: Log, told: { readonly path: string; readonly durationMs: number }, error: unknown) {
  const response = errorResponseOf(error);
  log("ERROR", "webhook work failed", {
    ...told,
    ...{ status: response.status, ...errorFields(error) },
  });
  return response;
}
