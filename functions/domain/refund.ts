/**
 * A refund: what was given back of one charge, and the rule that the sum never exceeds what was captured.
 * It never changes its amount; it moves from pending to an end, once.
 */
import type { Attempt } from "./attempt.ts";
import type { Charge } from "./charge.ts";
import { type DomainError, refuse } from "./errors.ts";
import { type Currency, stepFault } from "./money.ts";

/** One refund (contract section 6). Amounts are minor units. */
export interface Refund {
  readonly id: string;
  readonly accountId: string;
  readonly intentId: string;
  readonly chargeId: string;
  /** Raised by every change; projections order by it. */
  readonly version: number;
  readonly status: "pending" | "succeeded" | "failed";
  readonly amountMinor: bigint;
  readonly currency: Currency;
  readonly reason: RefundReason | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly createdAtMs: number;
  /** When the acquirer accepted it, which books it; null until then, and for one that was refused at once. */
  readonly acceptedAtMs: number | null;
}

/** 404 for a refund that does not exist for the asker; `param` names where its id stood. */
export function noSuchRefund(refundId: string, param = "refund"): DomainError {
  return refuse("resource_missing", `No such refund: '${refundId}'`, { param });
}

/** Reasons a client may give. */
export type RefundReason = "duplicate" | "fraudulent" | "requested_by_customer";

/** What a client asks to be given back; a null amount means the whole rest. */
export interface RefundRequest {
  readonly amountMinor: bigint | null;
  readonly reason: RefundReason | null;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Ids made before the transaction starts, because its body may run again. */
export interface RefundIds {
  readonly refundId: string;
  readonly attemptId: string;
}

/** A refund that was begun: reserved on the charge, and intended by an attempt. */
export interface BegunRefund {
  readonly refund: Refund;
  readonly charge: Charge;
  readonly attempt: Attempt;
}

/**
 * Reserves the amount on the charge and makes the attempt that asks for it. The charge is read and written in one
 * serializable transaction, so two refunds at once cannot both take the same rest (design section 5).
 * @returns the refusal as an error value, because a refusal decided on ledger state is stored under its key
 */
export function beginRefund(
  charge: Charge,
  asked: RefundRequest,
  ids: RefundIds,
  fence: { keyHash: string; leaseUntilMs: number },
  nowMs: number,
): BegunRefund | DomainError {
  const rest = charge.capturedMinor - charge.refundedMinor - charge.refundReservedMinor;
  if (charge.capturedMinor === 0n || charge.acquirerReference === null) {
    return refuse(
      "refund_impossible",
      `This PaymentIntent (${charge.intentId}) does not have a successful charge to refund.`,
      { param: "payment_intent" },
    );
  }
  // A refund under way counts until it fails (contract section 6, Bound).
  if (rest === 0n) {
    return refuse("charge_already_refunded", `Charge ${charge.id} has already been refunded.`);
  }
  const amountMinor = asked.amountMinor ?? rest;
  if (amountMinor > rest || amountMinor <= 0n) {
    return refuse(
      "refund_too_large",
      `Refund amount (${amountMinor}) is greater than unrefunded amount on charge (${rest}).`,
      { param: "amount" },
    );
  }
  const fault = stepFault(amountMinor, charge.currency, "amount");
  if (fault !== undefined) return fault;
  const shared = {
    accountId: charge.accountId,
    intentId: charge.intentId,
    chargeId: charge.id,
    amountMinor,
    currency: charge.currency,
    createdAtMs: nowMs,
  };
  return {
    refund: {
      ...shared,
      id: ids.refundId,
      version: 1,
      status: "pending",
      reason: asked.reason,
      metadata: asked.metadata,
      acceptedAtMs: null,
    },
    charge: { ...charge, version: charge.version + 1, refundReservedMinor: charge.refundReservedMinor + amountMinor },
    attempt: {
      ...shared,
      ...fence,
      id: ids.attemptId,
      kind: "refund",
      state: "open",
      paymentMethodToken: charge.paymentMethodToken,
      paymentMethodId: charge.paymentMethodId,
      captureLater: false,
      acquirerReference: charge.acquirerReference,
      refundId: ids.refundId,
      cancellationReason: null,
      challenge: null,
      authentication: null,
      reversesAttemptId: null,
      closedAtMs: null,
    },
  };
}
