// A clock that stands still until a test moves it, so that leases, deadlines and polls are tested without waiting.
// It must never look at the machine's time, and never run a timer that a test did not reach.
import type { Clock } from "../../functions/flows/ports.ts";

/** A clock in the hands of a test. */
export type ManualClock = Clock & {
  /**
   * Moves time forward by `milliseconds`. Every timer due on the way fires in order of its time (then of its creation),
   * at its own time, and what it woke up has run before the next one fires, timers that it set included.
   */
  advance(milliseconds: number): Promise<void>;
  /** How many timers are set and neither fired nor cancelled. */
  pendingTimers(): number;
};

/** A clock that stands at `startMs` (milliseconds since the epoch). */
export function manualClock(startMs: number): ManualClock {
  let nowMs = startMs;
  const timers = new Set<Timer>();
  const after = (milliseconds: number, callback: () => void) => {
    // Whole milliseconds, as `Date.now` tells them: a wait with jitter must not leave a time that no clock shows.
    const timer = { dueMs: nowMs + Math.ceil(Math.max(0, milliseconds)), callback };
    timers.add(timer);
    return () => void timers.delete(timer);
  };
  const advance = async (milliseconds: number) => {
    const targetMs = nowMs + milliseconds;
    await letOthersRun();
    for (let timer = firstDue(timers, targetMs); timer !== undefined; timer = firstDue(timers, targetMs)) {
      timers.delete(timer);
      nowMs = Math.max(nowMs, timer.dueMs);
      timer.callback();
      await letOthersRun();
    }
    nowMs = Math.max(nowMs, targetMs);
  };
  return {
    now: () => nowMs,
    sleep: (milliseconds) => new Promise((resolve) => void after(milliseconds, resolve)),
    after,
    advance,
    pendingTimers: () => timers.size,
  };
}

type Timer = { dueMs: number; callback: () => void };

/**
 * Turns of the event loop between two timers. A memory store answers in one turn, and no path of a request makes more
 * than a dozen store calls between two waits; fifty turns take well under a millisecond.
 */
const TURNS = 50;

async function letOthersRun(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** The earliest timer at or before a time; a Set keeps insertion order, so equal times stay in order of creation. */
function firstDue(timers: ReadonlySet<Timer>, untilMs: number): Timer | undefined {
  let first: Timer | undefined;
  for (const timer of timers) {
    if (timer.dueMs <= untilMs && (first === undefined || timer.dueMs < first.dueMs)) first = timer;
  }
  return first;
}
