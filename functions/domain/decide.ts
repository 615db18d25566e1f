/**
 * The state machine of a payment intent: (state, command, time) to a decision as data (contract section 5.3).
 * It never reads a clock, a store or a random source: time and new ids arrive with the command.
 */
import type { Attempt, CancellationReason } from "./attempt.ts";
import { challengeTerms, supersede } from "./challenge.ts";
import { applyChanges, closedField, touchesMoney } from "./change-intent.ts";
import type { Changed } from "./changed.ts";
import type { Charge } from "./charge.ts";
import type { CancelCommand, CaptureCommand, Command, ConfirmCommand, Intention, UpdateCommand } from "./commands.ts";
import { refuse } from "./errors.ts";
import { stepFault } from "./money.ts";
import { mergeMetadata, type PaymentIntent, type PaymentIntentStatus } from "./payment-intent.ts";
import { requireAllowedType } from "./payment-methods.ts";
import { canceledIntent, settle } from "./settle.ts";

/**
 * Decides what a command does to an intent.
 * A refusal says why and changes nothing; `locked` means that an attempt holds the slot (429 `lock_timeout`).
 * @throws DomainError for amounts outside the limits of a changed currency, or that a capture cannot take
 */
export function decide(intent: PaymentIntent, command: Command, nowMs: number): Decision {
  if (intent.activeAttemptId !== null && command.kind !== "settle") return { kind: "locked" };
  switch (command.kind) {
    case "update":
      return update(intent, command, nowMs);
    case "confirm":
      return confirm(intent, command, nowMs);
    case "capture":
      return capture(intent, command, nowMs);
    case "cancel":
      return cancel(intent, command, nowMs);
    case "settle":
      return {
        kind: "changed",
        ...settle(intent, command.attempt, command.charge, command.result, command.terms, nowMs),
      };
  }
}

/** The outcome of a command, as data that one transaction commits. */
export type Decision =
  | { readonly kind: "locked" }
  | { readonly kind: "refused"; readonly message: string }
  | ({ readonly kind: "changed" } & Changed);

/** States from which a cancel is legal (contract section 5.3). */
export const cancelableStatuses: readonly PaymentIntentStatus[] = [
  "requires_payment_method",
  "requires_confirmation",
  "requires_action",
  "requires_capture",
];

/** States from which a confirm is legal. */
export const confirmableStatuses: readonly PaymentIntentStatus[] = [
  "requires_payment_method",
  "requires_confirmation",
  "requires_action",
];

function update(intent: PaymentIntent, { changes, ids, challenged }: UpdateCommand, nowMs: number): Decision {
  const field = closedField(intent, changes);
  if (field !== undefined) return unexpected(intent, `its ${field} could not be updated`, confirmableStatuses);
  const changed = applyChanges(intent, changes, ids);
  if (changes.paymentMethodToken) requireAllowedType(changes.paymentMethodToken, changed.paymentMethodTypes);
  const ended = touchesMoney(changes) ? endedChallenge(intent, challenged, nowMs) : {};
  return { kind: "changed", intent: changed, ...ended, events: [] };
}

/** The challenge that the intent waits for, made pointless. */
function endedChallenge(intent: PaymentIntent, challenged: Attempt | null, nowMs: number): { superseded?: Attempt } {
  if (intent.nextAction === null) return {};
  if (challenged?.id !== intent.nextAction.attemptId) throw new Error(`The challenge of ${intent.id} was not read.`);
  return { superseded: supersede(challenged, nowMs) };
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
  requireAllowedType(changed.paymentMethod.token, changed.paymentMethodTypes);
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
    captureLater: changed.captureMethod === "manual",
    acquirerReference: null,
    chargeId: command.ids.chargeId,
    refundId: null,
    cancellationReason: null,
    challenge: challengeTerms(command.asking, command.ids.attemptId),
    authentication: changed.authentication,
    reversesAttemptId: null,
    keyHash: command.keyHash,
    leaseUntilMs: command.leaseUntilMs,
    createdAtMs: nowMs,
    closedAtMs: null,
  };
  const taken = { status: "processing", activeAttemptId: attempt.id, nextAction: null, authentication: null } as const;
  const ended = endedChallenge(intent, command.challenged, nowMs);
  return { kind: "changed", intent: { ...changed, ...taken }, attempt, ...ended, events: [] };
}

