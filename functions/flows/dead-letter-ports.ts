/**
 * What the recorder and a redrive need of the store of dead letters: types only.
 * It never deletes: a letter goes by its expiry, long after it was recorded.
 */
import type { DeadLetter, KeptLetter, RedrivePlan, RedriveReceipt, WaitingLetter } from "../domain/dead-letter.ts";

/** Dead letters and redrives. Every method may reject with `store_unavailable` or `permission_denied`. */
export interface DeadLetters {
  /** Keeps a letter as `waiting`; `known` when it is kept already, and then nothing changes, whatever its state. */
  record(letter: DeadLetter): Promise<"recorded" | "known">;
  /** At most `limit` letters that wait. */
  waiting(limit: number): Promise<readonly WaitingLetter[]>;
  /** The redrive with this id, or undefined. */
  findRedrive(id: string): Promise<Redrive | undefined>;
  /** Keeps a redrive; the one that stands is given when there is one. */
  startRedrive(redrive: Redrive): Promise<Redrive>;
  /** Marks a redrive as done. */
  finishRedrive(id: string, receipt: RedriveReceipt): Promise<void>;
  /**
   * Marks letters as `sending` by a redrive, in one commit, and gives them as they stood before. Those that another
   * redrive has, or that are sent, are given and stay as they are.
   */
  take(letterIds: readonly string[], redriveId: string): Promise<readonly KeptLetter[]>;
  /** Marks letters as `sent`, in one commit. */
  settle(letterIds: readonly string[], redriveId: string): Promise<void>;
}

/** A redrive that was begun. */
export interface Redrive {
  readonly id: string;
  readonly events: RedrivePlan["events"];
  readonly startedAtMs: number;
  /** Null until it is done. */
  readonly receipt: RedriveReceipt | null;
}
