/**
 * An attempt: the durable intention to call the acquirer once, written before the call (design section 5, Phases).
 * It never changes its frozen amount, currency or payment method; only its state, lease and answer.
 */
import type { ChargeFailure } from "./charge.ts";
import type { Currency } from "./money.ts";

/** One attempt. The acquirer's idempotency key is its id. */
export interface Attempt {
  readonly id: string;
  readonly accountId: string;
  readonly intentId: string;
  readonly kind: AttemptKind;
  readonly state: AttemptState;
  readonly amountMinor: bigint;
  readonly currency: Currency;
  /** What the acquirer is given: a test payment method of contract 5.4, or the token of a real processor. */
  readonly paymentMethodToken: string;
  /** `pm_…` id under which the API shows that payment method. */
  readonly paymentMethodId: string;
  /** Of an authorization: hold the money only, a capture takes it later. */
  readonly captureLater: boolean;
  /** The acquirer's name for the authorization that a capture, void or refund is about; null for an authorization. */
  readonly acquirerReference: string | null;
  /** The charge it makes or changes; made before the call, so that a repeated second commit names the same one. */
  readonly chargeId: string;
  /** The refund it carries out; null for every other kind. */
  readonly refundId: string | null;
  /** Of a void: why the payment is canceled. */
  readonly cancellationReason: CancellationReason | null;
  /** How the buyer may be asked who they are; null when nobody may ask, and for every kind but an authorization. */
  readonly challenge: ChallengeTerms | null;
  /**
   * The acquirer's name for the buyer's authentication: of a challenged attempt the one that it waits for, of an open one
   * the one that its order carries; null without.
   */
  readonly authentication: string | null;
  /** The attempt whose late effect it takes back; such a one changes no intent and no charge. Null for all others. */
  readonly reversesAttemptId: string | null;
  /** Identity of the idempotency key that owns the attempt. */
  readonly keyHash: string;
  /**
   * While open or voiding: no call starts after this minus the call's timeout, the completer waits until this plus it.
   * While challenged or pending: when to look again.
   */
  readonly leaseUntilMs: number;
  readonly createdAtMs: number;
  readonly closedAtMs: number | null;
}

/**
 * `open`: its call may be running. `challenged`: the buyer was asked. `pending`: the acquirer accepted it and tells its end
 * later. `voiding`: given up, and being voided by its key. The others are closed: `authenticated` went on as another
 * attempt, `superseded` made way for a later command, `voided` had no effect that lasts.
 */
export type AttemptState =
  | "open"
  | "challenged"
  | "pending"
  | "voiding"
  | "succeeded"
  | "declined"
  | "authenticated"
  | "superseded"
  | "voided";

/** True while something is still to come of an attempt: the completer's work, once it falls due. */
export function isUnderWay({ state }: Pick<Attempt, "state">): boolean {
  return state === "open" || state === "challenged" || state === "pending" || state === "voiding";
}

/** The acquirer's key for the void of an authorization that landed after its attempt was voided by key. */
export function lateVoidKey(attemptId: string): string {
  return `${attemptId}_late_void`;
}

/** The attempt that a key belongs to whose void was late; undefined for every other key. */
export function lateVoidedAttempt(key: string): string | undefined {
  return /^(\w+)_late_void$/.exec(key)?.[1];
}

/** The attempt that takes back a late effect: its id follows from the first one's, so that it begins once. */
export function reversalId(attemptId: string): string {
  return `${attemptId}_reversal`;
}

/** The key of an attempt that no request asked for; the attempt's own id keeps it unique. */
export function automaticKey(attemptId: string): string {
  return `automatic:${attemptId}`;
}

/** How the buyer may be asked. All addresses are absolute. */
export interface ChallengeTerms {
  /** Our page that leads to the acquirer's, and refuses once the attempt is no longer waited for. */
  readonly startUrl: string;
  /** Our page to which the acquirer sends the buyer back. */
  readonly returnUrl: string;
  /** Where the merchant wants the buyer in the end; null for one who waits in the merchant's own page. */
  readonly merchantReturnUrl: string | null;
  /** The acquirer's page; null until the acquirer has asked for the challenge. */
  readonly pageUrl: string | null;
}

/** What an attempt asks of the acquirer. */
export type AttemptKind = "authorize" | "capture" | "void" | "refund";

/** Why a payment was canceled: the four that a client may give, or by the schedule (contract section 5.1). */
export type CancellationReason = "duplicate" | "fraudulent" | "requested_by_customer" | "abandoned" | "automatic";

/** What the acquirer said, once it said something. Silence is an error (`acquirer_unknown`), never a result. */
export type AcquirerResult =
  | Approved
  | Declined
  /** The buyer has to say on a page of the acquirer's who they are; `outcome` tells how that went so far. */
  | {
      readonly kind: "challenge";
      readonly reference: string;
      readonly pageUrl: string;
      readonly outcome: "waiting" | "passed" | "refused";
    }
  /** Accepted; the end is known later, at about `settlesAtMs`. */
  | { readonly kind: "pending"; readonly reference: string; readonly settlesAtMs: number };

/** Done; the reference is the acquirer's name for it. */
export type Approved = { readonly kind: "approved"; readonly reference: string };

/** Refused, for good. */
export type Declined = { readonly kind: "declined"; readonly failure: ChargeFailure };
