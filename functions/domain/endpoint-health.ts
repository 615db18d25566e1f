/**
 * When an endpoint that only fails is switched off: the breaker, from times alone.
 * It never counts: a record is written at most once a minute, however many deliveries there are.
 */

/** What is kept of an endpoint's attempts: failures since the last success, at most `failuresMin` of them. */
export interface EndpointHealth {
  /** Null until the first success. */
  readonly succeededAtMs: number | null;
  /** Ascending, a minute apart at least; the first is the start of the failing time and stays. */
  readonly failedAtMs: readonly number[];
}

/** An endpoint that was made or enabled just now. */
export const freshHealth: EndpointHealth = { succeededAtMs: null, failedAtMs: [] };

/** The record after a success; the very same object when there is nothing to write. */
export function afterSuccess(health: EndpointHealth, nowMs: number): EndpointHealth {
  const isRecent = health.succeededAtMs !== null && nowMs < health.succeededAtMs + writeEveryMs;
  // What failed must be forgotten at once, else an old failing time would go on counting.
  if (isRecent && health.failedAtMs.length === 0) return health;
  return { succeededAtMs: Math.max(nowMs, health.succeededAtMs ?? 0), failedAtMs: [] };
}

/** The record after a failure; the very same object when there is nothing to write. */
export function afterFailure(health: EndpointHealth, nowMs: number): EndpointHealth {
  const lastMs = health.failedAtMs.at(-1);
  if (lastMs !== undefined && nowMs < lastMs + writeEveryMs) return health;
  if (health.failedAtMs.length >= failuresMin) return health;
  return { ...health, failedAtMs: [...health.failedAtMs, nowMs] };
}

/**
 * True when the breaker opens: nothing has succeeded since the first failure `failingMinMs` ago or longer, and at least
 * `failuresMin` attempts failed at different minutes. Asked after a failure only, so that silence never opens it.
 */
export function opensBreaker(health: EndpointHealth, nowMs: number): boolean {
  const sinceMs = health.failedAtMs[0];
  return sinceMs !== undefined && health.failedAtMs.length >= failuresMin && nowMs >= sinceMs + failingMinMs;
}

/** Five days: longer than the three days of one delivery, so one event alone, or a weekend, never switches an endpoint off. */
export const failingMinMs = 120 * 3_600_000;

/** More than the nine or ten that one event's attempts give, so that it takes two events at least. */
export const failuresMin = 15;

/** One write a minute for each endpoint keeps its document far below one write a second. */
const writeEveryMs = 60_000;
