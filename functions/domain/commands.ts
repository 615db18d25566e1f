/**
 * What can be asked of a payment intent, each with everything that its decision needs beside the intent.
 * It holds types only: what a command does is decided in `decide.ts`.
 */
import type { AcquirerResult, Attempt, CancellationReason } from "./attempt.ts";
import type { Asking } from "./challenge.ts";
import type { ChangeIds } from "./change-intent.ts";
import type { Charge } from "./charge.ts";
import type { LedgerTerms } from "./ledger-terms.ts";
import type { IntentChanges } from "./payment-intent.ts";

/** What can be asked of an intent. */
export type Command =
  | UpdateCommand
  | ConfirmCommand
  | CaptureCommand
  | CancelCommand
  | {
      readonly kind: "settle";
      readonly attempt: Attempt;
      readonly result: AcquirerResult;
      /** The charge that the attempt changes; null for an authorization, which makes it. */
      readonly charge: Charge | null;
      /** On what terms a success is booked. */
      readonly terms: LedgerTerms;
    };

/** An update; it makes a challenge pointless when it changes what was to be authenticated. */
export interface UpdateCommand extends AboutChallenge {
  readonly kind: "update";
  readonly changes: IntentChanges;
  readonly ids: ChangeIds;
}

/** A confirm, with everything its attempt needs beside the intent. */
export interface ConfirmCommand extends AboutChallenge {
  readonly kind: "confirm";
  readonly changes: IntentChanges;
  readonly asking: Asking;
  readonly ids: ChangeIds & { readonly attemptId: string; readonly chargeId: string };
  readonly keyHash: string;
  readonly leaseUntilMs: number;
}

/** A capture of all or part of what is held; `charge` is the authorization it is about. */
export interface CaptureCommand extends Intention {
  readonly kind: "capture";
  /** Null takes everything that is held. */
  readonly amountMinor: bigint | null;
  readonly metadata: IntentChanges["metadata"];
}

/** A cancel; what is authorized is voided by an attempt of its own. */
export interface CancelCommand extends Intention, AboutChallenge {
  readonly kind: "cancel";
  readonly reason: CancellationReason | null;
}

/** What a command needs that ends a challenge under way. */
export interface AboutChallenge {
  /** The attempt that the intent waits for; null when it waits for none. */
  readonly challenged: Attempt | null;
}

/** What a command needs that asks the acquirer about an authorization. */
export interface Intention {
  readonly ids: { readonly attemptId: string };
  /** The authorized charge; null when the intent has none. */
  readonly charge: Charge | null;
  readonly keyHash: string;
  readonly leaseUntilMs: number;
}
