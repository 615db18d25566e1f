// The laptop's clock: it goes as the machine's does, and jumps when a test asks, so that three days pass in milliseconds.
// It must never jump while something is being worked on: a request that takes 50 ms would last for hours.

import type { Clock } from "../functions/flows/ports.ts";

/** A clock that can be moved forward. */
export type MovableClock = Clock & {
  /** Keeps the clock from jumping until the work has ended; gives what the work gives. */
  hold<Result>(work: Promise<Result>): Promise<Result>;
  /**
   * Moves time forward. Every timer due on the way fires in order, at its own time; the clock jumps on when all held work
   * has ended. Time that passes meanwhile counts.
   */
  advance(milliseconds: number): Promise<void>;
};

/** A clock that starts at a time, in milliseconds since the epoch; without one, at the machine's. */
export function movableClock(startMs = Date.now()): MovableClock {
  let offsetMs = startMs - performance.now();
  const timers = new Set<Timer>();
  const held = new Set<Promise<unknown>>();
  const now = () => Math.floor(offsetMs + performance.now());
  const fire = (timer: Timer) => {
    timers.delete(timer);
    clearTimeout(timer.alarm);
    timer.callback();
  };
  const after = (milliseconds: number, callback: () => void) => {
    const timer: Timer = { dueMs: now() + Math.max(0, milliseconds), callback, alarm: undefined };
    timers.add(timer);
    setAlarm(timer, now, fire);
    return () => {
      timers.delete(timer);
      clearTimeout(timer.alarm);
    };
  };
  const advance = async (milliseconds: number) => {
    const targetMs = now() + milliseconds;
    for (;;) {
      await settled(held);
      const next = firstDue(timers, targetMs);
      offsetMs += Math.max(0, (next?.dueMs ?? targetMs) - now());
      if (next !== undefined) fire(next);
      // What was set before the jump is due sooner now.
      for (const timer of timers) setAlarm(timer, now, fire);
      if (next === undefined) return;
    }
  };
  const hold = async <Result>(work: Promise<Result>): Promise<Result> => {
    held.add(work);
    try {
      return await work;
    } finally {
      held.delete(work);
    }
  };
  return {
    now,
    sleep: (milliseconds) => new Promise((resolve) => void after(milliseconds, resolve)),
    after,
    hold,
    advance,
  };
}

type Timer = { dueMs: number; callback: () => void; alarm: NodeJS.Timeout | undefined };

/** The longest that Node's own timers wait (2^31 - 1 ms, 24 days); a later alarm is set again when it rings. */
const ALARM_MS_MAX = 2_147_483_647;

function setAlarm(timer: Timer, now: () => number, fire: (timer: Timer) => void): void {
  clearTimeout(timer.alarm);
  const waitMs = Math.min(Math.max(0, timer.dueMs - now()), ALARM_MS_MAX);
  timer.alarm = setTimeout(() => (now() < timer.dueMs ? setAlarm(timer, now, fire) : fire(timer)), waitMs);
  // A wait alone is no reason for a laptop to go on: its servers are.
  timer.alarm.unref();
}

/** Turns of the event loop in which what was just woken up can begin something that holds the clock. */
const TURNS = 20;

async function settled(held: ReadonlySet<Promise<unknown>>): Promise<void> {
  do {
    await Promise.allSettled(held);
    for (let turn = 0; turn < TURNS; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  } while (held.size > 0);
}

/** The earliest timer at or before a time; a Set keeps insertion order, so equal times stay in order of creation. */
function firstDue(timers: ReadonlySet<Timer>, untilMs: number): Timer | undefined {
  let first: Timer | undefined;
  for (const timer of timers) {
    if (timer.dueMs <= untilMs && (first === undefined || timer.dueMs < first.dueMs)) first = timer;
  }
  return first;
}
