// Plays Cloud Scheduler: calls over HTTP what the plan's jobs name, when they are due, as the account that they name.
// It must never run one job twice at the same time: a start that comes due meanwhile waits for the end of the one before.

import type { Log } from "../functions/flows/ports.ts";
import { backoffMs } from "./backoff.ts";
import { nextStart } from "./cron.ts";
import type { MovableClock } from "./movable-clock.ts";
import type { PlannedJob } from "./plan-jobs.ts";
import { type PlatformCallDependencies, platformCall } from "./platform-call.ts";

/** What the scheduler needs. */
export type SchedulerDependencies = PlatformCallDependencies & {
  clock: MovableClock;
  /** This machine's address for a URL of the plan; throws when there is none. */
  localUrl(url: string): string;
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

type Outcome = { isDone: boolean; failure: Readonly<Record<string, unknown>> };

/** One call. */
async function call(deps: SchedulerDependencies, job: PlannedJob, ending: AbortSignal): Promise<Outcome> {
  const { url, method, body, token, attemptDeadlineMs: timeoutMs } = job;
  const headers = {
    ...(body === undefined ? {} : { "Content-Type": "application/octet-stream" }),
    ...job.headers,
    "User-Agent": "Google-Cloud-Scheduler",
    "X-CloudScheduler": "true",
    "X-CloudScheduler-JobName": job.name,
    "X-CloudScheduler-ScheduleTime": new Date(deps.clock.now()).toISOString(),
  };
  const answer = await platformCall(deps, { url, method, headers, body, token, timeoutMs }, ending);
  if ("reason" in answer) return { isDone: false, failure: { reason: answer.reason } };
  const { status, text } = answer;
  return { isDone: status >= 200 && status <= 299, failure: { status, answer: text } };
}
