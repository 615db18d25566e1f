/**
 * The port to whoever can carry out an intention: types only.
 * It names no product and no function.
 */
import type { StoredOutcome } from "../domain/idempotency.ts";
import type { IntendedUse, Intention } from "../domain/intention.ts";

/** Carries out what is wanted outside the ledger, as the worker would have that announced it. */
export interface IntentionCarrier {
  /**
   * Carries it out at most once, however often it is asked for the same use of a key, and gives the outcome to store; one
   * that shows a secret comes sealed. `busy` says that others are at the same object: nothing was done, ask again later.
   * @throws DomainError `store_unavailable` when it is not known whether it was done, and asking again is of use;
   *   `internal` when what was asked is refused as such
   */
  carryOut(use: IntendedUse, intention: Intention): Promise<StoredOutcome | "busy">;
}
