/**
 * How much one endpoint may take of one instance: so many attempts at once, and so many in a time (design section 7).
 * It never lets a slow endpoint hold the places of others, and never puts an attempt off by more than `waitMsMax` at once.
 */

/** The limits for endpoints that are well, or not. */
export interface GateLimits {
  /** Attempts in flight at once. */
  readonly inFlightMax: number;
  /** Least time between the starts of two attempts, in milliseconds, once `burst` of them are used up. */
  readonly everyMs: number;
  readonly burst: number;
}

/** What is remembered of one endpoint. */
export interface GateState {
  readonly inFlight: number;
  /** When everything that was let in so far, evenly spaced, is over (the theoretical arrival time of a leaky bucket). */
  readonly paidUntilMs: number;
  /** The last place that was given to an attempt that had to wait. */
  readonly reservedAtMs: number;
}

/** Nothing was sent yet. */
export const openGate: GateState = { inFlight: 0, paidUntilMs: 0, reservedAtMs: 0 };

/** Lets an attempt through, or gives it a time to come back at. */
export type Entry =
  | { readonly kind: "enters"; readonly state: GateState }
  | { readonly kind: "waits"; readonly state: GateState; readonly atMs: number };

/**
 * Asks for one attempt. Whoever waits gets a place of its own behind all others, so that a thousand attempts come back
 * one after the other, each once, instead of all again and again.
 * @param jitter from 0 up to but not including 1; spreads those that find every place of the next `waitMsMax` taken
 */
export function enter(state: GateState, limits: GateLimits, nowMs: number, jitter: number): Entry {
  const paidUntilMs = Math.max(state.paidUntilMs, nowMs) + limits.everyMs;
  const isWithinRate = paidUntilMs <= nowMs + limits.burst * limits.everyMs;
  if (state.inFlight < limits.inFlightMax && isWithinRate) {
    return { kind: "enters", state: { ...state, inFlight: state.inFlight + 1, paidUntilMs } };
  }
  const whenRateAllowsMs = state.paidUntilMs - (limits.burst - 1) * limits.everyMs;
  // Whoever meets a full house comes back when a call can have ended, not at once.
  const earliestMs = nowMs + (state.inFlight < limits.inFlightMax ? 0 : fullHouseWaitMs);
  const atMs = Math.ceil(Math.max(whenRateAllowsMs, Math.max(state.reservedAtMs, earliestMs) + limits.everyMs));
  if (atMs > nowMs + waitMsMax)
    return { kind: "waits", state, atMs: Math.ceil(nowMs + waitMsMax * (0.5 + jitter / 2)) };
  return { kind: "waits", state: { ...state, reservedAtMs: atMs }, atMs };
}

/** The attempt has ended. */
export function leave(state: GateState): GateState {
  return { ...state, inFlight: Math.max(0, state.inFlight - 1) };
}

/** A second: what a healthy receiver needs at the most; a hanging one is known as such after 15. */
const fullHouseWaitMs = 1_000;

/** 15 minutes: an endpoint that recovers has its whole backlog back at its full rate after this. */
export const waitMsMax = 15 * 60_000;

/**
 * A healthy endpoint: 20 at once and 50 a second from one instance. Ten instances then send one merchant 500 a second at
 * the most, which is all that its queue starts, and a merchant who is slower than that is told by waiting, not by errors.
 */
export const healthyLimits: GateLimits = { inFlightMax: 20, everyMs: 20, burst: 50 };

/**
 * An endpoint that failed since its last success: 2 at once, and one every 5 s. Two of a hanging merchant's calls hold two
 * of the 16 places of an instance for at most 20 s.
 */
export const failingLimits: GateLimits = { inFlightMax: 2, everyMs: 5_000, burst: 2 };
