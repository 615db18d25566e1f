/**
 * A charge: one try to move money, successful or failed, as the acquirer answered it.
 * It never changes after its attempt was closed, except by captures and refunds.
 */
import type { Currency } from "./money.ts";

/** One charge (contract section 6). Amounts are minor units. */
export interface Charge {
  readonly id: string;
  readonly accountId: string;
  readonly intentId: string;
  readonly attemptId: string;
  /** Raised by every change; projections order by it. */
  readonly version: number;
  /** `pending` while the acquirer has accepted it and not settled it yet. */
  readonly status: "succeeded" | "pending" | "failed";
  readonly amountMinor: bigint;
  /** What was taken; 0 while the money is only held. */
  readonly capturedMinor: bigint;
  /** Held back for refunds that are under way, so that they never exceed what was captured. */
  readonly refundReservedMinor: bigint;
  readonly refundedMinor: bigint;
  readonly currency: Currency;
  readonly createdAtMs: number;
  /** `pm_…` id of the payment method used. */
  readonly paymentMethodId: string;
  /** Token that the acquirer was given; it names brand and last digits of a test payment method. */
  readonly paymentMethodToken: string;
  /** The acquirer's name for the payment; null when it refused at once. */
  readonly acquirerReference: string | null;
  /** Why it failed; null when it did not. */
  readonly failure: ChargeFailure | null;
  /** What was copied from the intent when the attempt began, so that later updates do not rewrite history. */
  readonly description: string | null;
  readonly customer: string | null;
  readonly receiptEmail: string | null;
  readonly statementDescriptor: string | null;
  readonly statementDescriptorSuffix: string | null;
  readonly metadata: Readonly<Record<string, string>>;
}

/** A decline in the words of contract section 5.4. */
export interface ChargeFailure {
  /** Wire code: `card_declined`, `expired_card`, `authentication_required`, `processing_error`, … */
  readonly code: string;
  /** Finer reason (`insufficient_funds`); null when the network gave none. */
  readonly declineCode: string | null;
  readonly message: string;
}
