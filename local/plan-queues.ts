// The task queues of the synthesized stacks: how fast they call, and how they retry.
// It must never leave out what a queue says: an override that is not understood stops the laptop.

import type { Backoff } from "./backoff.ts";
import { durationMs } from "./plan-durations.ts";
import type { PlannedResource } from "./plan-resources.ts";

/** One queue of Cloud Tasks. */
export type PlannedQueue = {
  /** Full resource name: `projects/…/locations/…/queues/…`. */
  name: string;
  dispatchesPerSecondMax: number;
  /** Calls in flight at once. */
  concurrentMax: number;
  retry: TaskRetry;
};

/** How a failed task is repeated, and when no more. */
export type TaskRetry = Backoff & {
  /** Counts the first attempt; -1 for no limit. */
  attemptsMax: number;
  /** Since the first attempt, in milliseconds; 0 for no limit. */
  durationMs: number;
};

/** All queues in the resources. What a queue does not say has Cloud Tasks' own default (facts on Google Cloud, 2.2). */
export function readQueues(resources: readonly PlannedResource[]): PlannedQueue[] {
  return resources.filter(({ type }) => type === "google_cloud_tasks_queue").map(queueOf);
}

function queueOf({ address, text, value }: PlannedResource): PlannedQueue {
  if (value("http_target") !== undefined) throw new Error(`plan: ${address} overrides the target of its tasks`);
  return {
    name: text("id"),
    dispatchesPerSecondMax: Number(value("rate_limits.max_dispatches_per_second") ?? 500),
    concurrentMax: Number(value("rate_limits.max_concurrent_dispatches") ?? 1_000),
    retry: {
      attemptsMax: Number(value("retry_config.max_attempts") ?? 100),
      durationMs: durationMs(address, value("retry_config.max_retry_duration") ?? "0s"),
      firstWaitMs: durationMs(address, value("retry_config.min_backoff") ?? "0.1s"),
      longestWaitMs: durationMs(address, value("retry_config.max_backoff") ?? "3600s"),
      doublings: Number(value("retry_config.max_doublings") ?? 16),
    },
  };
}
