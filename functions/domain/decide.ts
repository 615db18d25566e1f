/**
 * The state machine of a payment intent: (state, command, time) to a decision as data (contract section 5.3).
 * It never reads a clock, a store or a random source: time and new ids arrive with the command.
 */
import type { AcquirerResult, Attempt } from "./attempt.ts";
import type { Charge } from "./charge.ts";
import type { EventDraft } from "./events.ts";
import { bookCharge, type LedgerTransaction } from "./ledger.ts";
import { checkAmount } from "./money.ts";
import {
  type CancellationReason,
  type IntentChanges,
  mergeMetadata,
  type PaymentIntent,
  type PaymentIntentStatus,
} from "./payment-intent.ts";

/**
 * Decides what a command does to an intent.
 * A refusal says why and changes nothing; `locked` means that an attempt holds the slot (429 `lock_timeout`).
 * @throws DomainError for amounts outside the limits of a changed currency
 */
export function decide(intent: PaymentIntent, command: Command, nowMs: number): Decision {
  if (intent.activeAttemptId !== null && command.kind !== "settle") return { kind: "locked" };
  switch (command.kind) {
    case "update":
      return update(intent, command.changes, command.ids);
    case "confirm":
      return confirm(intent, command, nowMs);
    case "cancel":
      return cancel(intent, command.reason, nowMs);
    case "settle":
      return settle(intent, command.attempt, command.result, nowMs);
  }
}

/** What can be asked of an intent. */
export type Command =
  | { readonly kind: "update"; readonly changes: IntentChanges; readonly ids: ChangeIds }
  | ConfirmCommand
  | { readonly kind: "cancel"; readonly reason: CancellationReason | null }
  | { readonly kind: "settle"; readonly attempt: Attempt; readonly result: AcquirerResult };

/** A confirm, with everything its attempt needs beside the intent. */
export interface ConfirmCommand {
  readonly kind: "confirm";
  readonly changes: IntentChanges;
  readonly ids: ChangeIds & { readonly attemptId: string; readonly chargeId: string };
  readonly keyHash: string;
  readonly leaseUntilMs: number;
}

/** Ids made before the transaction starts, because its body may run again. */
export interface ChangeIds {
  /** Id for a payment method that the command brings. */
  readonly paymentMethodId: string;
}

/** The outcome of a command, as data that one transaction commits. */
export type Decision =
  | { readonly kind: "locked" }
  | { readonly kind: "refused"; readonly message: string }
  | {
      readonly kind: "changed";
      readonly intent: PaymentIntent;
      readonly events: readonly EventDraft[];
      readonly attempt?: Attempt;
      readonly charge?: Charge;
      readonly booking?: LedgerTransaction;
    };

/** States from which a cancel is legal (contract section 5.3). */
export const cancelableStatuses: readonly PaymentIntentStatus[] = ["requires_payment_method", "requires_confirmation"];

/** States from which a confirm is legal. */
export const confirmableStatuses: readonly PaymentIntentStatus[] = ["requires_payment_method", "requires_confirmation"];

function update(intent: PaymentIntent, changes: IntentChanges, ids: ChangeIds): Decision {
  const closed = intent.status === "succeeded" || intent.status === "canceled";
  const movesMoney = moneyFields.some((field) => changes[field] !== undefined);
  if (closed && movesMoney) {
    const field = wireNames[moneyFields.find((name) => changes[name] !== undefined) ?? "amountMinor"];
    return unexpected(intent, `its ${field} could not be updated`, [
      "requires_payment_method",
      "requires_confirmation",
    ]);
  }
  return { kind: "changed", intent: applyChanges(intent, changes, ids), events: [] };
}

function confirm(intent: PaymentIntent, command: ConfirmCommand, nowMs: number): Decision {
  if (intent.status === "succeeded") {
    return {
      kind: "refused",
      message:
        "You cannot confirm this PaymentIntent because it has already succeeded after being previously confirmed.",
    };
  }
  if (!confirmableStatuses.includes(intent.status))
    return unexpected(intent, "it could not be confirmed", confirmableStatuses);
  const changed = applyChanges(intent, command.changes, command.ids);
  if (changed.paymentMethod === null) {
    return {
      kind: "refused",
      message:
        "You cannot confirm this PaymentIntent because it's missing a payment method. Update it with a payment method, or pass one to confirm.",
    };
  }
  const attempt: Attempt = {
    id: command.ids.attemptId,
    accountId: intent.accountId,
    intentId: intent.id,
    kind: "authorize",
    state: "open",
    amountMinor: changed.amountMinor,
    currency: changed.currency,
    paymentMethodToken: changed.paymentMethod.token,
    paymentMethodId: changed.paymentMethod.id,
    chargeId: command.ids.chargeId,
    keyHash: command.keyHash,
    leaseUntilMs: command.leaseUntilMs,
    createdAtMs: nowMs,
    closedAtMs: null,
  };
  return {
    kind: "changed",
    intent: { ...changed, status: "processing", activeAttemptId: attempt.id },
    attempt,
    events: [],
  };
}

