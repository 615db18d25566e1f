/**
 * The sweep: finds deliveries whose task is overdue, and makes it anew under a name that was never used (design section 7).
 * It never sends, and never trusts that a task stands because its name was taken.
 */

import { sweptUp } from "../domain/delivery-record.ts";
import { deliveryTask } from "../domain/webhook-delivery.ts";
import type { Deliveries, VersionedDelivery } from "./delivery-ports.ts";
import type { Clock } from "./ports.ts";
import type { TaskQueues } from "./task-ports.ts";

/** What sweeping needs. */
export interface SweepDependencies {
  readonly deliveries: Deliveries;
  readonly tasks: TaskQueues;
  readonly clock: Pick<Clock, "now">;
}

/** How one sweep went; the numbers go into one log line. */
export interface Swept {
  /** Deliveries with a new task. */
  readonly requeued: number;
  /** True when there may be more than one sweep takes. */
  readonly isFull: boolean;
}

/**
 * One bounded sweep, longest overdue first.
 * @throws DomainError when a task could not be made; its delivery is found again
 */
export async function sweepDeliveries(deps: SweepDependencies): Promise<Swept> {
  const overdue = await deps.deliveries.overdue(deps.clock.now(), batchMax);
  let requeued = 0;
  for (let start = 0; start < overdue.length; start += atOnce) {
    const ends = await Promise.allSettled(overdue.slice(start, start + atOnce).map((found) => requeue(deps, found)));
    const failed = ends.find((end) => end.status === "rejected");
    if (failed !== undefined) throw failed.reason;
    requeued += ends.filter((end) => end.status === "fulfilled" && end.value).length;
  }
  return { requeued, isFull: overdue.length >= batchMax };
}

/** A lost queue of 100,000 tasks is back in 100 minutes; at 20 at once and 100 ms each a sweep takes 5 s. */
const batchMax = 1_000;
const atOnce = 20;

/** The epoch first: with the old name the task would be refused for about an hour after the lost one. */
async function requeue(deps: SweepDependencies, { delivery, version }: VersionedDelivery): Promise<boolean> {
  const swept = sweptUp(delivery, deps.clock.now());
  const kept = await deps.deliveries.replace(version, swept);
  if (kept.kind === "lost") return false;
  const task = deliveryTask(swept, false);
  if (task !== null) await deps.tasks.enqueue({ ...task, scheduleAtMs: null });
  return task !== null;
}
