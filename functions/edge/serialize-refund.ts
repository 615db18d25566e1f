/**
 * A refund in the words of the API (contract section 6), typed as the official client's own type.
 * It never decides anything and never loads anything: what it belongs to stays an id here (see `expand.ts`).
 */
import type Stripe from "stripe";
import { bookingsOfRefund } from "../domain/balance-transaction.ts";
import type { Refund } from "../domain/refund.ts";
import { wireAmount, wireMetadata, wireSeconds } from "./wire-scalars.ts";

/** The refund with every field that the client's type promises; amounts in minor units, times in seconds. */
export function serializeRefund(refund: Refund, paymentMethodId: string): Stripe.Refund {
  const [booked, undone] = bookingsOfRefund(refund);
  return {
    id: refund.id,
    object: "refund",
    amount: wireAmount(refund.amountMinor),
    balance_transaction: booked,
    charge: refund.chargeId,
    created: wireSeconds(refund.createdAtMs),
    currency: refund.currency,
    customer: null,
    customer_account: null,
    metadata: wireMetadata(refund.metadata),
    payment_intent: refund.intentId,
    payment_method: paymentMethodId,
    reason: refund.reason,
    receipt_number: null,
    source_transfer_reversal: null,
    status: refund.status,
    transfer_reversal: null,
    ...(refund.status === "failed" ? { failure_reason: "unknown" } : {}),
    ...(undone === null ? {} : { failure_balance_transaction: undone }),
  };
}
