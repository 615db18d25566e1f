/**
 * The chart of accounts as data: the accounts that bookings move, what each means and on which side it grows.
 * It never holds an account that no booking uses.
 */

/**
 * Every ledger account. One set serves all merchants and currencies: a booking names its merchant and its currency, so
 * no row stands for an account, and no two payments ever meet in one (design section 5, Ledger).
 */
export const chartOfAccounts = {
  acquirer_receivable: {
    kind: "asset",
    normalSide: "debit",
    meaning: "What the acquirer took from buyers, less what it gave back, and still owes us.",
  },
  merchant_payable: {
    kind: "liability",
    normalSide: "credit",
    meaning: "What we owe the merchant: taken, less fees and refunds. Its sums are the merchant's balance.",
  },
  platform_fees: {
    kind: "income",
    normalSide: "credit",
    meaning: "What we keep of a charge. A refund does not return it.",
  },
} as const satisfies Record<string, AccountDescription>;

/** Name of an account in the chart. */
export type LedgerAccount = keyof typeof chartOfAccounts;

/** What an account is. */
export interface AccountDescription {
  /** What we have, what we owe, or what we earned. */
  readonly kind: "asset" | "liability" | "income";
  /** The side of an entry that raises the account. */
  readonly normalSide: Side;
  readonly meaning: string;
}

/** Side of an entry. */
export type Side = "debit" | "credit";