function cancel(intent: PaymentIntent, reason: CancellationReason | null, nowMs: number): Decision {
  if (!cancelableStatuses.includes(intent.status))
    return unexpected(intent, "it could not be canceled", cancelableStatuses);
  const canceled: PaymentIntent = {
    ...intent,
    version: intent.version + 1,
    status: "canceled",
    canceledAtMs: nowMs,
    cancellationReason: reason,
  };
  return { kind: "changed", intent: canceled, events: [{ type: "payment_intent.canceled", about: "payment_intent" }] };
}

function settle(intent: PaymentIntent, attempt: Attempt, result: AcquirerResult, nowMs: number): Decision {
  if (attempt.state !== "open" || intent.activeAttemptId !== attempt.id) {
    throw new Error(`Attempt ${attempt.id} is not the open attempt of ${intent.id}; it must not be settled.`);
  }
  const charge = chargeOf(intent, attempt, result, nowMs);
  const free = { ...intent, version: intent.version + 1, activeAttemptId: null, latestChargeId: charge.id };
  const closed = { ...attempt, closedAtMs: nowMs };
  if (result.kind === "approved") {
    return {
      kind: "changed",
      intent: { ...free, status: "succeeded", amountReceivedMinor: attempt.amountMinor, lastPaymentError: null },
      attempt: { ...closed, state: "succeeded" },
      charge,
      booking: bookCharge(charge, nowMs),
      events: [
        { type: "charge.succeeded", about: "charge" },
        { type: "payment_intent.succeeded", about: "payment_intent" },
      ],
    };
  }
  const paymentMethod = { id: attempt.paymentMethodId, token: attempt.paymentMethodToken };
  return {
    kind: "changed",
    intent: {
      ...free,
      status: "requires_payment_method",
      paymentMethod: null,
      lastPaymentError: { ...result.failure, chargeId: charge.id, paymentMethod },
    },
    attempt: { ...closed, state: "declined" },
    charge,
    events: [
      { type: "charge.failed", about: "charge" },
      { type: "payment_intent.payment_failed", about: "payment_intent" },
    ],
  };
}

function chargeOf(intent: PaymentIntent, attempt: Attempt, result: AcquirerResult, nowMs: number): Charge {
  const approved = result.kind === "approved";
  return {
    id: attempt.chargeId,
    accountId: attempt.accountId,
    intentId: attempt.intentId,
    attemptId: attempt.id,
    version: 1,
    status: approved ? "succeeded" : "failed",
    amountMinor: attempt.amountMinor,
    capturedMinor: approved ? attempt.amountMinor : 0n,
    refundedMinor: 0n,
    currency: attempt.currency,
    createdAtMs: nowMs,
    paymentMethodId: attempt.paymentMethodId,
    paymentMethodToken: attempt.paymentMethodToken,
    acquirerReference: approved ? result.reference : null,
    failure: approved ? null : result.failure,
    description: intent.description,
    customer: intent.customer,
    receiptEmail: intent.receiptEmail,
    statementDescriptor: intent.statementDescriptor,
    statementDescriptorSuffix: intent.statementDescriptorSuffix,
    metadata: intent.metadata,
  };
}

function applyChanges(intent: PaymentIntent, changes: IntentChanges, ids: ChangeIds): PaymentIntent {
  const { amountMinor, currency, captureMethod, paymentMethodToken, metadata, ...details } = changes;
  const next = {
    ...intent,
    ...details,
    version: intent.version + 1,
    amountMinor: amountMinor ?? intent.amountMinor,
    currency: currency ?? intent.currency,
    captureMethod: captureMethod ?? intent.captureMethod,
    metadata: mergeMetadata(intent.metadata, metadata),
    // Any later change forgets the last decline (contract section 5.3).
    lastPaymentError: null,
  };
  if (amountMinor !== undefined || currency !== undefined) checkAmount(next.amountMinor, next.currency);
  if (paymentMethodToken === undefined) return next;
  const paymentMethod = paymentMethodToken === null ? null : { id: ids.paymentMethodId, token: paymentMethodToken };
  const status = paymentMethod === null ? "requires_payment_method" : "requires_confirmation";
  return { ...next, paymentMethod, status };
}

/** Fields that a closed intent no longer takes. */
const moneyFields = ["amountMinor", "currency", "captureMethod", "paymentMethodToken"] as const;

const wireNames: Record<(typeof moneyFields)[number], string> = {
  amountMinor: "amount",
  currency: "currency",
  captureMethod: "capture_method",
  paymentMethodToken: "payment_method",
};

function unexpected(intent: PaymentIntent, what: string, allowed: readonly PaymentIntentStatus[]): Decision {
  return {
    kind: "refused",
    message: `This PaymentIntent's status is ${intent.status}, so ${what}. Only a PaymentIntent with one of these statuses may: ${allowed.join(", ")}.`,
  };
}
