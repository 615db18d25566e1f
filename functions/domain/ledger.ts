/**
 * Double entry: what is booked for a business action, and the rule that debits equal credits.
 * It never changes or removes a booking: corrections are bookings of their own.
 */
import type { Charge } from "./charge.ts";
import type { Currency } from "./money.ts";

/**
 * The booking of money that was taken: the acquirer owes us the captured amount, and we owe it to the merchant.
 * @throws Error when the entries do not balance, which is a bug and must never be written
 */
export function bookCharge(charge: Charge, atMs: number): LedgerTransaction {
  return balanced({
    kind: "charge",
    sourceId: charge.id,
    accountId: charge.accountId,
    intentId: charge.intentId,
    currency: charge.currency,
    createdAtMs: atMs,
    entries: [
      { ledgerAccount: "acquirer_receivable", direction: "debit", amountMinor: charge.capturedMinor },
      { ledgerAccount: "merchant_payable", direction: "credit", amountMinor: charge.capturedMinor },
    ],
  });
}

/**
 * The booking of a refund: both debts shrink by its amount.
 * @throws Error when the entries do not balance, which is a bug and must never be written
 */
export function bookRefund(refund: RefundedMoney, atMs: number): LedgerTransaction {
  return balanced({
    kind: "refund",
    sourceId: refund.id,
    accountId: refund.accountId,
    intentId: refund.intentId,
    currency: refund.currency,
    createdAtMs: atMs,
    entries: [
      { ledgerAccount: "merchant_payable", direction: "debit", amountMinor: refund.amountMinor },
      { ledgerAccount: "acquirer_receivable", direction: "credit", amountMinor: refund.amountMinor },
    ],
  });
}

/**
 * The booking of a refund that the acquirer had accepted and that failed: both debts are as they were before it.
 * @throws Error when the entries do not balance, which is a bug and must never be written
 */
export function bookRefundFailure(refund: RefundedMoney, atMs: number): LedgerTransaction {
  return balanced({
    kind: "refund_failure",
    sourceId: refund.id,
    accountId: refund.accountId,
    intentId: refund.intentId,
    currency: refund.currency,
    createdAtMs: atMs,
    entries: [
      { ledgerAccount: "acquirer_receivable", direction: "debit", amountMinor: refund.amountMinor },
      { ledgerAccount: "merchant_payable", direction: "credit", amountMinor: refund.amountMinor },
    ],
  });
}

/** What of a refund is booked; amounts are minor units. */
export interface RefundedMoney {
  readonly id: string;
  readonly accountId: string;
  readonly intentId: string;
  readonly currency: Currency;
  readonly amountMinor: bigint;
}

/**
 * The transaction itself, once its debits equal its credits and every entry moves something.
 * @throws Error when they do not, which is a bug and must never be written
 */
export function balanced(transaction: LedgerTransaction): LedgerTransaction {
  if (imbalanceMinor(transaction.entries) !== 0n || transaction.entries.some((entry) => entry.amountMinor <= 0n)) {
    throw new Error(`Ledger transaction ${transaction.kind} ${transaction.sourceId} does not balance.`);
  }
  return transaction;
}

/** Sum of debits minus sum of credits; zero for every legal transaction. */
export function imbalanceMinor(entries: readonly LedgerEntry[]): bigint {
  let sum = 0n;
  for (const entry of entries) sum += entry.direction === "debit" ? entry.amountMinor : -entry.amountMinor;
  return sum;
}

/** One business action in the books. Its key is (kind, sourceId), so the same action cannot be booked twice. */
export interface LedgerTransaction {
  readonly kind: "charge" | "refund" | "refund_failure";
  /** Id of the object that the action is about: the charge or the refund. */
  readonly sourceId: string;
  /** The merchant. */
  readonly accountId: string;
  readonly intentId: string;
  readonly currency: Currency;
  readonly createdAtMs: number;
  readonly entries: readonly LedgerEntry[];
}

/** One line of a booking; amounts are positive, the direction gives the sign. */
export interface LedgerEntry {
  readonly ledgerAccount: LedgerAccount;
  readonly direction: "debit" | "credit";
  readonly amountMinor: bigint;
}

/** The chart of accounts: what the acquirer owes us, and what we owe the merchant. */
export type LedgerAccount = "acquirer_receivable" | "merchant_payable";
