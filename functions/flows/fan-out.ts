/**
 * Fan-out: one delivery and one task for each endpoint that wants an event.
 * It never sends, and never makes a second delivery of an event to an endpoint, however often the event comes.
 */

import { newDelivery } from "../domain/delivery-record.ts";
import { type DeliveryTask, deliveryTask } from "../domain/webhook-delivery.ts";
import { type WebhookEndpoint, wantsEvent } from "../domain/webhook-endpoint.ts";
import type { Deliveries, EndpointHealthStore } from "./delivery-ports.ts";
import type { Clock } from "./ports.ts";
import type { TaskQueues } from "./task-ports.ts";
import type { Tracer } from "./trace-ports.ts";
import type { WebhookEndpoints } from "./webhook-endpoint-ports.ts";

/** What fanning out needs. */
export interface FanOutDependencies {
  readonly deliveries: Deliveries;
  readonly endpoints: WebhookEndpoints;
  readonly health: EndpointHealthStore;
  readonly tasks: TaskQueues;
  readonly clock: Pick<Clock, "now">;
  /** Knows the trace that the deliveries go on with. */
  readonly tracer?: Pick<Tracer, "traceparent"> | undefined;
}

/** An event as the bus brought it. */
export interface FannedEvent {
  readonly id: string;
  readonly type: string;
  readonly accountId: string;
  /** To the second, as events tell it. */
  readonly createdAtMs: number;
  /** Its bytes for the receivers, rendered once for all of them. */
  readonly render: (receivers: number) => Uint8Array;
}

/** How many deliveries were made, and how many stood already. */
export interface FannedOut {
  readonly created: number;
  readonly known: number;
}

/**
 * Makes the deliveries, each with its first task; what stands already keeps its bytes and gets its task again.
 * @throws DomainError when one of them could not be made: the bus then brings the event again
 */
export async function fanOut(deps: FanOutDependencies, event: FannedEvent): Promise<FannedOut> {
  const { endpoints } = await deps.endpoints.read(event.accountId, null);
  const wanting = endpoints.filter((endpoint) => wantsEvent(endpoint, event));
  if (wanting.length === 0) return { created: 0, known: 0 };
  const body = event.render(wanting.length);
  const ends = await Promise.allSettled(wanting.map((endpoint) => fanOutTo(deps, event, endpoint, body)));
  const failed = ends.find((end) => end.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  const created = ends.filter((end) => end.status === "fulfilled" && end.value === "created").length;
  return { created, known: wanting.length - created };
}

async function fanOutTo(
  deps: FanOutDependencies,
  event: FannedEvent,
  endpoint: WebhookEndpoint,
  body: Uint8Array,
): Promise<"created" | "exists"> {
  const about = { accountId: event.accountId, endpointId: endpoint.id, eventId: event.id, eventType: event.type, body };
  const traceparent = deps.tracer?.traceparent();
  const delivery = newDelivery(traceparent === undefined ? about : { ...about, traceparent }, deps.clock.now());
  const [made, health] = await Promise.all([deps.deliveries.create(delivery), deps.health.read(endpoint.id)]);
  // A copy of the event came before, or this one's reply was lost: whether its task was made nobody knows.
  const standing = made === "created" ? delivery : (await deps.deliveries.read(delivery.id))?.delivery;
  const isHealthy = (health?.failedAtMs.length ?? 0) === 0;
  const task: DeliveryTask | null = standing === undefined ? null : deliveryTask(standing, isHealthy);
  if (task !== null) await deps.tasks.enqueue(task);
  return made;
}
