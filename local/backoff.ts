// The waits between attempts that Cloud Scheduler and Cloud Tasks share.
// It must never decide whether there is another attempt: each product has its own rule for that.

/** How waits grow; in milliseconds. */
export type Backoff = { firstWaitMs: number; longestWaitMs: number; doublings: number };

/** The wait after a failed attempt (0 is the first): doubled so many times, then growing by the last step, up to the longest. */
export function backoffMs({ firstWaitMs, longestWaitMs, doublings }: Backoff, attempt: number): number {
  const doubled = firstWaitMs * 2 ** Math.min(attempt, doublings);
  return Math.min(longestWaitMs, doubled * Math.max(1, attempt - doublings + 1));
}
