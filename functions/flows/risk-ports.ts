/**
 * What the velocity rule needs to remember: types only.
 * It holds no counters: a count that is kept is wrong after the first event that comes twice.
 */
import type { Observation } from "../domain/velocity.ts";

/** Tries to pay, by who paid and when. Both methods may reject with `store_unavailable` or `permission_denied`. */
export interface Observations {
  /** Keeps observations; one that is kept already stays as it is. What is kept is seen by `around` at once. */
  record(observations: readonly Observation[]): Promise<void>;
  /** At most `limit` observations of a subject after `fromMs` and before `untilMs`, oldest first. */
  between(subject: string, fromMs: number, untilMs: number, limit: number): Promise<readonly Observation[]>;
}