function capture(intent: PaymentIntent, command: CaptureCommand, nowMs: number): Decision {
  if (intent.status === "succeeded") {
    return {
      kind: "refused",
      message: "This PaymentIntent could not be captured because it has already been captured.",
    };
  }
  if (intent.status !== "requires_capture") return unexpected(intent, "it could not be captured", ["requires_capture"]);
  const amountMinor = command.amountMinor ?? intent.amountCapturableMinor;
  if (amountMinor > intent.amountCapturableMinor) {
    const message = `The amount to capture (${amountMinor}) is greater than the capturable amount (${intent.amountCapturableMinor}).`;
    throw refuse("amount_too_large", message, { param: "amount_to_capture" });
  }
  const fault = stepFault(amountMinor, intent.currency, "amount_to_capture");
  if (fault !== undefined) throw fault;
  const held = { ...intent, metadata: mergeMetadata(intent.metadata, command.metadata) };
  return intend(
    held,
    authorizedCharge(intent, command),
    { kind: "capture", amountMinor, reason: null },
    command,
    nowMs,
  );
}

function cancel(intent: PaymentIntent, command: CancelCommand, nowMs: number): Decision {
  if (!cancelableStatuses.includes(intent.status))
    return unexpected(intent, "it could not be canceled", cancelableStatuses);
  if (intent.status === "requires_capture") {
    const what = { kind: "void", amountMinor: intent.amountCapturableMinor, reason: command.reason } as const;
    return intend(intent, authorizedCharge(intent, command), what, command, nowMs);
  }
  const canceled = canceledIntent(intent, command.reason, nowMs);
  const ended = endedChallenge(intent, command.challenged, nowMs);
  const events = [{ type: "payment_intent.canceled", about: "payment_intent" }] as const;
  return { kind: "changed", intent: canceled, ...ended, events };
}

/** Takes the slot with an attempt about an authorization; the status stays until the acquirer has answered. */
function intend(
  intent: PaymentIntent,
  charge: Charge,
  what: { kind: "capture" | "void"; amountMinor: bigint; reason: CancellationReason | null },
  command: Intention,
  nowMs: number,
): Decision {
  const attempt: Attempt = {
    id: command.ids.attemptId,
    accountId: intent.accountId,
    intentId: intent.id,
    kind: what.kind,
    state: "open",
    amountMinor: what.amountMinor,
    currency: intent.currency,
    paymentMethodToken: charge.paymentMethodToken,
    paymentMethodId: charge.paymentMethodId,
    captureLater: false,
    acquirerReference: charge.acquirerReference,
    chargeId: charge.id,
    refundId: null,
    cancellationReason: what.reason,
    challenge: null,
    authentication: null,
    reversesAttemptId: null,
    keyHash: command.keyHash,
    leaseUntilMs: command.leaseUntilMs,
    createdAtMs: nowMs,
    closedAtMs: null,
  };
  const taken = { ...intent, version: intent.version + 1, activeAttemptId: attempt.id };
  return { kind: "changed", intent: taken, attempt, events: [] };
}

function authorizedCharge(intent: PaymentIntent, { charge }: Intention): Charge {
  if (charge === null || charge.id !== intent.latestChargeId)
    throw new Error(`The authorization of ${intent.id} was not read.`);
  return charge;
}

function unexpected(intent: PaymentIntent, what: string, allowed: readonly PaymentIntentStatus[]): Decision {
  return {
    kind: "refused",
    message: `This PaymentIntent's status is ${intent.status}, so ${what}. Only a PaymentIntent with one of these statuses may: ${allowed.join(", ")}.`,
  };
}
