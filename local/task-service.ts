// Plays Cloud Tasks: takes tasks for the plan's queues in the words of its API, and calls functions over HTTP when they are due.
// It must never take what the real service would refuse, nor pass over a field that it does not know.

import type { CreateTaskRequest } from "../functions/adapters/cloud-tasks.ts";
import type { Log } from "../functions/flows/ports.ts";
import type { MovableClock } from "./movable-clock.ts";
import type { PlannedQueue } from "./plan-queues.ts";
import { type PlatformCallDependencies, platformCall } from "./platform-call.ts";
import { type Dispatch, type Outcome, type TaskQueue, taskQueue } from "./task-queue.ts";

/** The queues of the plan. */
export type TaskService = {
  /** Takes a task and gives its full name; throws a `taskRefusal`. Who may is not asked here: `identity.ts` does. */
  createTask(request: CreateTaskRequest): string;
  /** Begins to call; to be called once, when functions can be reached. Until then tasks wait. */
  start(localUrl: (url: string) => string): void;
  /** What waits in a queue, by its full name. */
  list(queue: string): { id: string; dueMs: number; attempts: number }[];
  /** Deletes every task of a queue, as an operator does. */
  purge(queue: string): void;
  /** Makes no more calls, and ends those that run. */
  stop(): void;
};

/** What it stands on. */
export type TaskServiceDependencies = PlatformCallDependencies & { clock: MovableClock; log: Log };

/** A refusal as Cloud Tasks' client throws it: with a gRPC code. */
export function taskRefusal(code: keyof typeof codes, message: string): Error {
  return Object.assign(new Error(message), { code: codes[code] });
}

const codes = { invalidArgument: 3, notFound: 5, alreadyExists: 6, permissionDenied: 7 } as const;

/** The queues, empty. */
export function taskService(deps: TaskServiceDependencies, planned: readonly PlannedQueue[]): TaskService {
  const ending = new AbortController();
  const started = Promise.withResolvers<(url: string) => string>();
  const queues = new Map(planned.map((queue) => [queue.name, open(deps, queue, started.promise, ending.signal)]));
  const found = (name: string) => {
    const queue = queues.get(name);
    if (queue === undefined) throw taskRefusal("notFound", `There is no queue ${name}.`);
    return queue;
  };
  let created = 0;
  return {
    createTask: ({ parent, task }) => {
      const queue = found(parent);
      const nowMs = deps.clock.now();
      refuseImpossible(parent, task, nowMs);
      created += 1;
      const id = task.name?.slice(`${parent}/tasks/`.length) ?? String(FIRST_ID + BigInt(created));
      if (queue.add({ id, work: task.httpRequest, dueMs: timeOf(task) ?? nowMs }) === "exists")
        throw taskRefusal("alreadyExists", `The task ${id} exists, or did lately.`);
      return `${parent}/tasks/${id}`;
    },
    start: started.resolve,
    list: (name) => found(name).list(),
    purge: (name) => found(name).purge(),
    stop: () => {
      ending.abort();
      for (const queue of queues.values()) queue.stop();
    },
  };
}

type HttpRequest = CreateTaskRequest["task"]["httpRequest"];

/** Cloud Tasks makes up long numbers for tasks without a name. */
const FIRST_ID = 4_000_000_000_000_000_000n;

/** Cloud Tasks waits ten minutes for an answer unless a task says otherwise, which ours do not. */
const DEADLINE_MS = 10 * 60 * 1_000;

/** The limits of the API (facts on Google Cloud, 5.1). */
const SCHEDULE_AHEAD_MS_MAX = 30 * 24 * 60 * 60 * 1_000;
const BODY_BYTES_MAX = 100 * 1_024;
const URL_CHARACTERS_MAX = 2_083;

function refuseImpossible(parent: string, task: CreateTaskRequest["task"], nowMs: number): void {
  const { name, httpRequest } = task;
  const { url, httpMethod, body } = httpRequest;
  const fault =
    (name !== undefined && !/^[\w-]{1,500}$/.test(name.replace(`${parent}/tasks/`, "")) && "its name is none") ||
    ((timeOf(task) ?? 0) > nowMs + SCHEDULE_AHEAD_MS_MAX && "it is more than 30 days ahead") ||
    ((!URL.canParse(url) || url.length > URL_CHARACTERS_MAX) && "its URL is none") ||
    // This project's tasks call functions by POST; another method would be run as POST by mistake.
    (httpMethod !== "POST" && `its method is ${String(httpMethod)}`) ||
    (body.length > BODY_BYTES_MAX && "its body is too large");
  if (fault) throw taskRefusal("invalidArgument", `The task cannot be taken: ${fault}.`);
}

function timeOf({ scheduleTime }: CreateTaskRequest["task"]): number | undefined {
  return scheduleTime && scheduleTime.seconds * 1_000 + Math.floor(scheduleTime.nanos / 1_000_000);
}

function open(
  deps: TaskServiceDependencies,
  planned: PlannedQueue,
  started: Promise<(url: string) => string>,
  ending: AbortSignal,
): TaskQueue<HttpRequest> {
  const queue = planned.name.split("/").at(-1) ?? "";
  const dispatch = async (task: Dispatch<HttpRequest>): Promise<Outcome> => {
    const { url, headers, body, oidcToken } = task.work;
    const sent = { ...passed(headers), ...headersOf(queue, task) };
    const token = { account: oidcToken.serviceAccountEmail, audience: oidcToken.audience };
    const localUrl = await started;
    const call = { url: localUrl(url), method: "POST", headers: sent, body, token, timeoutMs: DEADLINE_MS };
    const answer = await platformCall(deps, call, ending);
    return { status: answer.status, retryAfterMs: "headers" in answer ? retryAfterMs(answer.headers) : 0 };
  };
  return taskQueue({ ...deps, dispatch }, planned);
}

/** Those that Cloud Tasks writes itself are dropped from a task. */
function passed(headers: Readonly<Record<string, string>>): Record<string, string> {
  const reserved = /^(?:host|user-agent|content-length|x-google-.*|x-cloudtasks-.*|x-appengine-.*)$/i;
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !reserved.test(name)));
}

/** As a recorded call has them (facts on clients, section 7); what stands in the reason is not documented. */
function headersOf(queue: string, task: Dispatch<unknown>): Record<string, string> {
  const { id, attempts, answered, dueMs, lastStatus } = task;
  return {
    "User-Agent": "Google-Cloud-Tasks",
    "X-CloudTasks-QueueName": queue,
    "X-CloudTasks-TaskName": id,
    "X-CloudTasks-TaskRetryCount": String(attempts),
    "X-CloudTasks-TaskExecutionCount": String(answered),
    "X-CloudTasks-TaskETA": (dueMs / 1_000).toFixed(6),
    ...(lastStatus === undefined
      ? {}
      : {
          "X-CloudTasks-TaskPreviousResponse": String(lastStatus),
          "X-CloudTasks-TaskRetryReason": lastStatus === 0 ? "no answer" : `status ${lastStatus}`,
        }),
  };
}

/** In seconds; a date is not read, because no function here sends one. */
function retryAfterMs(headers: Headers): number {
  const seconds = headers.get("retry-after") ?? "";
  return /^\d{1,6}$/.test(seconds) ? Number(seconds) * 1_000 : 0;
}
