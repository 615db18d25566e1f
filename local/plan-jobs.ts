// The scheduled jobs of the synthesized stacks: when what is called, as which account.
// It must never leave out what a job says: a target or a schedule that is not understood stops the laptop.

import type { Backoff } from "./backoff.ts";
import { type Cron, parseCron } from "./cron.ts";
import { durationMs } from "./plan-durations.ts";
import type { PlannedResource } from "./plan-resources.ts";

/** One job of Cloud Scheduler with an HTTP target. */
export type PlannedJob = {
  name: string;
  cron: Cron;
  timeZone: string;
  isPaused: boolean;
  /** Where it calls: a URL of the plan (`plannedUrl`) and a path. */
  url: string;
  method: string;
  headers: Record<string, string>;
  body: Buffer | undefined;
  /** Account whose identity token it carries, and for which service; undefined for a call without one. */
  token: { account: string; audience: string } | undefined;
  attemptDeadlineMs: number;
  retry: PlannedRetry;
};

/** How a failed call is repeated; waits double `doublings` times and then grow evenly. */
export type PlannedRetry = Backoff & { count: number; durationMs: number };

/** All jobs in the resources. What a job does not say has Cloud Scheduler's own default. */
export function readJobs(resources: readonly PlannedResource[]): PlannedJob[] {
  return resources.filter(({ type }) => type === "google_cloud_scheduler_job").map(jobOf);
}

function jobOf(resource: PlannedResource): PlannedJob {
  const { address, value } = resource;
  if (value("http_target.uri") === undefined) throw new Error(`plan: ${address} has no HTTP target`);
  if (value("http_target.oauth_token") !== undefined) throw new Error(`plan: ${address} calls with an OAuth token`);
  const url = resource.text("http_target.uri");
  const account = value("http_target.oidc_token.service_account_email");
  const body = value("http_target.body");
  return {
    name: resource.text("name"),
    cron: cronOf(address, resource.text("schedule")),
    timeZone: String(value("time_zone") ?? "Etc/UTC"),
    isPaused: value("paused") === true,
    url,
    method: String(value("http_target.http_method") ?? "POST"),
    headers: (value("http_target.headers") ?? {}) as Record<string, string>,
    body: body === undefined ? undefined : Buffer.from(String(body), "base64"),
    token:
      account === undefined
        ? undefined
        : { account: String(account), audience: String(value("http_target.oidc_token.audience") ?? url) },
    attemptDeadlineMs: durationMs(address, value("attempt_deadline") ?? "180s"),
    retry: {
      count: Number(value("retry_config.retry_count") ?? 0),
      durationMs: durationMs(address, value("retry_config.max_retry_duration") ?? "0s"),
      firstWaitMs: durationMs(address, value("retry_config.min_backoff_duration") ?? "5s"),
      longestWaitMs: durationMs(address, value("retry_config.max_backoff_duration") ?? "3600s"),
      doublings: Number(value("retry_config.max_doublings") ?? 5),
    },
  };
}

function cronOf(address: string, text: string): Cron {
  try {
    return parseCron(text);
  } catch (error) {
    throw new Error(`plan: ${address}: ${(error as Error).message}`, { cause: error });
  }
}
