/**
 * The queues in memory, for tests of what enqueues: they keep what was put in until a test takes it out.
 * It must never call anybody by itself, and never answer in the same turn of the event loop.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { wakeUpBody } from "../../domain/wake-up.ts";
import type { Clock } from "../../flows/ports.ts";
import type { QueueName, TaskQueues, WakeUp } from "../../flows/task-ports.ts";

/** Empty queues. */
export function memoryTaskQueues({ clock }: { readonly clock: Pick<Clock, "now"> }): MemoryTaskQueues {
  let waiting: WakeUp[] = [];
  /** End of each name's tombstone in milliseconds since the epoch, by queue and name. */
  const tombstones = new Map<string, number>();
  const bury = ({ queue, name }: WakeUp) => {
    if (name !== null) tombstones.set(keyOf(queue, name), clock.now() + tombstoneMs);
  };
  const isTaken = (queue: QueueName, name: string) =>
    waiting.some((task) => task.queue === queue && task.name === name) ||
    (tombstones.get(keyOf(queue, name)) ?? 0) > clock.now();
  /** Removes what the condition names, and gives it in the order in which it is due. */
  const remove = (isRemoved: (task: WakeUp) => boolean) => {
    const removed = dueOrder(waiting.filter(isRemoved));
    waiting = waiting.filter((task) => !isRemoved(task));
    for (const task of removed) bury(task);
    return removed;
  };
  return {
    enqueue: async (offered) => {
      const task = structuredClone(offered);
      await nextTurn();
      wakeUpBody(task, clock.now());
      if (task.name !== null && isTaken(task.queue, task.name)) return "exists";
      waiting.push(task);
      return "enqueued";
    },
    waiting: () => structuredClone(dueOrder(waiting)),
    takeDue: () => {
      const nowMs = clock.now();
      return remove(({ scheduleAtMs }) => (scheduleAtMs ?? nowMs) <= nowMs);
    },
    purge: (queue) => void remove((task) => task.queue === queue),
  };
}

/** The queues with what tests may do beyond the port. */
export interface MemoryTaskQueues extends TaskQueues {
  /** A copy of what waits: at once first, then by time, then in the order in which it was put in. */
  waiting(): readonly WakeUp[];
  /** Takes out what is due, as if it ran with success. */
  takeDue(): readonly WakeUp[];
  /** Deletes everything that waits in one queue, as an operator does. */
  purge(queue: QueueName): void;
}

/** An hour: what the API names for a task that ran or was deleted (facts on Google Cloud, 5.1). */
const tombstoneMs = 60 * 60 * 1000;

function keyOf(queue: QueueName, name: string): string {
  return `${queue} ${name}`;
}

function dueOrder(tasks: readonly WakeUp[]): WakeUp[] {
  return [...tasks].sort((one, other) => (one.scheduleAtMs ?? 0) - (other.scheduleAtMs ?? 0));
}
