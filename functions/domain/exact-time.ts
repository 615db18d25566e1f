/**
 * Times to the nanosecond, as text that sorts like time: what a store says that it committed at.
 * It must never pass through `Date`, whose milliseconds would make two commits one.
 */

/** `2026-01-15T12:00:00.007000001Z`: UTC, always nine digits behind the point, so that text order is time order. */
export type ExactTime = string;

/**
 * A time from its parts, as stores send it.
 * @param seconds whole seconds since the epoch, 0 or more
 * @param nanoseconds 0 to 999,999,999
 */
export function exactTime(seconds: number, nanoseconds: number): ExactTime {
  const whole = new Date(seconds * 1_000).toISOString().slice(0, -".000Z".length);
  return `${whole}.${String(nanoseconds).padStart(9, "0")}Z`;
}

/** A time of the application's clock, in milliseconds since the epoch. */
export function exactTimeOf(milliseconds: number): ExactTime {
  return new Date(milliseconds).toISOString().replace("Z", "000000Z");
}

/** Before every commit. */
export const beforeAllCommits: ExactTime = exactTime(0, 0);
