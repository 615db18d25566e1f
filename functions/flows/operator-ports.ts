/**
 * What the operator's desk needs of its store: types only.
 * It never names a product; the memory twin and the real store meet one contract.
 */
import type { OperatorAction } from "../domain/operator-action.ts";

/** Actions of operators; a row is never deleted, and only moves forward. */
export interface OperatorStore {
  /** Adds a proposal. @throws DomainError `internal` when its id is taken by another one, and as every store does */
  add(action: OperatorAction): Promise<void>;
  read(id: string): Promise<OperatorAction | undefined>;
  /** Actions about an attempt, newest first, at most `limit`. */
  about(attemptId: string, limit: number): Promise<readonly OperatorAction[]>;
  /** Actions that were confirmed and not carried out, oldest confirmation first, at most `limit`. */
  confirmed(limit: number): Promise<readonly OperatorAction[]>;
  /** Replaces the action if it is still in the state `from`; `lost` says that somebody was faster, and changes nothing. */
  advance(action: OperatorAction, from: OperatorAction["state"]): Promise<"advanced" | "lost">;
}
