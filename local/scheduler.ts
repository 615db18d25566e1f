// Plays Cloud Scheduler: calls over HTTP what the plan's jobs name, when they are due, as the account that they name.
// It must never run one job twice at the same time: a start that comes due meanwhile waits for the end of the one before.

import type { Log } from "../functions/flows/ports.ts";
import { nextStart } from "./cron.ts";
import type { MovableClock } from "./movable-clock.ts";
import type { PlannedJob, PlannedRetry } from "./plan-jobs.ts";
import type { TokenIssuer } from "./token-issuer.ts";

/** What the scheduler needs. */
export type SchedulerDependencies = {
  clock: MovableClock;
  issuer: TokenIssuer;
  /** This machine's address for a URL of the plan; throws when there is none. */
  localUrl(url: string): string;
  /** Undefined when tokens of the account may be signed for a call, else the reason. */
  maySign(account: string): string | undefined;
  log: Log;
};

/** Starts the jobs; each is due first at its next time. `stop` also ends the calls that are running. */
export function startScheduler(deps: SchedulerDependencies, jobs: readonly PlannedJob[]): { stop(): void } {
  const ending = new AbortController();
  // All targets are looked up now: a job that can never arrive stops the laptop instead of failing each minute.
  const called = jobs.map((job) => ({ ...job, url: deps.localUrl(job.url) }));
  const stops = called.filter(({ isPaused }) => !isPaused).map((job) => startJob(deps, job, ending.signal));
  return {
    stop: () => {
      ending.abort();
      for (const stop of stops) stop();
    },
  };
}

function startJob(deps: SchedulerDependencies, job: PlannedJob, ending: AbortSignal): () => void {
  let cancel = () => {};
  let isRunning = false;
  let isDue = false;
  const run = async () => {
    isRunning = true;
    while (isDue && !ending.aborted) {
      isDue = false;
      await runOnce(deps, job, ending);
    }
    isRunning = false;
  };
  const plan = () => {
    const nowMs = deps.clock.now();
    cancel = deps.clock.after(nextStart(job.cron, job.timeZone, nowMs) - nowMs, () => {
      isDue = true;
      plan();
      if (!isRunning) void run();
    });
  };
  plan();
  return () => cancel();
}

/** One start: a call, and its repetitions as long as they end before the next start. */
async function runOnce(deps: SchedulerDependencies, job: PlannedJob, ending: AbortSignal): Promise<void> {
  const { clock, log } = deps;
  const startedAtMs = clock.now();
  const nextMs = nextStart(job.cron, job.timeZone, startedAtMs);
  for (let attempt = 0; ; attempt += 1) {
    const outcome = await clock.hold(call(deps, job, ending));
    if (outcome.isDone || ending.aborted) return;
    log("WARNING", "scheduled call failed", { job: job.name, attempt, ...outcome.failure });
    const waitMs = backoffMs(job.retry, attempt);
    const retryAtMs = clock.now() + waitMs;
    const isTooLate = job.retry.durationMs > 0 && retryAtMs - startedAtMs > job.retry.durationMs;
    if (attempt >= job.retry.count || isTooLate || retryAtMs >= nextMs) return;
    await clock.sleep(waitMs);
    if (ending.aborted) return;
  }
}

/** The wait after a failed attempt (0 is the first): doubled so many times, then growing by the last step. */
function backoffMs({ firstWaitMs, longestWaitMs, doublings }: PlannedRetry, attempt: number): number {
  const doubled = firstWaitMs * 2 ** Math.min(attempt, doublings);
  return Math.min(longestWaitMs, doubled * Math.max(1, attempt - doublings + 1));
}

type Outcome = { isDone: boolean; failure: Readonly<Record<string, unknown>> };

/** One call; its deadline is real time, as the clock does not jump during it. Never rejects. */
async function call(deps: SchedulerDependencies, job: PlannedJob, ending: AbortSignal): Promise<Outcome> {
  const { clock, issuer } = deps;
  const refusal = job.token && deps.maySign(job.token.account);
  if (refusal !== undefined) return { isDone: false, failure: { answer: refusal } };
  try {
    const response = await fetch(job.url, {
      method: job.method,
      headers: {
        ...(job.body === undefined ? {} : { "Content-Type": "application/octet-stream" }),
        ...job.headers,
        ...(job.token === undefined ? {} : { Authorization: `Bearer ${issuer.issue(job.token)}` }),
        "User-Agent": "Google-Cloud-Scheduler",
        "X-CloudScheduler": "true",
        "X-CloudScheduler-JobName": job.name,
        "X-CloudScheduler-ScheduleTime": new Date(clock.now()).toISOString(),
      },
      ...(job.body === undefined ? {} : { body: new Uint8Array(job.body) }),
      redirect: "manual",
      signal: AbortSignal.any([ending, AbortSignal.timeout(job.attemptDeadlineMs)]),
    });
    const answer = await response.text();
    return {
      isDone: response.ok,
      failure: { status: response.status, answer: answer.slice(0, ANSWER_CHARACTERS_MAX) },
    };
  } catch (error) {
    return { isDone: false, failure: { reason: (error as Error).name } };
  }
}

/** Enough for the sentence that names a missing role. */
const ANSWER_CHARACTERS_MAX = 500;
