/**
 * A balance and a balance transaction in the words of the API (contract section 6), typed as the official client's own types.
 * It never decides anything and never loads anything: a source stays an id here (see `expand.ts`).
 */
import type Stripe from "stripe";
import type { CurrencyBalance } from "../domain/balance.ts";
import { balanceTransactionId } from "../domain/balance-transaction.ts";
import type { LedgerTransaction } from "../domain/ledger.ts";
import { wireAmount, wireSeconds } from "./wire-scalars.ts";

/** The balance, with a line in both lists for every currency; all of it came from cards. */
export function serializeBalance(balances: readonly CurrencyBalance[]): Stripe.Balance {
  const line = (currency: string, amountMinor: bigint) => {
    const amount = wireAmount(amountMinor);
    return { amount, currency, source_types: { card: amount } };
  };
  return {
    object: "balance",
    available: balances.map(({ currency, availableMinor }) => line(currency, availableMinor)),
    livemode: false,
    pending: balances.map(({ currency, pendingMinor }) => line(currency, pendingMinor)),
  };
}

/** The booking as the merchant sees it at a time (milliseconds since the epoch); its amount is before the fee. */
export function serializeBalanceTransaction(booking: LedgerTransaction, atMs: number): Stripe.BalanceTransaction {
  const fee = wireAmount(booking.feeMinor);
  const net = wireAmount(booking.payableMinor);
  return {
    id: balanceTransactionId(booking),
    object: "balance_transaction",
    amount: net + fee,
    available_on: wireSeconds(booking.availableOnMs),
    balance_type: "payments",
    created: wireSeconds(booking.createdAtMs),
    currency: booking.currency,
    description: null,
    exchange_rate: null,
    fee,
    fee_details: fee === 0 ? [] : [feeDetail(fee, booking.currency)],
    net,
    reporting_category: booking.kind,
    source: booking.sourceId,
    status: booking.availableOnMs <= atMs ? "available" : "pending",
    type: booking.kind,
  };
}

function feeDetail(amount: number, currency: string): Stripe.BalanceTransaction.FeeDetail {
  return { amount, application: null, currency, description: "Payment processing fee", type: "stripe_fee" };
}
