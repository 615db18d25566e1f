// One queue of Cloud Tasks over time: which task is called when, how a failed one is repeated, and when it is given up.
// It must never make a call by itself, run one task twice at the same time, or keep anything of a task that is done but its name.

import type { Log } from "../functions/flows/ports.ts";
import { backoffMs } from "./backoff.ts";
import { heap } from "./heap.ts";
import type { MovableClock } from "./movable-clock.ts";
import type { PlannedQueue, TaskRetry } from "./plan-queues.ts";
import { type TokenBucket, tokenBucket } from "./token-bucket.ts";

/** A running queue. */
export type TaskQueue<Work> = {
  /** Takes a task, due at a time in milliseconds; `exists` when its id waits, or was there less than an hour ago. */
  add(task: { id: string; work: Work; dueMs: number }): "created" | "exists";
  /** What waits or runs: id, next time, attempts so far. */
  list(): { id: string; dueMs: number; attempts: number }[];
  /** Deletes every task; one that runs is not repeated. */
  purge(): void;
  /** Makes no more calls. */
  stop(): void;
};

/** One call of a task. */
export type Dispatch<Work> = {
  id: string;
  work: Work;
  /** When it was due. */
  dueMs: number;
  /** Calls before this one. */
  attempts: number;
  /** Those that the function answered with anything but 5xx. */
  answered: number;
  /** Status of the last answer, 0 when there was none; undefined at the first call. */
  lastStatus: number | undefined;
};

/** What came of a call: the status, 0 without an answer, and the wait that the answer asked for. */
export type Outcome = { status: number; retryAfterMs: number };

/** What a queue stands on. */
export type TaskQueueDependencies<Work> = {
  clock: MovableClock;
  log: Log;
  /** Makes the call; must not reject. */
  dispatch(task: Dispatch<Work>): Promise<Outcome>;
};

/** An empty queue. */
export function taskQueue<Work>(deps: TaskQueueDependencies<Work>, planned: PlannedQueue): TaskQueue<Work> {
  const { clock } = deps;
  const tasks = new Map<string, Task<Work>>();
  const names = tombstones();
  const remove = (task: Task<Work>) => {
    tasks.delete(task.id);
    names.bury(task.id, clock.now());
  };
  const pace = pacer<Task<Work>>(clock, planned, async (task, bucket) => {
    task.firstAtMs ??= clock.now();
    const outcome = await clock.hold(deps.dispatch(task));
    note(task, outcome, bucket);
    if (tasks.get(task.id) !== task) return;
    if (settle(deps, planned, task, outcome)) pace.push(task.dueMs, task);
    else remove(task);
  });
  return {
    add: ({ id, work, dueMs }) => {
      const createdAtMs = clock.now();
      if (tasks.has(id) || names.has(id, createdAtMs)) return "exists";
      const task = {
        id,
        work,
        dueMs,
        createdAtMs,
        firstAtMs: undefined,
        attempts: 0,
        answered: 0,
        lastStatus: undefined,
      };
      tasks.set(id, task);
      pace.push(dueMs, task);
      return "created";
    },
    list: () => [...tasks.values()].map(({ id, dueMs, attempts }) => ({ id, dueMs, attempts })),
    purge: () => {
      for (const task of tasks.values()) remove(task);
      pace.clear();
    },
    stop: pace.stop,
  };
}

