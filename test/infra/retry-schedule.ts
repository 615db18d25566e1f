// The waits that the platform's retry settings lead to, worked out the way the platform's documents say.
// It must never share a line with the stacks: it checks what they explain.

/** Seconds from one attempt of a task to the next, under Cloud Tasks' rule: doubles, then grows evenly, then stays. */
export function taskWaitsSeconds(retry: {
  max_attempts: number;
  min_backoff: string;
  max_backoff: string;
  max_doublings: number;
}): number[] {
  const [min, max] = [Number.parseInt(retry.min_backoff, 10), Number.parseInt(retry.max_backoff, 10)];
  const waits: number[] = [];
  let wait = min;
  for (let retryNumber = 0; retryNumber < retry.max_attempts - 1; retryNumber += 1) {
    waits.push(Math.min(wait, max));
    wait = retryNumber < retry.max_doublings ? wait * 2 : wait + min * 2 ** retry.max_doublings;
  }
  return waits;
}

/** Seconds from one delivery of a message to the next, under Pub/Sub's rule: doubles, then stays. */
export function messageWaitsSeconds(
  policy: { minimum_backoff: string; maximum_backoff: string },
  attempts: number,
): number[] {
  const [min, max] = [Number.parseInt(policy.minimum_backoff, 10), Number.parseInt(policy.maximum_backoff, 10)];
  return Array.from({ length: attempts - 1 }, (_, index) => Math.min(min * 2 ** index, max));
}

/** Sum of the waits. */
export function totalSeconds(waits: readonly number[]): number {
  return waits.reduce((sum, wait) => sum + wait, 0);
}
