/**
 * One attempt of a delivery: claim it on the record, send, record what came back, make the task of what comes next.
 * It never answers a merchant's failure with an error: the queue would slow down for everybody (design section 7).
 */
import {
  complete,
  type EndpointState,
  type FailedAttempt,
  judge,
  nextStep,
  type SuccessfulAttempt,
  stepInsteadOf,
  type Trigger,
} from "../domain/delivery.ts";
import { claimed, putOff, recorded, unsent } from "../domain/delivery-record.ts";
import { deliveryRequest } from "../domain/delivery-request.ts";
import {
  afterFailure,
  afterSuccess,
  type EndpointHealth,
  freshHealth,
  opensBreaker,
} from "../domain/endpoint-health.ts";
import { openSecrets } from "../domain/endpoint-secrets.ts";
import type { SecretBox } from "../domain/secret-box.ts";
import { activeSecrets } from "../domain/signature.ts";
import { type DeliveryWakeUp, deliveryTask, lookAt, type WebhookDelivery } from "../domain/webhook-delivery.ts";
import type { DisabledBecause, WebhookEndpoint } from "../domain/webhook-endpoint.ts";
import type { Deliveries, DeliveryGate, EndpointHealthStore, VersionedDelivery } from "./delivery-ports.ts";
import type { Egress } from "./egress-ports.ts";
import type { Clock, Log, Random } from "./ports.ts";
import type { TaskQueues } from "./task-ports.ts";
import type { WebhookEndpoints } from "./webhook-endpoint-ports.ts";

