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
  readonly state: "open" | "succeeded" | "declined";
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
  /** Identity of the idempotency key that owns the attempt. */
  readonly keyHash: string;
  /** No call starts after this minus the call's timeout; the completer waits until this plus it. */
  readonly leaseUntilMs: number;
  readonly createdAtMs: number;
  readonly closedAtMs: number | null;
}

/** What an attempt asks of the acquirer. */
export type AttemptKind = "authorize" | "capture" | "void" | "refund";

/** Why a payment was canceled: the four that a client may give, or by the schedule (contract section 5.1). */
export type CancellationReason = "duplicate" | "fraudulent" | "requested_by_customer" | "abandoned" | "automatic";

/** What the acquirer said, once it said something. Silence is an error (`acquirer_unknown`), never a result. */
export type AcquirerResult =
  | { readonly kind: "approved"; readonly reference: string }
  | { readonly kind: "declined"; readonly failure: ChargeFailure };