/** Starts what is due, one after the other, as fast and as many at once as the queue may. */
function pacer<Thing>(
  clock: MovableClock,
  { dispatchesPerSecondMax, concurrentMax }: PlannedQueue,
  run: (thing: Thing, bucket: TokenBucket) => Promise<void>,
) {
  const due = heap<Thing>();
  const bucket = tokenBucket(dispatchesPerSecondMax, clock.now());
  let running = 0;
  let isStopped = false;
  let cancel = () => {};
  const start = async (thing: Thing) => {
    running += 1;
    await run(thing, bucket);
    running -= 1;
    pump();
  };
  const pump = () => {
    cancel();
    // Nothing to plan at the limit: the end of a call comes here again.
    while (!isStopped && running < concurrentMax) {
      const next = due.first();
      if (next === undefined) return;
      const nowMs = clock.now();
      const waitMs = Math.max(next.dueMs - nowMs, bucket.waitMs(nowMs));
      if (waitMs > 0) {
        cancel = clock.after(waitMs, pump);
        return;
      }
      due.pop();
      bucket.take(nowMs);
      void start(next.thing);
    }
  };
  return {
    push: (dueMs: number, thing: Thing) => {
      due.push(dueMs, thing);
      pump();
    },
    clear: () => {
      due.clear();
      cancel();
    },
    stop: () => {
      isStopped = true;
      cancel();
    },
  };
}

type Task<Work> = Dispatch<Work> & { createdAtMs: number; firstAtMs: number | undefined };

/** An overloaded function slows its whole queue down, whichever task met it (facts on Google Cloud, 5.1). */
function note(task: Task<unknown>, { status }: Outcome, bucket: TokenBucket): void {
  task.attempts += 1;
  if (status > 0 && status < 500) task.answered += 1;
  task.lastStatus = status;
  if (status === 429 || status === 503) bucket.slowDown();
  if (isSuccess(status)) bucket.speedUp();
}

/** True when the task has another attempt, with its time set; false when it is done or given up. */
function settle(
  { clock, log }: Pick<TaskQueueDependencies<never>, "clock" | "log">,
  { name, retry }: PlannedQueue,
  task: Task<unknown>,
  { status, retryAfterMs }: Outcome,
): boolean {
  if (isSuccess(status)) return false;
  const nowMs = clock.now();
  const { id, attempts, createdAtMs } = task;
  // Counts from the failure, so the time of the call comes on top.
  task.dueMs = nowMs + Math.max(retryAfterMs, backoffMs(retry, attempts - 1));
  const isRetried =
    !isUsedUp(retry, attempts, nowMs - (task.firstAtMs ?? nowMs)) && task.dueMs <= createdAtMs + RETENTION_MS;
  log(isRetried ? "INFO" : "WARNING", isRetried ? "task failed" : "task given up", {
    queue: name.split("/").at(-1),
    task: id,
    attempts,
    status,
  });
  return isRetried;
}

function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}

/**
 * Attempts *and* time must both be used up; a limit that is taken off counts as used up, and with both taken off only the
 * retention ends a task (facts on clients, section 7).
 */
export function isUsedUp({ attemptsMax, durationMs }: TaskRetry, attempts: number, sinceFirstMs: number): boolean {
  if (attemptsMax === NO_ATTEMPTS_LIMIT && durationMs === 0) return false;
  return (attemptsMax === NO_ATTEMPTS_LIMIT || attempts >= attemptsMax) && sinceFirstMs >= durationMs;
}

/** How the API spells that attempts are not limited. */
const NO_ATTEMPTS_LIMIT = -1;

/** A task that still waits 31 days after it was made is deleted. */
const RETENTION_MS = 31 * 24 * 60 * 60 * 1_000;

/** About an hour, says the API, for a task that ran or was deleted; the quotas page was once quoted with up to 24 h. */
const TOMBSTONE_MS = 60 * 60 * 1_000;

/** Names that stay blocked for a while. All wait equally long, so they expire in the order in which they came. */
function tombstones() {
  const untilMs = new Map<string, number>();
  const has = (id: string, nowMs: number) => {
    for (const [expired, endMs] of untilMs) {
      if (endMs > nowMs) break;
      untilMs.delete(expired);
    }
    return untilMs.has(id);
  };
  return {
    has,
    bury: (id: string, nowMs: number) => {
      untilMs.delete(id);
      untilMs.set(id, nowMs + TOMBSTONE_MS);
    },
  };
}
