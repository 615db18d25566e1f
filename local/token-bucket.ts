// How fast a queue may call: so many calls a second for ever, and a few at once after a pause.
// It must never let through more than its rate and its burst together.

/** A bucket of calls. */
export type TokenBucket = {
  /** Whole milliseconds until the next call may go; 0 for now. */
  waitMs(nowMs: number): number;
  /** Takes one call out. */
  take(nowMs: number): void;
  /** The called function is overloaded: half the rate. */
  slowDown(): void;
  /** A call succeeded: back towards the full rate. */
  speedUp(): void;
};

/** A full bucket for a rate in calls a second. */
export function tokenBucket(perSecond: number, startMs: number): TokenBucket {
  const burst = Math.max(1, Math.min(BURST_MAX, perSecond / BURST_OF_RATE));
  let rate = perSecond;
  let tokens = burst;
  let filledAtMs = startMs;
  const fill = (nowMs: number) => {
    tokens = Math.min(burst, tokens + ((nowMs - filledAtMs) * rate) / 1_000);
    filledAtMs = nowMs;
  };
  return {
    waitMs: (nowMs) => {
      fill(nowMs);
      // Sums of fractions end a hair below the whole, and such a bucket would wait for ever.
      return tokens >= 1 - EPSILON ? 0 : Math.max(1, Math.ceil(((1 - tokens) * 1_000) / rate));
    },
    take: (nowMs) => {
      fill(nowMs);
      tokens -= 1;
    },
    slowDown: () => {
      rate = Math.max(Math.min(SLOWEST, perSecond), rate / 2);
    },
    speedUp: () => {
      rate = Math.min(perSecond, rate * 2);
    },
  };
}

/** A queue of 500 a second has a burst of 100, which is the most; smaller queues are taken to keep the proportion. */
const BURST_MAX = 100;
const BURST_OF_RATE = 5;

/** Calls a second of a queue whose function is overloaded; Cloud Tasks does not publish how far it goes down. */
const SLOWEST = 1;

const EPSILON = 1e-9;
