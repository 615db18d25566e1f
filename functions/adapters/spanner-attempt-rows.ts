/**
 * Attempts as rows of `attempts`: what was frozen, how it stands, and when somebody comes by for it.
 * It must never compute when an attempt is due: the row says it, and the index follows.
 */
import type { Attempt } from "../domain/attempt.ts";
import { type FoundColumns, reader, type SentColumns, sendJson, sendTime } from "./spanner-columns.ts";

/** The row of an attempt; its open shard is computed by the schema. */
export function sendAttempt(attempt: Attempt): SentColumns {
  return {
    attempt_id: attempt.id,
    account_id: attempt.accountId,
    intent_id: attempt.intentId,
    kind: attempt.kind,
    state: attempt.state,
    amount_minor: String(attempt.amountMinor),
    currency: attempt.currency,
    payment_method_token: attempt.paymentMethodToken,
    payment_method_id: attempt.paymentMethodId,
    capture_later: attempt.captureLater,
    acquirer_reference: attempt.acquirerReference,
    charge_id: attempt.chargeId,
    refund_id: attempt.refundId,
    cancellation_reason: attempt.cancellationReason,
    challenge: sendJson(attempt.challenge),
    authentication: attempt.authentication,
    reverses_attempt_id: attempt.reversesAttemptId,
    key_hash: attempt.keyHash,
    lease_until: sendTime(attempt.leaseUntilMs),
    created_at: sendTime(attempt.createdAtMs),
    closed_at: sendTime(attempt.closedAtMs),
  };
}

/** The attempt of a found row. */
export function readAttempt(columns: FoundColumns): Attempt {
  const read = reader(columns);
  return {
    id: read.text("attempt_id"),
    accountId: read.text("account_id"),
    intentId: read.text("intent_id"),
    kind: read.text("kind"),
    state: read.text("state"),
    amountMinor: read.amount("amount_minor"),
    currency: read.text("currency"),
    paymentMethodToken: read.text("payment_method_token"),
    paymentMethodId: read.text("payment_method_id"),
    captureLater: read.flag("capture_later"),
    acquirerReference: read.textOrNull("acquirer_reference"),
    chargeId: read.text("charge_id"),
    refundId: read.textOrNull("refund_id"),
    cancellationReason: read.textOrNull("cancellation_reason"),
    challenge: read.jsonOrNull("challenge"),
    authentication: read.textOrNull("authentication"),
    reversesAttemptId: read.textOrNull("reverses_attempt_id"),
    keyHash: read.text("key_hash"),
    leaseUntilMs: read.time("lease_until"),
    createdAtMs: read.time("created_at"),
    closedAtMs: read.timeOrNull("closed_at"),
  };
}
