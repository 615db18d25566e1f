/**
 * A Cloud Tasks queue: how fast it calls, and how it retries a worker that failed.
 * It must never be named without its generation: a deleted queue's name stays blocked for a week.
 */
import { CloudTasksQueue } from "@cdktf/provider-google/lib/cloud-tasks-queue/index.js";
import { CloudTasksQueueIamMember } from "@cdktf/provider-google/lib/cloud-tasks-queue-iam-member/index.js";
import type { ServiceAccount } from "@cdktf/provider-google/lib/service-account/index.js";
import { ServiceAccountIamMember } from "@cdktf/provider-google/lib/service-account-iam-member/index.js";
import { Construct } from "constructs";
import { queueName, type Settings } from "../settings.ts";
import type { Grant } from "./grants.ts";

/** How a queue works. */
export interface TaskQueueProperties {
  readonly settings: Settings;
  /** At most 500; what the queue may start in a second. */
  readonly dispatchesPerSecondMax: number;
  /** Calls in flight at once; the worker's instances times their concurrency must be able to hold them. */
  readonly concurrentMax: number;
  readonly retry: RetryNumbers;
}

/**
 * Waits grow from `backoffSecondsMin`, double `doublings` times, then grow by that last step until `backoffSecondsMax`.
 * `attemptsMax` counts the first attempt. There is no limit of time beside it: with one, the queue would stop only when
 * both were used up.
 */
export interface RetryNumbers {
  readonly attemptsMax: number;
  readonly backoffSecondsMin: number;
  readonly backoffSecondsMax: number;
  readonly doublings: number;
}

/** The queue. */
export class TaskQueue extends Construct {
  readonly queue: CloudTasksQueue;

  constructor(scope: Construct, name: string, { settings, retry, ...rates }: TaskQueueProperties) {
    super(scope, name);
    this.queue = new CloudTasksQueue(this, "queue", {
      project: settings.projectId,
      location: settings.region,
      name: queueName(settings, name),
      rateLimits: {
        maxDispatchesPerSecond: rates.dispatchesPerSecondMax,
        maxConcurrentDispatches: rates.concurrentMax,
      },
      retryConfig: {
        maxAttempts: retry.attemptsMax,
        maxRetryDuration: NO_LIMIT_OF_TIME,
        minBackoff: `${retry.backoffSecondsMin}s`,
        maxBackoff: `${retry.backoffSecondsMax}s`,
        maxDoublings: retry.doublings,
      },
    });
  }
}

/**
 * Put tasks into queues that call a function as the account `caller`: the right to create a task, and the right to hand out
 * the caller's name with it. That Cloud Tasks signs the caller's token, and that it is let in, are grants of a
 * `FunctionCaller`; that one stands on the called function, which may itself be the one that enqueues.
 */
export function enqueueInto(queues: readonly TaskQueue[], caller: ServiceAccount): Grant {
  return (scope, member) => {
    const mayEnqueue = queues.map(
      ({ queue, node }) =>
        new CloudTasksQueueIamMember(scope, `enqueues-into-${node.id}`, {
          project: queue.project,
          location: queue.location,
          name: queue.name,
          role: "roles/cloudtasks.enqueuer",
          member,
        }),
    );
    return new ServiceAccountIamMember(scope, `acts-as-${caller.node.id}`, {
      serviceAccountId: caller.name,
      role: "roles/iam.serviceAccountUser",
      member,
      // Whoever waits for this one waits for all of them.
      dependsOn: mayEnqueue,
    });
  };
}

/** Zero seconds is how the API spells it. */
const NO_LIMIT_OF_TIME = "0s";
