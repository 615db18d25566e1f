/**
 * The words of the idempotent write path: a request under a key, the work it asks for, and the answer.
 * It holds types only.
 */
import type { AcquirerResult, Attempt } from "../domain/attempt.ts";
import type { Fence, StoredOutcome, Timings } from "../domain/idempotency.ts";
import type { Intention } from "../domain/intention.ts";
import type { PaymentIntent } from "../domain/payment-intent.ts";
import type { Change, FoundRows, KeyRow, ReadKeys } from "../domain/rows.ts";
import type { Clock, GuardedCache, Ledger, LedgerTransactionScope, Log, Random } from "./ports.ts";

/** A request after authentication and validation: only what the idempotent path needs of it. */
export interface IdempotentRequest {
  readonly accountId: string;
  /** The client's key; null when it sent none, then `keyHash` is made by the server and no twin can exist. */
  readonly idempotencyKey: string | null;
  /** See `keyIdentity`. */
  readonly keyHash: string;
  /** See `requestFingerprint`. */
  readonly fingerprint: string;
  readonly method: string;
  readonly path: string;
  readonly requestId: string;
  readonly expand: readonly string[];
  /** How long to wait for a running twin before 409, in milliseconds. */
  readonly waitMs: number;
}

/** What a command does in the first transaction. */
export interface Work {
  /** Rows that `begin` decides on; read in the same round trip as the key row. */
  readonly reads: ReadKeys;
  /** Present when the command depends on no stored row: then the first commit is one blind insert. */
  readonly blind?: (fence: Fence) => Begun;
  /** Decides on what was found. It may run again, so its ids and time were made before. */
  readonly begin: (found: FoundRows, scope: LedgerTransactionScope, fence: Fence) => Promise<Begun>;
  /**
   * Carries out an `intention`, after the first transaction. It may run again, in another process too, so it is guarded
   * by a `create` on an id made from the key row (`intentionId`, design section 4.9), and each run gives what the first did.
   */
  readonly perform?: (row: KeyRow) => Promise<StoredOutcome>;
}

/** What the first transaction commits beside the key row. */
export type Begun =
  | {
      readonly kind: "decided";
      readonly changes: readonly Change[];
      readonly outcome: StoredOutcome;
      readonly resourceId: string | null;
    }
  | {
      readonly kind: "attempt";
      readonly changes: readonly Change[];
      readonly attempt: Attempt;
      readonly resourceId: string;
    }
  /**
   * The key row alone, without an outcome but with what is wanted: what is to be changed lives outside the ledger, and
   * `perform` does it, or the completer has it done.
   */
  | {
      readonly kind: "intention";
      readonly changes: readonly [];
      readonly resourceId: string | null;
      readonly intention: Intention;
    }
  | { readonly kind: "locked" };

/** How the first transaction ended. */
export type FirstCommit =
  | { readonly kind: "decided"; readonly row: KeyRow; readonly outcome: StoredOutcome }
  | { readonly kind: "attempt"; readonly row: KeyRow; readonly attempt: Attempt }
  /** The key row stands without an outcome and without an attempt; `perform` is due. */
  | { readonly kind: "intention"; readonly row: KeyRow }
  | { readonly kind: "locked" }
  /** Somebody's outcome stands already. */
  | { readonly kind: "replay"; readonly row: KeyRow; readonly outcome: StoredOutcome }
  /** The key was first used for another request. */
  | { readonly kind: "mismatch"; readonly row: KeyRow }
  /** Another worker holds the key row and its lease lives. */
  | { readonly kind: "busy" };

/** The answer to give. */
export interface Answer {
  readonly outcome: StoredOutcome;
  /** Id of the first request under the key. */
  readonly originalRequestId: string;
  /** True when this run did not make the answer. */
  readonly replayed: boolean;
  /** Generation of the claim under which it was made; a takeover raises it. */
  readonly generation: number;
}

/**
 * What became of a key in one request, for the request's log line: `waited` is a replay that a twin waited for, `adopted`
 * went on with an attempt whose worker died, `released` gave the key (or only its lease) back without an answer.
 */
export type KeyOutcome = "executed" | "replayed" | "waited" | "in_use" | "mismatch" | "adopted" | "released";

/** The same with the claim's generation; null when the request never held nor met a claim it could read. */
export interface KeyStory {
  readonly keyOutcome: KeyOutcome;
  readonly generation: number | null;
}

/** Calls the acquirer for an open attempt and commits its answer (the second transaction). */
export type SettleAttempt = (attempt: Attempt, sealedBy: "client" | "completer") => Promise<Settled>;

/** Commits what the acquirer is known to have said of an attempt. */
export type CommitResult = (
  attempt: Attempt,
  result: AcquirerResult,
  sealedBy: "client" | "completer",
) => Promise<Settled>;

/** Asks how a challenge went and goes on from there. */
export type FinishChallenge = (attemptId: string) => Promise<ChallengeEnd>;

/** How a challenge stands; `gone` is one that a later command made pointless, `unknown` one that nobody ever asked for. */
export type ChallengeEnd =
  | { readonly kind: "unknown" }
  | {
      readonly kind: "waiting" | "gone" | "went_on" | "failed";
      readonly attempt: Attempt;
      /** The intent as it was read last. */
      readonly intent: PaymentIntent;
    };

/** How an attempt ended. */
export interface Settled {
  /** The key row with its outcome; null when the key no longer belongs to the attempt. */
  readonly row: KeyRow | null;
  /** True when this run closed the attempt, false when it found it closed. */
  readonly won: boolean;
}

/** What the idempotent path needs. */
export interface IdempotencyDependencies {
  readonly cache: GuardedCache;
  readonly ledger: Ledger;
  readonly settle: SettleAttempt;
  readonly clock: Clock;
  readonly random: Random;
  readonly timings: Timings;
  readonly log: Log;
  /** Hears once, for a request with a client's key, what became of it. */
  readonly tellKey?: ((story: KeyStory) => void) | undefined;
}
