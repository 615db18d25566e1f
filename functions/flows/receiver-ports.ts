/**
 * What a receiver of webhooks needs to remember: types only.
 * It never names a product; a merchant's own database satisfies this with one conditional write.
 */

/** The events that a receiver has seen, by their signed id. */
export interface SeenEvents {
  /**
   * Claims an event for one worker. `begun`: it is the worker's, until its lease ends. `done`: handled before. `busy`: another
   * worker's lease has not ended. A lost reply of one's own claim is recognised by its owner and is `begun`.
   * @throws DomainError `store_unavailable`, `permission_denied`
   */
  begin(eventId: string, claim: SeenClaim): Promise<"begun" | "done" | "busy">;
  /** Marks it handled, if the claim is still the owner's; `lost` when another worker has taken it over. */
  finish(eventId: string, owner: string, done: SeenEnd): Promise<"finished" | "lost">;
  /** Gives the claim back, if it is still the owner's, so that the next attempt need not wait for the lease's end. */
  release(eventId: string, owner: string): Promise<void>;
}

/** One worker's claim. */
export interface SeenClaim {
  /** Random token of one run; never reused. */
  readonly owner: string;
  readonly nowMs: number;
  readonly leaseUntilMs: number;
}

/** When an event was handled, and until when it is remembered at least. */
export interface SeenEnd {
  readonly doneAtMs: number;
  readonly deleteAfterMs: number;
}
