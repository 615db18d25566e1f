// Calls one of the plan's jobs now, as Cloud Scheduler would: over HTTP, with a token of the account that the job names.
// It must never call what no job of the plan names.

import type { FunctionName } from "../functions/config.ts";
import type { Plan } from "./plan.ts";
import type { TokenIssuer } from "./token-issuer.ts";

/**
 * The JSON that the job at this path of ledger-writer answers.
 * @throws Error for a path that no job calls, and for any answer but 200
 */
export async function callJob(
  deps: { plan: Plan; issuer: TokenIssuer; addresses: ReadonlyMap<FunctionName, string> },
  path: string,
): Promise<unknown> {
  const job = deps.plan.jobs.find(({ url }) => new URL(url).pathname === path);
  if (job?.token === undefined) throw new Error(`plan: no job calls ${path}`);
  const response = await fetch(`${deps.addresses.get("ledger-writer")}${path}`, {
    method: job.method,
    headers: { Authorization: `Bearer ${deps.issuer.issue(job.token)}` },
    redirect: "manual",
    signal: AbortSignal.timeout(job.attemptDeadlineMs),
  });
  const answer = await response.text();
  if (response.status !== 200) throw new Error(`the job at ${path} answered with status ${response.status}`);
  return JSON.parse(answer);
}
