// The plan's queues, ledger-writer behind its front, and a function that puts tasks in: for tests of the laptop's Cloud Tasks.
// It must never leave a server listening: whoever opens it closes it.
import { cloudTaskQueues, type TaskCreator } from "../../functions/adapters/cloud-tasks.ts";
import type { FunctionName } from "../../functions/config.ts";
import { jsonResponse, type WireRequest } from "../../functions/edge/wire.ts";
import type { TaskQueues } from "../../functions/flows/task-ports.ts";
import { openDoors } from "../../local/doors.ts";
import { identityOf } from "../../local/identity.ts";
import { type MovableClock, movableClock } from "../../local/movable-clock.ts";
import { type Plan, plannedFunction } from "../../local/plan.ts";
import { openPlatform, type Platform } from "../../local/platform.ts";
import { planned, type Resources, withoutGrant } from "./planned.ts";

export const caller = "ledger-tasks@local-project.iam.gserviceaccount.com";
export const target = "https://ledger-writer.function.invalid";
const parent = "projects/local-project/locations/us-central1";
export const queueNames = {
  webhookFast: `${parent}/queues/webhook-fast-g1`,
  webhookSlow: `${parent}/queues/webhook-slow-g1`,
  settlements: `${parent}/queues/settlements-g1`,
} as const;

const shards = {
  webhookFast: [queueNames.webhookFast],
  webhookSlow: [queueNames.webhookSlow],
  settlements: [queueNames.settlements],
} as const;

/** The grants that a task needs on its way from payments-api to ledger-writer, by what they are for. */
export const grantsOfTasks = {
  enqueue: ["google_cloud_tasks_queue_iam_member", "payments-api", "settlements"],
  actAs: ["google_service_account_iam_member", "payments-api", "ledger-tasks"],
  sign: ["google_service_account_iam_member", "ledger-tasks", ""],
  invoke: ["google_cloud_run_v2_service_iam_member", "ledger-tasks", ""],
} as const;

/** The stage's plan in which payments-api may use the queues of webhooks too; without one grant if a test wants it so. */
export function plannedWithTasks(without?: keyof typeof grantsOfTasks): Plan {
  return planned((services: Resources) => {
    for (const name of [queueNames.webhookFast, queueNames.webhookSlow]) {
      services["google_cloud_tasks_queue_iam_member"] = {
        ...services["google_cloud_tasks_queue_iam_member"],
        [`planted-${name.split("/").at(-1)}`]: {
          ...{ project: "local-project", location: "us-central1", name: name.split("/").at(-1) },
          role: "roles/cloudtasks.enqueuer",
          member: "serviceAccount:payments-api@local-project.iam.gserviceaccount.com",
        },
      };
    }
    if (without === undefined) return;
    const [type, holder, about] = grantsOfTasks[without];
    withoutGrant(type, holder, about)(services);
  });
}

/** Everything, running. */
export interface Queued {
  readonly platform: Platform;
  readonly clock: MovableClock;
  /** What payments-api puts tasks into; through another client when it is given one. */
  queues(client?: TaskCreator): TaskQueues;
  /** What payments-api's client calls. */
  readonly take: ReturnType<ReturnType<typeof identityOf>["tasks"]>;
  /** What reached ledger-writer behind its front, with the laptop's time. */
  readonly arrived: { readonly atMs: number; readonly request: WireRequest }[];
  readonly refusals: readonly string[];
  close(): Promise<void>;
}

/** Opens it; `answer` gives the status of ledger-writer's n-th answer, counted from 0. */
export async function openQueued(plan: Plan, answer: (call: number) => number = () => 200): Promise<Queued> {
  const refusals: string[] = [];
  const clock = movableClock();
  const onRefusal = (message: string) => void refusals.push(message);
  const platform = await openPlatform({
    plan: { ...plan, jobs: [], bus: { topics: [], subscriptions: [] } },
    clock,
    log: () => {},
    onRefusal,
  });
  const doors = await openDoors({ ...plan, functions: [plannedFunction(plan, "ledger-writer")] }, 0);
  const arrived: { readonly atMs: number; readonly request: WireRequest }[] = [];
  const name: FunctionName = "ledger-writer";
  doors.lead(
    name,
    platform.front(plannedFunction(plan, name), async (request) => {
      arrived.push({ atMs: clock.now(), request });
      return jsonResponse(answer(arrived.length - 1), {});
    }),
  );
  platform.startCalling(doors.addresses);
  const take = identityOf(platform.rights, plannedFunction(plan, "payments-api")).tasks(platform.tasks);
  const direct: TaskCreator = { createTask: async (request) => take(request) };
  return {
    ...{ platform, clock, take, arrived, refusals },
    queues: (client = direct) =>
      cloudTaskQueues({ client, clock, queues: shards, callerAccount: caller, callTimeoutMs: 60_000 })(target),
    close: async () => {
      platform.stop();
      await doors.close();
    },
  };
}
