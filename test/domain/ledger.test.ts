// The rule of double entry: every booking's debits equal its credits, and nothing else is ever let through.
// It must never use floating point to check it.
import fc from "fast-check";
import { chartOfAccounts } from "../../functions/domain/chart-of-accounts.ts";
import {
  balanced,
  bookCharge,
  bookRefund,
  bookRefundFailure,
  imbalanceMinor,
  type LedgerEntry,
  raisedMinor,
} from "../../functions/domain/ledger.ts";
import { feeMinor, standardTerms } from "../../functions/domain/ledger-terms.ts";
import { currencies } from "../../functions/domain/money.ts";
import { aCharge, aRefund } from "../support/payment-fixtures.ts";

const atMs = 1_772_366_460_000;
const amount = fc.bigInt({ min: 1n, max: 10n ** 20n });
const currency = fc.constantFrom(...(Object.keys(currencies) as (keyof typeof currencies)[]));
const entry: fc.Arbitrary<LedgerEntry> = fc.record({
  ledgerAccount: fc.constantFrom("acquirer_receivable", "merchant_payable", "platform_fees"),
  direction: fc.constantFrom("debit", "credit"),
  amountMinor: amount,
});
const booking = bookCharge(aCharge(), standardTerms, atMs);

test("any charge is booked gross at the acquirer, net for the merchant, and the fee for us, in its own currency", () => {
  fc.assert(
    fc.property(amount, currency, (amountMinor, code) => {
      const charge = aCharge({ capturedMinor: amountMinor, currency: code });
      const fee = feeMinor(amountMinor, code, standardTerms.fees);
      const booked = bookCharge(charge, standardTerms, atMs);
      expect(imbalanceMinor(booked.entries)).toBe(0n);
      expect(booked).toMatchObject({ kind: "charge", sourceId: "ch_1", accountId: "acct_1", currency: code });
      expect(booked).toMatchObject({ payableMinor: amountMinor - fee, feeMinor: fee, createdAtMs: atMs });
      expect(raisedMinor(booked.entries, "acquirer_receivable")).toBe(amountMinor);
      expect(raisedMinor(booked.entries, "merchant_payable")).toBe(amountMinor - fee);
      expect(raisedMinor(booked.entries, "platform_fees")).toBe(fee);
    }),
  );
});

test.each([
  ["all of which is fee, owes the merchant nothing", 20n, ["acquirer_receivable", "platform_fees"]],
  ["that costs nothing, earns nothing", 1n, ["acquirer_receivable", "merchant_payable"]],
])("a capture %s, and has no entry that moves nothing", (_, capturedMinor, accounts) => {
  const fees = capturedMinor === 1n ? { basisPoints: 290, fixedMinor: {} } : standardTerms.fees;
  const { entries } = bookCharge(aCharge({ capturedMinor }), { ...standardTerms, fees }, atMs);
  expect(entries.map(({ ledgerAccount }) => ledgerAccount)).toEqual(accounts);
});

test("any refund is booked as the reverse of what was taken, under its own id and without a fee", () => {
  fc.assert(
    fc.property(amount, currency, (amountMinor, code) => {
      const booked = bookRefund(aRefund({ amountMinor, currency: code }), standardTerms, atMs);
      expect(imbalanceMinor(booked.entries)).toBe(0n);
      expect(booked).toMatchObject({ kind: "refund", sourceId: "re_1", intentId: "pi_1", currency: code });
      expect(booked).toMatchObject({ payableMinor: -amountMinor, feeMinor: 0n });
      expect(booked.entries).toEqual([
        { ledgerAccount: "merchant_payable", direction: "debit", amountMinor },
        { ledgerAccount: "acquirer_receivable", direction: "credit", amountMinor },
      ]);
    }),
  );
});

test("a refund that failed after it was booked is booked back, by a booking of its own", () => {
  const refund = aRefund({ amountMinor: 300n });
  const [back, undone] = [bookRefund(refund, standardTerms, atMs), bookRefundFailure(refund, standardTerms, atMs)];
  expect(undone).toMatchObject({ kind: "refund_failure", sourceId: "re_1", payableMinor: 300n, feeMinor: 0n });
  for (const account of ["acquirer_receivable", "merchant_payable", "platform_fees"] as const) {
    expect(raisedMinor([...back.entries, ...undone.entries], account)).toBe(0n);
  }
});

test("entries whose debits and credits differ are never let through", () => {
  fc.assert(
    fc.property(fc.array(entry), amount, (entries, extra) => {
      const tilted: LedgerEntry[] = [
        ...entries,
        ...entries.map((one): LedgerEntry => ({ ...one, direction: one.direction === "debit" ? "credit" : "debit" })),
      ];
      expect(balanced({ ...booking, entries: tilted }).entries).toBe(tilted);
      const more: LedgerEntry = { ledgerAccount: "merchant_payable", direction: "credit", amountMinor: extra };
      expect(imbalanceMinor([...tilted, more])).toBe(-extra);
      expect(() => balanced({ ...booking, entries: [...tilted, more] })).toThrow("does not balance");
    }),
  );
});

test.each([0n, -1n, -1099n])(
  "a charge or a refund of %s is never booked, although its entries would sum to zero",
  (amountMinor) => {
    const charge = aCharge({ capturedMinor: amountMinor });
    expect(() => bookCharge(charge, standardTerms, atMs)).toThrow("does not balance");
    expect(() => bookRefund(aRefund({ amountMinor }), standardTerms, atMs)).toThrow("does not balance");
    expect(() => bookRefundFailure(aRefund({ amountMinor }), standardTerms, atMs)).toThrow("does not balance");
  },
);

test("the chart has the accounts that bookings use and no other, each growing on the side of its kind", () => {
  const used = [booking, bookRefund(aRefund(), standardTerms, atMs)].flatMap(({ entries }) => entries);
  expect(Object.keys(chartOfAccounts).sort()).toEqual(
    [...new Set(used.map(({ ledgerAccount }) => ledgerAccount))].sort(),
  );
  for (const { kind, normalSide } of Object.values(chartOfAccounts)) {
    expect(normalSide).toBe(kind === "asset" ? "debit" : "credit");
  }
});
