/**
 * The payment intent: its fields, its states, and what may be changed from outside.
 * It never decides a move: that is `decide.ts`.
 */
import type { CancellationReason } from "./attempt.ts";
import type { ChargeFailure } from "./charge.ts";
import { refuse } from "./errors.ts";
import type { Currency } from "./money.ts";

/**
 * States that this API serves (contract section 5.3). `processing` stands while an authorization is open, and without the
 * slot while the acquirer settles it later.
 */
export type PaymentIntentStatus =
  | "requires_payment_method"
  | "requires_confirmation"
  | "requires_action"
  | "processing"
  | "requires_capture"
  | "succeeded"
  | "canceled";

/** One payment intent (contract section 5.1). Amounts are minor units of `currency`. */
export interface PaymentIntent extends IntentDetails {
  readonly id: string;
  readonly accountId: string;
  /** Raised by every change; projections order by it. */
  readonly version: number;
  readonly status: PaymentIntentStatus;
  readonly amountMinor: bigint;
  /** When a hold ends by itself, in milliseconds; null unless the status is `requires_capture`. */
  readonly captureBeforeMs: number | null;
  /** What a capture may still take; 0 unless the status is `requires_capture`. */
  readonly amountCapturableMinor: bigint;
  readonly amountReceivedMinor: bigint;
  readonly currency: Currency;
  readonly captureMethod: CaptureMethod;
  readonly confirmationMethod: "automatic" | "manual";
  readonly clientSecret: string;
  readonly createdAtMs: number;
  readonly canceledAtMs: number | null;
  readonly cancellationReason: CancellationReason | null;
  readonly paymentMethod: PaymentMethodReference | null;
  readonly latestChargeId: string | null;
  readonly lastPaymentError: LastPaymentError | null;
  /** What the buyer has to do; null unless the status is `requires_action`. */
  readonly nextAction: NextAction | null;
  /** A passed authentication that the next confirm carries (manual confirmation only); null without. */
  readonly authentication: string | null;
  /** The slot: the one open attempt, or null (design section 5). */
  readonly activeAttemptId: string | null;
}

/** What describes a payment without moving money; all of it may be updated. */
export interface IntentDetails {
  readonly customer: string | null;
  readonly description: string | null;
  readonly receiptEmail: string | null;
  readonly statementDescriptor: string | null;
  readonly statementDescriptorSuffix: string | null;
  readonly transferGroup: string | null;
  readonly setupFutureUsage: "on_session" | "off_session" | null;
  readonly shipping: Shipping | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly paymentMethodTypes: readonly string[];
  readonly automaticPaymentMethods: AutomaticPaymentMethods | null;
}

/** When money is taken: both automatic kinds take it at once, `manual` holds it until a capture. */
export type CaptureMethod = "automatic" | "automatic_async" | "manual";

/** A payment method of one intent: the `pm_…` id that we show and the token that the acquirer gets. */
export interface PaymentMethodReference {
  readonly id: string;
  readonly token: string;
}

/** The last decline, kept until the next update or success (contract section 5.3). */
export interface LastPaymentError extends ChargeFailure {
  /** The failed charge; null when it failed before there was one. */
  readonly chargeId: string | null;
  readonly paymentMethod: PaymentMethodReference;
}

/** What the buyer has to do: go to a page, by a redirect or inside the merchant's own page (contract section 5.4). */
export interface NextAction {
  /** The attempt that waits for it. */
  readonly attemptId: string;
  readonly url: string;
  /** Where the buyer goes in the end; null when the merchant's page shows the challenge itself. */
  readonly returnUrl: string | null;
}

/** Where goods go. */
export interface Shipping {
  readonly name: string | null;
  readonly phone: string | null;
  readonly carrier: string | null;
  readonly trackingNumber: string | null;
  readonly address: Readonly<Record<AddressLine, string | null>>;
}

/** Lines of an address, in wire names. */
export type AddressLine = "line1" | "line2" | "city" | "state" | "postal_code" | "country";

/** Whether the API picks the payment methods. */
export interface AutomaticPaymentMethods {
  readonly enabled: boolean;
  readonly allowRedirects: "always" | "never" | null;
}

/** Changes that an update or a confirm asks for; an absent field stays, null clears. */
export interface IntentChanges extends Partial<Omit<IntentDetails, "metadata">> {
  readonly amountMinor?: bigint;
  readonly currency?: Currency;
  readonly captureMethod?: CaptureMethod;
  /** Token of a new payment method; null removes the present one. */
  readonly paymentMethodToken?: string | null;
  /** Keys to set; null removes one key; a null map removes all (contract section 2). */
  readonly metadata?: Readonly<Record<string, string | null>> | null;
}

/**
 * Metadata after changes: set, removed one by one, or emptied.
 * @throws DomainError `parameter_invalid` with param `metadata` when more than 50 keys would remain
 */
export function mergeMetadata(
  present: Readonly<Record<string, string>>,
  changes: IntentChanges["metadata"],
): Readonly<Record<string, string>> {
  if (changes === undefined) return present;
  if (changes === null) return {};
  const merged: Record<string, string> = Object.assign(Object.create(null), present);
  for (const [key, value] of Object.entries(changes)) {
    if (value === null) delete merged[key];
    else merged[key] = value;
  }
  if (Object.keys(merged).length > metadataKeysMax) {
    throw refuse("parameter_invalid", `An object can have at most ${metadataKeysMax} metadata keys.`, {
      param: "metadata",
    });
  }
  return merged;
}

/** Most metadata keys of one object (contract section 2, "Scalars"). */
export const metadataKeysMax = 50;

/** How long a hold waits for its capture: seven days, then it is canceled (contract section 5.3). */
export const captureWindowMs = 7 * 24 * 60 * 60 * 1000;
