/**
 * The velocity rule: too many payments by one card or one customer in too short a time.
 * It must never block: it looks at payments that were made, and only flags them; nor depend on the order in which it hears.
 */

import { markerLifeMs } from "./consumption.ts";

/** A try to pay, as the rule sees it. */
export interface Observation {
  /** Who paid, as a digest: a card or a customer of one merchant. */
  readonly subject: string;
  readonly chargeId: string;
  readonly atMs: number;
}

/** More than `paymentsMax` within `windowMs` are too many. */
export interface VelocityRule {
  readonly paymentsMax: number;
  readonly windowMs: number;
}

/** Five tries in ten minutes: somebody whose card is declined tries two or three times, somebody who tests cards does not stop. */
export const velocityRule: VelocityRule = { paymentsMax: 5, windowMs: 10 * 60 * 1000 };

/** As long as a marker: an event that is redriven after weeks still finds what happened around it. */
export const observationLifeMs = markerLifeMs;

/**
 * Those observations at or after `newAtMs` before which, themselves included, too many stand within the window. Given all
 * observations of one subject nearer than a window to `newAtMs`, these are all whose flag the one at `newAtMs` can have
 * decided; so however late or often an event comes, in the end the same payments are flagged.
 */
export function flaggedSince(
  observations: readonly Observation[],
  newAtMs: number,
  { paymentsMax, windowMs }: VelocityRule = velocityRule,
): readonly Observation[] {
  const isBefore = (one: Observation, other: Observation) =>
    other.atMs - one.atMs < windowMs &&
    (one.atMs < other.atMs || (one.atMs === other.atMs && one.chargeId <= other.chargeId));
  return observations.filter(
    (candidate) =>
      candidate.atMs >= newAtMs && observations.filter((other) => isBefore(other, candidate)).length > paymentsMax,
  );
}
