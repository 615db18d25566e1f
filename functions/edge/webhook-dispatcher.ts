/**
 * The webhook dispatcher over HTTP: Pub/Sub brings events, Cloud Tasks wake-ups, a schedule starts the sweep, and ledger-writer
 * has it carry out what a worker of payments-api announced and did not end.
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
import { isRefusal } from "../flows/idempotently-intention.ts";
import { deliveryGate } from "../flows/limit-deliveries.ts";
import type { Clock, Log, Random } from "../flows/ports.ts";
import { sweepDeliveries } from "../flows/sweep-deliveries.ts";
import type { TaskQueues, TaskQueuesCalling } from "../flows/task-ports.ts";
import type { Tracer } from "../flows/trace-ports.ts";
import type { WebhookEndpoints } from "../flows/webhook-endpoint-ports.ts";
import { errorFields } from "./error-line.ts";
import { errorResponseOf } from "./error-table.ts";
import { readIntended } from "./intention-body.ts";
import { performIntention } from "./intentions.ts";
import { requirePlatformCaller } from "./platform-caller.ts";
import { readPush } from "./pubsub-push.ts";
import { wireRenderer } from "./renderer.ts";
import { wireDeliveryRenderer } from "./serialize-webhook-delivery.ts";
import { wireEndpointRenderer } from "./serialize-webhook-endpoint.ts";
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
  /** The same of ledger-writer, which may ask for nothing but `/carry-out`. */
  readonly intentionsCaller: string;
  /** Goes on with the trace that a message or a task carries. */
  readonly tracer?: Tracer | undefined;
  /** What one instance lets through to one endpoint; production's limits by default. */
  readonly gate?: DeliveryGate;
}

/** The handler: `POST /events`, `/deliver`, `/sweep` and `/carry-out`, and `GET /health`. */
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
        const result = await fanOut({ ...ports, tasks }, event);
        return { told: { ...told, ...result }, result };
      },
    ],
    [
      deliveryPath,
      async (request, tasks) => {
        const { traceparent, ...wakeUp } = readWakeUp(request);
        ports.tracer?.continueFrom(traceparent);
        const did = await deliverWebhook({ ...ports, tasks, gate, disable }, wakeUp);
        const attempt = wakeUp.number ?? wakeUp.resendId;
        return { told: { deliveryId: wakeUp.deliveryId, attempt, did }, result: { did } };
      },
    ],
    [
      "/sweep",
      async (_request, tasks) => {
        const result = await sweepDeliveries({ ...ports, tasks });
        return { told: result, result };
      },
    ],
    [carryOutPath, (request, tasks) => carryOut(ports, tasks, request)],
  ]);
  return async (request) => {
    const path = pathOf(request.target);
    if (path === "/health") return jsonResponse(200, { status: "ok" });
    const startedAtMs = ports.clock.now();
    const durationMs = () => ports.clock.now() - startedAtMs;
    try {
      const caller = path === carryOutPath ? ports.intentionsCaller : ports.callerAccount;
      requirePlatformCaller(request, caller, ports.clock.now());
      const job = jobs.get(path);
      if (job === undefined) {
        throw refuse("route_unknown", `Unrecognized request URL (${request.method}: ${path.slice(0, 200)}).`);
      }
      if (request.method !== "POST") throw refuse("method_not_allowed", "Only POST is allowed here.");
      const { told, result } = await job(request, ports.tasks(ownUrl(request)));
      ports.log("INFO", messages[path] ?? "webhook work done", { ...told, durationMs: durationMs() });
      return jsonResponse(200, result);
    } catch (error) {
      return failed(ports.log, { path: path.slice(0, 200), durationMs: durationMs() }, error);
    }
  };
}

/** Where ledger-writer asks. */
const carryOutPath = "/carry-out";

/** Carries out what a key row announced, and answers with the outcome to store; the answer is for ledger-writer alone. */
async function carryOut(ports: WebhookDispatcherPorts, tasks: TaskQueues, { body }: WireRequest) {
  const { use, intention } = readIntended(body);
  const renderers = { renderer: wireEndpointRenderer, deliveryRenderer: wireDeliveryRenderer };
  const deps = { ...ports, renderer: wireRenderer(), webhooks: { ...ports, ...renderers, tasks } };
  const told = { keyId: use.keyHash, accountId: use.accountId, verb: intention.verb };
  try {
    const outcome = await performIntention(deps, use, intention);
    const bytes = outcome.body === null ? null : Buffer.from(outcome.body).toString("base64");
    return { told: { ...told, status: outcome.status }, result: { status: outcome.status, body: bytes } };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return { told: { ...told, busy: error.code }, result: { busy: true } };
  }
}

/** Ids and numbers for the log line, and what is answered. */
type Job = (request: WireRequest, tasks: TaskQueues) => Promise<{ readonly told: object; readonly result: object }>;

/** What the log says of each path. */
const messages: Readonly<Record<string, string>> = {
  "/events": "event fanned out",
  [deliveryPath]: "webhook wake-up done",
  "/sweep": "webhook deliveries swept",
  [carryOutPath]: "intention carried out",
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
