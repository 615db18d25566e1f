// The platform around the functions, whatever they run on: rights, identity tokens, the front of each, the schedule.
// It must never let a call through that the plan's grants do not let through.

import type { Ask } from "../functions/adapters/bigquery-questions.ts";
import type { FunctionName } from "../functions/config.ts";
import type { WireHandler } from "../functions/edge/wire.ts";
import type { History } from "../functions/flows/history-ports.ts";
import type { Log } from "../functions/flows/ports.ts";
import { type Bus, openBus } from "./bus.ts";
import { type LogExport, logExport } from "./log-export.ts";
import { type MovableClock, movableClock } from "./movable-clock.ts";
import { type Plan, type PlannedFunction, SCHEDULER_AGENT, TASKS_AGENT } from "./plan.ts";
import { PUBSUB_AGENT } from "./plan-grants.ts";
import { plannedUrl } from "./plan-resources.ts";
import { platformFront } from "./platform-front.ts";
import { type Rights, rightsOf } from "./rights.ts";
import { startScheduler } from "./scheduler.ts";
import { openSqliteHistory } from "./sqlite-history.ts";
import { type TaskService, taskService } from "./task-service.ts";
import { type TokenIssuer, tokenIssuer } from "./token-issuer.ts";

/** What a platform is made of. */
export type PlatformOptions = {
  plan: Plan;
  log: Log;
  /** Hears of rights that the plan does not give. */
  onRefusal: (message: string) => void;
  /** Default: the machine's time. */
  clock?: MovableClock;
};

/** A running platform. */
export type Platform = {
  clock: MovableClock;
  rights: Rights;
  issuer: TokenIssuer;
  /** Topics and subscriptions. */
  bus: Bus;
  /** The handler of a function as callers meet it. */
  front(planned: PlannedFunction, handler: WireHandler): WireHandler;
  /** An identity token of a function's own account, as its metadata server gives it. */
  identityToken(planned: PlannedFunction, audience: string): string;
  /** What the archive of events and log lines answers. */
  history: History;
  /** Runs a question of the history as BigQuery does. */
  askHistory: Ask;
  /** Takes the log lines of the functions, as Cloud Logging does. */
  exportLine: LogExport;
  /** The plan's queues. */
  tasks: TaskService;
  /** Starts to call: jobs, pushes, tasks; to be called once, when the functions can be called at these addresses. */
  startCalling(addresses: ReadonlyMap<FunctionName, string>): void;
  /** Ends the calls. */
  stop(): void;
};

/** A platform for the plan, with a new key for its tokens. */
export async function openPlatform({
  plan,
  log,
  onRefusal,
  clock = movableClock(),
}: PlatformOptions): Promise<Platform> {
  const rights = rightsOf(plan, onRefusal);
  const issuer = await tokenIssuer(clock);
  const mayAgent = (permission: string, resource: string) =>
    rights.refusalOf({ member: PUBSUB_AGENT, permission, resource });
  const archive = openSqliteHistory(plan.history);
  const bus = openBus(
    {
      ...{ clock, issuer, log, mayAgent },
      archive: (table, subscription, { id, publishedAtMs, data, attributes }) =>
        archive.write(table, subscription, { messageId: id, publishedAtMs, data: data.toString("utf8"), attributes }),
    },
    plan.bus,
  );
  const signs = (agent: string) => (account: string) => signing(plan, rights, { agent, account });
  const tasks = taskService({ clock, issuer, log, maySign: signs(TASKS_AGENT) }, plan.queues);
  let scheduler: { stop(): void } | undefined;
  return {
    clock,
    rights,
    issuer,
    bus,
    front: (planned, handler) => {
      const fronted = platformFront({ rights, issuer }, planned, handler);
      return async (request) => await clock.hold(fronted(request));
    },
    identityToken: ({ member }, audience) =>
      issuer.issue({ account: member.replace(/^serviceAccount:/, ""), audience }),
    history: archive.history,
    askHistory: archive.ask,
    exportLine: logExport({ clock, bus }, plan.history.sinks),
    tasks,
    startCalling: (addresses) => {
      const localUrl = localUrls(plan, addresses);
      scheduler = startScheduler({ clock, issuer, log, localUrl, maySign: signs(SCHEDULER_AGENT) }, plan.jobs);
      bus.start(localUrl);
      tasks.start(localUrl);
    },
    stop: () => {
      scheduler?.stop();
      bus.stop();
      tasks.stop();
      archive.close();
    },
  };
}

/** Undefined when a product may sign tokens of the account, else a sentence that names the missing role. */
function signing(
  { ledger }: Plan,
  rights: Rights,
  { agent, account }: { agent: string; account: string },
): string | undefined {
  return rights.refusalOf({
    member: agent,
    permission: "iam.serviceAccounts.getOpenIdToken",
    resource: `projects/${ledger.projectId}/serviceAccounts/${account}`,
  });
}

/** From a URL of the plan to the same path on this machine; a URL that is no function's is never called from a laptop. */
function localUrls({ functions }: Plan, addresses: ReadonlyMap<FunctionName, string>): (url: string) => string {
  const addressed = new Map(functions.map(({ name, deployedName }) => [plannedUrl(deployedName), addresses.get(name)]));
  return (url) => {
    const { origin, pathname, search } = new URL(url);
    const address = addressed.get(origin);
    if (address === undefined) throw new Error(`plan: there is no function at ${origin}`);
    return `${address}${pathname}${search}`;
  };
}
