/**
 * What the flows need of a queue of tasks: types only (design sections 5 and 7).
 * It never carries the work itself: what is due is a row or a document, and a task is only a wake-up for it.
 */

/** The queues of the stacks; each one calls a single function (`messaging-stack.ts` has their speeds). */
export type QueueName = "webhookFast" | "webhookSlow" | "settlements";

/** One call to make later, to the function that the queue is for. */
export interface WakeUp {
  readonly queue: QueueName;
  /**
   * Two wake-ups of one name in one queue are one, as long as the first waits and for about an hour after it ran or was
   * deleted (facts on Google Cloud, 5.1). That is a saving and no guarantee: the receiver decides by its own row whether
   * something is left to do. Any text, ids only; null for a wake-up that may be doubled.
   */
  readonly name: string | null;
  /**
   * What the wake-up is about, where the queue has shards: wake-ups of one value share a shard, whatever else differs.
   * Any text; absent for a queue without shards.
   */
  readonly shardBy?: string;
  /** Path on the function, with the leading slash, for example `/settle`. */
  readonly path: string;
  /** What the function is told, as JSON: ids and counts, never payloads; at most 32 KiB. */
  readonly body: Readonly<Record<string, string | number | boolean | null>>;
  /** When the call may be made, in milliseconds since the epoch, at most 30 days ahead; null for at once. */
  readonly scheduleAtMs: number | null;
  /**
   * The trace that the call goes on with, as a value of `traceparent`. It goes into the header of that name, and into the
   * body too, because the platform may replace the header's span by one of its own.
   */
  readonly traceparent?: string | undefined;
}

/** Queues that call functions. */
export interface TaskQueues {
  /**
   * Puts the wake-up into its queue. `exists`: one of this name is waiting, or was there lately; either way a caller is
   * done. Rejects with `store_unavailable` when it is unknown whether the task stands (the sweep makes good for it), with
   * `permission_denied` for a missing grant, with `internal` for a wake-up that no queue takes.
   */
  enqueue(task: WakeUp): Promise<"enqueued" | "exists">;
}

/**
 * Queues whose tasks call the function at `targetUrl`: its base URL, without a trailing slash. A function that wakes itself
 * knows its own URL only from a request (design section 2), so it asks for its queues anew each time.
 */
export type TaskQueuesCalling = (targetUrl: string) => TaskQueues;
