/**
 * Double entry: what is booked for a business action, and the rule that debits equal credits.
 * It never changes or removes a booking: corrections are bookings of their own.
 */

import type { Charge } from "./charge.ts";
import { chartOfAccounts, type LedgerAccount, type Side } from "./chart-of-accounts.ts";
import { availableOnMs, feeMinor, type LedgerTerms } from "./ledger-terms.ts";
import type { Currency } from "./money.ts";

/**
 * The booking of money that was taken: the acquirer owes us the captured amount, we keep our fee and owe the merchant the
 * rest. It is booked at capture: money that is only held is nobody's debt yet.
 * @throws Error when the entries do not balance, which is a bug and must never be written
 */
export function bookCharge(charge: Charge, terms: LedgerTerms, atMs: number): LedgerTransaction {
  const { id, capturedMinor, currency } = charge;
  const fee = feeMinor(capturedMinor, currency, terms.fees);
  return balanced({
    ...subjectOf(charge, terms, atMs),
    kind: "charge",
    sourceId: id,
    entries: [
      { ledgerAccount: "acquirer_receivable", direction: "debit", amountMinor: capturedMinor },
      // An entry moves something: the smallest captures cost nothing, or are all fee.
      ...entriesOf("merchant_payable", capturedMinor - fee),
      ...entriesOf("platform_fees", fee),
    ],
  });
}

/**
 * The booking of a refund: both debts shrink by its amount. The fee of the charge is not returned.
 * @throws Error when the entries do not balance, which is a bug and must never be written
 */
export function bookRefund(refund: RefundedMoney, terms: LedgerTerms, atMs: number): LedgerTransaction {
  const { id, amountMinor } = refund;
  return balanced({
    ...subjectOf(refund, terms, atMs),
    kind: "refund",
    sourceId: id,
    entries: [
      { ledgerAccount: "merchant_payable", direction: "debit", amountMinor },
      { ledgerAccount: "acquirer_receivable", direction: "credit", amountMinor },
    ],
  });
}

/**
 * The booking of a refund that was booked when the acquirer took it, and failed later: both debts are as before.
 * @throws Error when the entries do not balance, which is a bug and must never be written
 */
export function bookRefundFailure(refund: RefundedMoney, terms: LedgerTerms, atMs: number): LedgerTransaction {
  const { id, amountMinor } = refund;
  return balanced({
    ...subjectOf(refund, terms, atMs),
    kind: "refund_failure",
    sourceId: id,
    entries: [
      { ledgerAccount: "acquirer_receivable", direction: "debit", amountMinor },
      { ledgerAccount: "merchant_payable", direction: "credit", amountMinor },
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
 * The transaction itself, once its debits equal its credits and every entry moves something, with what it comes to.
 * @throws Error when they do not, which is a bug and must never be written
 */
export function balanced(draft: Omit<LedgerTransaction, "payableMinor" | "feeMinor">): LedgerTransaction {
  const { kind, sourceId, entries } = draft;
  if (imbalanceMinor(entries) !== 0n || entries.some((entry) => entry.amountMinor <= 0n)) {
    throw new Error(`Ledger transaction ${kind} ${sourceId} does not balance.`);
  }
  return {
    ...draft,
    payableMinor: raisedMinor(entries, "merchant_payable"),
    feeMinor: raisedMinor(entries, "platform_fees"),
  };
}

/** Sum of debits minus sum of credits; zero for every legal transaction. */
export function imbalanceMinor(entries: readonly LedgerEntry[]): bigint {
  let sum = 0n;
  for (const entry of entries) sum += entry.direction === "debit" ? entry.amountMinor : -entry.amountMinor;
  return sum;
}

/** By how much entries raise an account, counted on its normal side; negative when they lower it. */
export function raisedMinor(entries: readonly LedgerEntry[], account: LedgerAccount): bigint {
  const debitsMinor = imbalanceMinor(entries.filter(({ ledgerAccount }) => ledgerAccount === account));
  return chartOfAccounts[account].normalSide === "debit" ? debitsMinor : -debitsMinor;
}

/** One business action in the books. Its key is (kind, sourceId), so the same action cannot be booked twice. */
export interface LedgerTransaction {
  readonly kind: BookingKind;
  /** Id of the object that the action is about: the charge or the refund. */
  readonly sourceId: string;
  /** The merchant. */
  readonly accountId: string;
  readonly intentId: string;
  readonly currency: Currency;
  readonly createdAtMs: number;
  /** UTC midnight from which the merchant may have the money, in milliseconds; until then it is pending. */
  readonly availableOnMs: number;
  /** What the merchant is owed more by the entries, in minor units: negative for a refund. Balances are its sums. */
  readonly payableMinor: bigint;
  /** What of it we kept, in minor units. */
  readonly feeMinor: bigint;
  readonly entries: readonly LedgerEntry[];
}

/** The business actions that are booked. */
export type BookingKind = "charge" | "refund" | "refund_failure";

/** One line of a booking; amounts are positive, the direction gives the sign. */
export interface LedgerEntry {
  readonly ledgerAccount: LedgerAccount;
  readonly direction: Side;
  readonly amountMinor: bigint;
}

function subjectOf(
  money: Pick<RefundedMoney, "accountId" | "intentId" | "currency">,
  terms: LedgerTerms,
  atMs: number,
) {
  const { accountId, intentId, currency } = money;
  return { accountId, intentId, currency, createdAtMs: atMs, availableOnMs: availableOnMs(atMs, terms) };
}

function entriesOf(ledgerAccount: LedgerAccount, amountMinor: bigint): LedgerEntry[] {
  return amountMinor === 0n
    ? []
    : [{ ledgerAccount, direction: chartOfAccounts[ledgerAccount].normalSide, amountMinor }];
}
