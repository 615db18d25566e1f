/**
 * When the attempts of a delivery take place: ten of them inside three days.
 * It never reads a clock or rolls dice: times come in, and jitter follows from a seed.
 */
import { createHash } from "node:crypto";
import { retryAfterMs } from "./retry-after.ts";

/**
 * Waits before the attempts 2 to 10. The example of the Standard Webhooks specification, its last wait shortened from 24 to
 * 20 hours so that all ten fall inside three days (design section 7): the last one starts 71 h 35 min 5 s after the first.
 */
export const waitsMs: readonly number[] = [
  5_000,
  5 * 60_000,
  30 * 60_000,
  2 * 3_600_000,
  5 * 3_600_000,
  10 * 3_600_000,
  14 * 3_600_000,
  20 * 3_600_000,
  20 * 3_600_000,
];

/** Attempts in one window. */
export const attemptsMax = waitsMs.length + 1;

/** Three days from the first attempt of a window; past them nothing is sent (contract section 8.2). */
export const windowMs = 72 * 3_600_000;

/** A span in which a delivery is tried: the first one, or one that a redrive opened anew. */
export interface Window {
  /** Time of its first attempt, as planned. */
  readonly startedAtMs: number;
  /** Null for the first window of a delivery. */
  readonly redriveId: string | null;
}

/** Past the window nothing is sent any more; the delivery becomes a dead letter instead. */
export function isWindowOver(window: Window, nowMs: number): boolean {
  return nowMs > window.startedAtMs + windowMs;
}

/**
 * When the attempt after a failed one starts; null when none is left in this window.
 *
 * Each attempt has its place on the schedule, counted from the window's start, so that jitter and slow receivers do not add
 * up. After an outage of ours, when many places have passed at once, half of the regular wait still lies between two
 * attempts, so that a merchant does not get them all in a row. A receiver that is overloaded gets a minute at least. A
 * wish in `Retry-After` counts when it is later. Whatever would come too late for the window is moved to just before its
 * end, once.
 */
export function nextAttemptAtMs(window: Window, failed: FailedTry): number | null {
  const waitMs = waitsMs[failed.number - 1];
  if (!Number.isSafeInteger(failed.number) || failed.number < 1 || failed.number > attemptsMax) {
    throw new RangeError(`Attempts are numbered from 1 to ${attemptsMax}.`);
  }
  if (waitMs === undefined) return null;
  const placeMs = window.startedAtMs + offsetMs(failed.number + 1) + jitterMs(waitMs, failed.jitter);
  const pauseMs = Math.max(waitMs / 2, failed.overloaded ? overloadPauseMs : 0);
  const wishMs = retryAfterMs(failed.retryAfter, failed.endedAtMs) ?? 0;
  const atMs = Math.ceil(Math.max(placeMs, failed.endedAtMs + pauseMs, wishMs));
  const latestMs = window.startedAtMs + windowMs - marginMs;
  if (failed.endedAtMs >= latestMs) return null;
  return Math.min(atMs, latestMs);
}

/** What the schedule needs to know about the attempt that failed. */
export interface FailedTry {
  /** 1 to 10. */
  readonly number: number;
  readonly endedAtMs: number;
  /** The header as the receiver sent it, or null. */
  readonly retryAfter: string | null;
  /** The receiver hung or asked for less. */
  readonly overloaded: boolean;
  /** From 0 up to but not including 1; see `jitterOf`. */
  readonly jitter: number;
}

/** When attempt `number` starts after the window's start, without jitter, in milliseconds. */
export function offsetMs(number: number): number {
  return waitsMs.slice(0, number - 1).reduce((sum, waitMs) => sum + waitMs, 0);
}

/** A number from 0 up to but not including 1 that follows from its seed, for example a delivery's id and attempt number. */
export function jitterOf(seed: string): number {
  return createHash("sha256").update(seed, "utf8").digest().readUInt32BE(0) / 2 ** 32;
}

/**
 * Jitter only delays, by a tenth of the wait at most, so that the deliveries of one outage do not come back at one instant.
 * The cap of 15 minutes keeps the last attempt inside the window: 71 h 35 min 5 s and 15 min are less than 71 h 55 min.
 */
function jitterMs(waitMs: number, jitter: number): number {
  if (!(jitter >= 0 && jitter < 1)) throw new RangeError("Jitter is a number from 0 up to but not including 1.");
  return Math.floor(Math.min(waitMs / 10, 15 * 60_000) * jitter);
}

/** A minute, as the largest sender of webhooks for others gives a receiver that hangs or says 429. */
const overloadPauseMs = 60_000;

/** Kept free before the window's end, because a task may be dispatched late and past the end nothing is sent. */
const marginMs = 5 * 60_000;
