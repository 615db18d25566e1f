// Durations as the stacks write them: `10s`, `3.5s`.
// It must never guess a unit: anything else stops the laptop.

/** In milliseconds; `address` is the resource that says it, for the message. */
export function durationMs(address: string, value: unknown): number {
  const seconds = /^(\d+(?:\.\d+)?)s$/.exec(String(value))?.[1];
  if (seconds === undefined) throw new Error(`plan: ${address} has the duration ${String(value)}`);
  return Number(seconds) * 1000;
}
