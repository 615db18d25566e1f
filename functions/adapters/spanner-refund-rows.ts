/**
 * Refunds as rows of `refunds`.
 * It must never round an amount, nor drop a word of the client's metadata.
 */
import type { Refund } from "../domain/refund.ts";
import { type FoundColumns, reader, type SentColumns, sendJson, sendTime } from "./spanner-columns.ts";

/** The row of a refund; its list shard is computed by the schema. */
export function sendRefund(refund: Refund): SentColumns {
  return {
    refund_id: refund.id,
    account_id: refund.accountId,
    intent_id: refund.intentId,
    charge_id: refund.chargeId,
    version: String(refund.version),
    status: refund.status,
    amount_minor: String(refund.amountMinor),
    currency: refund.currency,
    reason: refund.reason,
    created_at: sendTime(refund.createdAtMs),
    accepted_at: sendTime(refund.acceptedAtMs),
    metadata: sendJson(refund.metadata),
  };
}

/** The refund of a found row. */
export function readRefund(columns: FoundColumns): Refund {
  const read = reader(columns);
  return {
    id: read.text("refund_id"),
    accountId: read.text("account_id"),
    intentId: read.text("intent_id"),
    chargeId: read.text("charge_id"),
    version: read.count("version"),
    status: read.text("status"),
    amountMinor: read.amount("amount_minor"),
    currency: read.text("currency"),
    reason: read.textOrNull("reason"),
    createdAtMs: read.time("created_at"),
    acceptedAtMs: read.timeOrNull("accepted_at"),
    metadata: read.json("metadata"),
  };
}
