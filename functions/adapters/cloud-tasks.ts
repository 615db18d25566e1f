/**
 * The queues on Cloud Tasks: a wake-up becomes a task that calls a function by POST, with a signed token of the queue's caller.
 * It must never repeat a call without a task name, and never put more into a task than the wake-up says.
 */
import { createHash } from "node:crypto";
import { type DomainError, refuse } from "../domain/errors.ts";
import { shardOf, wakeUpBody } from "../domain/wake-up.ts";
import type { Clock } from "../flows/ports.ts";
import type { QueueName, TaskQueuesCalling, WakeUp } from "../flows/task-ports.ts";

/** The queues of one function; nothing is sent before the first wake-up. */
export function cloudTaskQueues(deps: CloudTaskQueuesDependencies): TaskQueuesCalling {
  return (targetUrl) => ({ enqueue: async (task) => await create(deps, requestOf(deps, targetUrl, task)) });
}

/** What the adapter stands on. */
export interface CloudTaskQueuesDependencies {
  readonly client: TaskCreator;
  readonly clock: Pick<Clock, "now" | "sleep">;
  /** Full resource names (`projects/…/queues/…`) of the shards of each queue that the function puts tasks into. */
  readonly queues: Readonly<Partial<Record<QueueName, readonly string[]>>>;
  /** E-mail of the service account that the tasks' tokens name; the function must be allowed to act as it. */
  readonly callerAccount: string;
  /** Longest that one call may take, in milliseconds; default: what a request can wait for. */
  readonly callTimeoutMs?: number;
}

/** The one call of Cloud Tasks' client that is needed; it rejects with an error that has a gRPC `code`. */
export interface TaskCreator {
  /** `timeout` is in milliseconds, and there are no repetitions below this. */
  createTask(request: CreateTaskRequest, options: { readonly timeout: number }): Promise<unknown>;
}

/** A task as the API takes it (google.cloud.tasks.v2). */
export interface CreateTaskRequest {
  /** Full resource name of the queue. */
  readonly parent: string;
  readonly task: {
    /** Full resource name; absent for the queue to make one up. */
    readonly name?: string;
    /** Absent for at once. */
    readonly scheduleTime?: { readonly seconds: number; readonly nanos: number };
    readonly httpRequest: {
      readonly httpMethod: "POST";
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: Uint8Array;
      readonly oidcToken: { readonly serviceAccountEmail: string; readonly audience: string };
    };
  };
}

/** Two seconds: a warm call takes tens of milliseconds, the first one of a cold instance a second. */
const defaultCallTimeoutMs = 2_000;

/**
 * Pauses before the second and the third call, in milliseconds. With three calls a wake-up holds its request up for 6.5 s
 * at the worst; then the sweep makes good for it.
 */
const pausesMs: readonly number[] = [100, 400];

/** UNKNOWN, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, ABORTED, INTERNAL, UNAVAILABLE: the task may stand or not. */
const doubtful: ReadonlySet<number | undefined> = new Set([2, 4, 8, 10, 13, 14]);

/** PERMISSION_DENIED, UNAUTHENTICATED. */
const refusals: ReadonlySet<number | undefined> = new Set([7, 16]);

/** INVALID_ARGUMENT, OUT_OF_RANGE, UNIMPLEMENTED. NOT_FOUND is none of them: a queue that slept for a month answers it. */
const bugs: ReadonlySet<number | undefined> = new Set([3, 11, 12]);

/** The name is taken, perhaps by this very call whose reply was lost: in either case the wake-up stands. */
const alreadyExists = 6;

/** The client repeats no `createTask`, because it does not know that a name makes it harmless (facts on clients, section 5). */
async function create(
  { client, clock, callTimeoutMs = defaultCallTimeoutMs }: CloudTaskQueuesDependencies,
  request: CreateTaskRequest,
): Promise<"enqueued" | "exists"> {
  const pauses = request.task.name === undefined ? [] : pausesMs;
  for (let calls = 0; ; calls += 1) {
    try {
      await client.createTask(request, { timeout: callTimeoutMs });
      return "enqueued";
    } catch (error) {
      const code = codeOf(error);
      if (code === alreadyExists) return "exists";
      const pauseMs = pauses[calls];
      if (pauseMs === undefined || !doubtful.has(code)) throw translate(code, error);
      await clock.sleep(pauseMs);
    }
  }
}

function requestOf(deps: CloudTaskQueuesDependencies, targetUrl: string, task: WakeUp): CreateTaskRequest {
  const { queues, callerAccount, clock } = deps;
  const trace = task.traceparent === undefined ? {} : { traceparent: task.traceparent };
  const body = wakeUpBody({ ...task, body: { ...task.body, ...trace } }, clock.now());
  const shards = queues[task.queue] ?? [];
  const parent = shards[shardOf(task.shardBy, Math.max(1, shards.length))];
  if (parent === undefined) throw refuse("internal", `This function was given no queue ${task.queue}.`);
  return {
    parent,
    task: {
      ...(task.name === null ? {} : { name: `${parent}/tasks/${digest(task.name)}` }),
      ...(task.scheduleAtMs === null ? {} : { scheduleTime: timestamp(task.scheduleAtMs) }),
      httpRequest: {
        httpMethod: "POST",
        url: `${targetUrl}${task.path}`,
        // Cloud Tasks adds no type by itself.
        headers: { "Content-Type": "application/json", ...trace },
        body,
        // The audience is the service: Cloud Run refuses a URL with a path.
        oidcToken: { serviceAccountEmail: callerAccount, audience: targetUrl },
      },
    },
  };
}

/** A digest: any text becomes a legal name, and names that rise one after the other would crowd one place of the store. */
function digest(name: string): string {
  return createHash("sha256").update(name, "utf8").digest("hex");
}

function timestamp(atMs: number): { seconds: number; nanos: number } {
  const seconds = Math.floor(atMs / 1_000);
  return { seconds, nanos: Math.round((atMs - seconds * 1_000) * 1_000_000) };
}

function translate(code: number | undefined, cause: unknown): DomainError {
  if (refusals.has(code)) {
    return refuse("permission_denied", "Cloud Tasks refused the call: the function's account lacks a grant.", {
      cause,
    });
  }
  if (bugs.has(code))
    return refuse("internal", `Cloud Tasks rejected what it was told (gRPC code ${code}).`, { cause });
  return refuse("store_unavailable", `Cloud Tasks did not say that the task stands (gRPC code ${code ?? "none"}).`, {
    cause,
  });
}

function codeOf(error: unknown): number | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "number" ? code : undefined;
}
