/**
 * What a person asks the dispatcher to send: a delivery again, a dead one for three days more, or a test event.
 * It never sends itself: it changes the record, and a task wakes the dispatcher.
 */

import { newDelivery, redriven, withResend } from "../domain/delivery-record.ts";
import { type DomainError, refuse } from "../domain/errors.ts";
import type { StoredOutcome } from "../domain/idempotency.ts";
import type { IntendedUse } from "../domain/intention.ts";
import { deliveryTask, isBusy, noSuchDelivery, resentAs, type WebhookDelivery } from "../domain/webhook-delivery.ts";
import { intentionId, noSuchEndpoint, testEventType, type WebhookEndpoint } from "../domain/webhook-endpoint.ts";
import type { Deliveries, DeliveryRenderer, VersionedDelivery } from "./delivery-ports.ts";
import type { Clock, Renderer } from "./ports.ts";
import type { TaskQueues } from "./task-ports.ts";
import type { WebhookEndpoints } from "./webhook-endpoint-ports.ts";

/** What sending again needs. */
export interface SendAgainDependencies {
  readonly clock: Pick<Clock, "now">;
  readonly renderer: Pick<Renderer, "errorAnswer">;
  readonly webhooks: {
    readonly endpoints: WebhookEndpoints;
    readonly deliveries: Deliveries;
    readonly deliveryRenderer: DeliveryRenderer;
    readonly tasks: TaskQueues;
  };
}

/**
 * A resend: one attempt outside the schedule, under an id of its own.
 * It rejects with `delivery_in_flight` (409, never stored) while an attempt is being sent or another resend waits.
 */
export async function resendDelivery(
  deps: SendAgainDependencies,
  use: IntendedUse,
  { deliveryId }: { readonly deliveryId: string },
): Promise<StoredOutcome> {
  const resendId = intentionId("rs", use);
  return await change(deps, use, deliveryId, async (delivery) => {
    if (resentAs(delivery, resendId)) return delivery;
    if ((await enabledEndpoint(deps, delivery)) === undefined) return endpointNotEnabled();
    if (isBusy(delivery, deps.clock.now())) throw inFlight();
    return withResend(delivery, resendId, deps.clock.now());
  });
}

/** A redrive: a dead delivery gets a new window of three days, once for each redrive. It rejects as a resend does. */
export async function redriveDelivery(
  deps: SendAgainDependencies,
  use: IntendedUse,
  { deliveryId }: { readonly deliveryId: string },
): Promise<StoredOutcome> {
  const redriveId = intentionId("rd", use);
  return await change(deps, use, deliveryId, async (delivery) => {
    if (delivery.window.redriveId === redriveId) return delivery;
    if (delivery.state !== "dead") return notDead(delivery);
    if ((await enabledEndpoint(deps, delivery)) === undefined) return endpointNotEnabled();
    // A resend that is being sent may end the delivery; its record would be lost otherwise.
    if (isBusy(delivery, deps.clock.now())) throw inFlight();
    return redriven(delivery, redriveId, deps.clock.now());
  });
}

/** A test event: a delivery of an event that exists nowhere else, to this one endpoint. */
export async function sendTestEvent(
  deps: SendAgainDependencies,
  use: IntendedUse,
  { endpointId }: { readonly endpointId: string },
): Promise<StoredOutcome> {
  const { deliveries, deliveryRenderer, endpoints, tasks } = deps.webhooks;
  const { accountId } = use;
  const refused = (error: DomainError) => deps.renderer.errorAnswer(error, null);
  const endpoint = (await endpoints.read(accountId, null)).endpoints.find(({ id }) => id === endpointId);
  if (endpoint === undefined) return refused(noSuchEndpoint(endpointId));
  if (endpoint.status !== "enabled") return refused(endpointNotEnabled());
  const nowMs = deps.clock.now();
  const eventId = intentionId("evt", use);
  const body = deliveryRenderer.testEvent(eventId, endpoint, nowMs);
  const about = { accountId, endpointId, eventId, eventType: testEventType, body };
  const made = newDelivery(about, nowMs);
  const end = await deliveries.create(made);
  const delivery = end === "created" ? made : ((await deliveries.read(made.id))?.delivery ?? made);
  await ensureTask(tasks, delivery);
  return deliveryRenderer.deliveryAnswer(delivery);
}

/** A delivery's record is changed by its own attempts, seconds apart; whoever loses so often meets something else. */
const runsMax = 5;

/** Changes a delivery of the account, unless it is as it should be, and makes sure of its task. */
async function change(
  { webhooks, renderer }: SendAgainDependencies,
  { accountId }: IntendedUse,
  deliveryId: string,
  decide: (delivery: WebhookDelivery) => Promise<WebhookDelivery | DomainError>,
): Promise<StoredOutcome> {
  const refused = (error: DomainError) => renderer.errorAnswer(error, null);
  const { deliveries, deliveryRenderer, tasks } = webhooks;
  for (let run = 1; ; run += 1) {
    const found: VersionedDelivery | undefined = await deliveries.read(deliveryId);
    if (found === undefined || found.delivery.accountId !== accountId) return refused(noSuchDelivery(deliveryId));
    const changed = await decide(found.delivery);
    if (changed instanceof Error) return refused(changed);
    const isNew = changed !== found.delivery;
    // Not before a last look: a replace whose reply was lost looks like one that came too late.
    if (isNew && run > runsMax) throw inFlight();
    if (isNew && (await deliveries.replace(found.version, changed)).kind === "lost") continue;
    await ensureTask(tasks, changed);
    return deliveryRenderer.deliveryAnswer(changed);
  }
}

async function ensureTask(tasks: TaskQueues, delivery: WebhookDelivery): Promise<void> {
  const task = deliveryTask(delivery, true);
  // A retry's task is the dispatcher's own affair; whoever asks from outside wakes it for first attempts and resends only.
  if (task?.queue === "webhookFast") await tasks.enqueue(task);
}

async function enabledEndpoint(
  { webhooks }: SendAgainDependencies,
  { accountId, endpointId }: WebhookDelivery,
): Promise<WebhookEndpoint | undefined> {
  const { endpoints } = await webhooks.endpoints.read(accountId, null);
  return endpoints.find(({ id, status }) => id === endpointId && status === "enabled");
}

function inFlight(): DomainError {
  return refuse("delivery_in_flight", "An attempt of this delivery is being sent right now. Please retry in a moment.");
}

function endpointNotEnabled(): DomainError {
  const message = "The webhook endpoint is disabled or deleted, so nothing is sent to it.";
  return refuse("parameter_invalid", message, { param: "webhook_endpoint" });
}

function notDead({ state }: WebhookDelivery): DomainError {
  const message = `This delivery is ${state}; only one that ended as a dead letter can be redriven.`;
  return refuse("parameter_invalid", message, { param: "webhook_delivery" });
}
