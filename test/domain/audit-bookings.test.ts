// The audit of what stands beside a booking's entries: what is owed, the fee, and the day from which it is available.
// It must never plant through a store: what a store lets through is never wrong.
import { audited, booking, type Plant, paidAndRefunded, summed } from "../support/planted-books.ts";

test.each<[string, Plant, string]>([
  [
    "a booking that says it owes the merchant more",
    booking("charge", { payableMinor: 1_913n }),
    "charge/ch_1: it says that 1913 is payable, its entries say 1912",
  ],
  [
    "a booking that says it took another fee",
    booking("charge", { feeMinor: 0n }),
    "charge/ch_1: it says that 0 is the fee, its entries say 88",
  ],
  [
    "a charge whose fee is more than it took",
    (rows) =>
      summed(rows, "charge", [
        { ledgerAccount: "acquirer_receivable", direction: "debit", amountMinor: 2_000n },
        { ledgerAccount: "merchant_payable", direction: "debit", amountMinor: 1n },
        { ledgerAccount: "platform_fees", direction: "credit", amountMinor: 2_001n },
      ]),
    "charge/ch_1: it takes a fee of 2001 from 2000",
  ],
  [
    "a refund that takes a fee",
    (rows) =>
      summed(rows, "refund", [
        { ledgerAccount: "acquirer_receivable", direction: "credit", amountMinor: 500n },
        { ledgerAccount: "merchant_payable", direction: "debit", amountMinor: 501n },
        { ledgerAccount: "platform_fees", direction: "credit", amountMinor: 1n },
      ]),
    "refund/re_1: it takes a fee of 1, which only a charge has",
  ],
  [
    "a booking that is available from noon",
    booking("charge", { availableOnMs: Date.UTC(2026, 0, 17, 12) }),
    "charge/ch_1: it is not available from a midnight",
  ],
  [
    "a booking that was available the day before",
    booking("charge", { availableOnMs: Date.UTC(2026, 0, 14) }),
    "charge/ch_1: it is available before its own day",
  ],
])("is named: %s", (_, plant, fault) => {
  const rows = paidAndRefunded();
  plant(rows);
  expect(audited(rows)).toBe(`ledger_transactions ${fault}`);
});
