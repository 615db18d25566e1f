// Moves a manual clock until promises have settled, for twins that wait and leases that end.
// It must never move time further than its bound.
import type { ManualClock } from "./manual-clock.ts";

/** Advances in steps of 50 ms until the promise settles; fails after `boundMs` of the clock's time. */
export async function settled<Value>(clock: ManualClock, promise: Promise<Value>, boundMs = 120_000): Promise<Value> {
  let done = false;
  const watched = promise.finally(() => {
    done = true;
  });
  // The rejection is the caller's: it arrives through the returned promise.
  watched.catch(() => {});
  const endMs = clock.now() + boundMs;
  while (!done) {
    if (clock.now() > endMs) throw new Error(`Nothing happened within ${boundMs} ms of the clock.`);
    await clock.advance(50);
  }
  return await watched;
}