/** What an attempt needs. */
export interface DeliverDependencies {
  readonly deliveries: Deliveries;
  readonly endpoints: WebhookEndpoints;
  readonly health: EndpointHealthStore;
  readonly box: SecretBox;
  readonly egress: Egress;
  readonly gate: DeliveryGate;
  readonly tasks: TaskQueues;
  /** Switches an endpoint off and tells of it; doing it twice changes nothing. */
  readonly disable: (endpoint: WebhookEndpoint, because: DisabledBecause) => Promise<void>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** What a wake-up came to. */
export type Delivered =
  | "sent"
  /** The endpoint is disabled or gone, or the time is over: nothing was sent, and that is recorded. */
  | "not_sent"
  | "put_off"
  /** Only the task of what comes next was made sure of. */
  | "ensured"
  /** Another instance is sending, or has just claimed it. */
  | "busy"
  | "nothing";

/**
 * Does what the wake-up is for, as far as the record agrees. It may run any number of times for one wake-up.
 * @throws DomainError of a store or a queue, and then the queue calls again
 */
export async function deliverWebhook(deps: DeliverDependencies, wakeUp: DeliveryWakeUp): Promise<Delivered> {
  const found = await deps.deliveries.read(wakeUp.deliveryId);
  if (found === undefined) return "nothing";
  const look = lookAt(found.delivery, wakeUp, deps.clock.now());
  if (look.kind === "attempt") return await attempt(deps, found, look.trigger);
  if (look.kind !== "ensure") return look.kind;
  await ensureNext(deps, found.delivery, false);
  return "ensured";
}

async function attempt(deps: DeliverDependencies, found: VersionedDelivery, trigger: Trigger): Promise<Delivered> {
  const { delivery, version } = found;
  const [endpoint, record] = await Promise.all([ownEndpoint(deps, delivery), deps.health.read(delivery.endpointId)]);
  const startedAtMs = deps.clock.now();
  const health = healthSince(record, endpoint);
  const instead = stepInsteadOf({ deliveryId: delivery.id, trigger, startedAtMs }, stateOf(endpoint), delivery.window);
  if (instead !== null || endpoint === undefined) {
    const step = instead ?? ({ kind: "unchanged" } as const);
    const ended = await keep(deps, version, unsent(delivery, trigger, step, startedAtMs), isHealthy(health));
    return ended ? "not_sent" : "busy";
  }
  const entry = deps.gate.enter(endpoint.id, isHealthy(health), delivery.id);
  if (entry.kind === "waits") {
    const ended = await keep(deps, version, putOff(delivery, trigger, entry.atMs), false);
    return ended ? "put_off" : "busy";
  }
  try {
    return await send(deps, found, trigger, endpoint, health);
  } finally {
    deps.gate.leave(endpoint.id);
  }
}

/** Claims, sends and records, in this order: a claim without a record is an attempt that is made again. */
async function send(
  deps: DeliverDependencies,
  { delivery, version }: VersionedDelivery,
  trigger: Trigger,
  endpoint: WebhookEndpoint,
  health: EndpointHealth,
): Promise<Delivered> {
  const startedAtMs = deps.clock.now();
  const attemptId = deps.random.id("wa");
  const held = claimed(delivery, trigger, attemptId, startedAtMs);
  const claim = await deps.deliveries.replace(version, held);
  if (claim.kind === "lost") return "busy";

  const pending = { deliveryId: delivery.id, trigger, startedAtMs };
  const exchange = await deps.egress.post(requestOf(deps.box, endpoint, delivery, startedAtMs));
  const judged = judge(complete(pending, exchange, deps.clock.now()));
  const after = healthAfter(health, judged);
  const step = nextStep(judged, delivery.window);

  // Before the record: once it stands, nobody comes again to switch the endpoint off.
  if (step.kind === "dead_letter" && step.disablesEndpoint) await deps.disable(endpoint, "gone");
  else if (judged.outcome === "failed" && opensBreaker(after, judged.endedAtMs))
    await deps.disable(endpoint, "failing");
  if (after !== health) await deps.health.write(endpoint.id, after);

  const ended = recorded(held, judged, attemptId, step);
  tell(deps.log, ended, judged);
  return (await keep(deps, claim.version, ended, isHealthy(after))) ? "sent" : "busy";
}

/** Writes the record and makes the next task; false when somebody else wrote it meanwhile, who then does both. */
async function keep(
  deps: DeliverDependencies,
  version: string,
  delivery: WebhookDelivery,
  healthy: boolean,
): Promise<boolean> {
  const kept = await deps.deliveries.replace(version, delivery);
  if (kept.kind === "lost") return false;
  if (delivery.dead !== null) {
    const { id: deliveryId, endpointId, accountId, eventId, dead } = delivery;
    deps.log("WARNING", "webhook delivery dead", { deliveryId, endpointId, accountId, eventId, reason: dead.reason });
  }
  await ensureNext(deps, delivery, healthy);
  return true;
}

async function ensureNext({ tasks }: DeliverDependencies, delivery: WebhookDelivery, healthy: boolean): Promise<void> {
  const task = deliveryTask(delivery, healthy);
  // A name that is taken is fine: the task stands, or it ran and the record says what became of it.
  if (task !== null) await tasks.enqueue(task);
}

function requestOf(box: SecretBox, endpoint: WebhookEndpoint, delivery: WebhookDelivery, signedAtMs: number) {
  const secrets = activeSecrets(openSecrets(box, endpoint), signedAtMs);
  const { eventId, body } = delivery;
  return deliveryRequest({ url: endpoint.url, eventId, body }, secrets, signedAtMs);
}

async function ownEndpoint(
  deps: DeliverDependencies,
  { accountId, endpointId }: WebhookDelivery,
): Promise<WebhookEndpoint | undefined> {
  const { endpoints } = await deps.endpoints.read(accountId, null);
  return endpoints.find(({ id }) => id === endpointId);
}

function stateOf(endpoint: WebhookEndpoint | undefined): EndpointState {
  return endpoint === undefined ? "deleted" : endpoint.status;
}

/** What an endpoint did before it was enabled again does not count against it. */
function healthSince(record: EndpointHealth | undefined, endpoint: WebhookEndpoint | undefined): EndpointHealth {
  if (record === undefined || endpoint === undefined) return freshHealth;
  const [firstMs] = record.failedAtMs;
  return firstMs !== undefined && firstMs < endpoint.enabledAtMs ? { ...record, failedAtMs: [] } : record;
}

function isHealthy(health: EndpointHealth): boolean {
  return health.failedAtMs.length === 0;
}

/** An address that we never dial says nothing of the receiver's health, but its endpoint fails all the same. */
function healthAfter(
  health: EndpointHealth,
  { outcome, endedAtMs }: SuccessfulAttempt | FailedAttempt,
): EndpointHealth {
  return outcome === "succeeded" ? afterSuccess(health, endedAtMs) : afterFailure(health, endedAtMs);
}

/** One line for each attempt: ids, codes and milliseconds; nothing of what the receiver said. */
function tell(log: Log, delivery: WebhookDelivery, attempt: SuccessfulAttempt | FailedAttempt): void {
  const { id: deliveryId, endpointId, accountId, eventId, eventType, next } = delivery;
  const { trigger, exchange, startedAtMs, endedAtMs } = attempt;
  log("INFO", "webhook attempt", {
    ...{ deliveryId, endpointId, accountId, eventId, eventType },
    attempt: trigger.kind === "schedule" ? trigger.number : trigger.resendId,
    outcome: attempt.outcome,
    ...(attempt.outcome === "failed" ? { failure: attempt.failure } : {}),
    ...(exchange.kind === "answered" ? { status: exchange.status } : {}),
    durationMs: endedAtMs - startedAtMs,
    nextAtMs: next?.atMs ?? null,
  });
}
