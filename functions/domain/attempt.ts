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
  readonly kind: "authorize";
  readonly state: "open" | "succeeded" | "declined";
  readonly amountMinor: bigint;
  readonly currency: Currency;
  /** What the acquirer is given: a test payment method of contract 5.4, or the token of a real processor. */
  readonly paymentMethodToken: string;
  /** `pm_…` id under which the API shows that payment method. */
  readonly paymentMethodId: string;
  /** Id of the charge that will come of it, made before the call so that a repeated second commit names the same one. */
  readonly chargeId: string;
  /** Identity of the idempotency key that owns the attempt. */
  readonly keyHash: string;
  /** No call starts after this minus the call's timeout; the completer waits until this plus it. */
  readonly leaseUntilMs: number;
  readonly createdAtMs: number;
  readonly closedAtMs: number | null;
}

/** What the acquirer said, once it said something. Silence is an error (`acquirer_unknown`), never a result. */
export type AcquirerResult =
  | { readonly kind: "approved"; readonly reference: string }
  | { readonly kind: "declined"; readonly failure: ChargeFailure };
