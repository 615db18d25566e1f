// The rule of double entry: every booking's debits equal its credits, and nothing else is ever let through.
// It must never use floating point to check it.
import fc from "fast-check";
import { balanced, bookCharge, bookRefund, imbalanceMinor, type LedgerEntry } from "../../functions/domain/ledger.ts";
import { currencies } from "../../functions/domain/money.ts";
import { aCharge, aRefund } from "../support/payment-fixtures.ts";

const amount = fc.bigInt({ min: 1n, max: 10n ** 20n });
const currency = fc.constantFrom(...(Object.keys(currencies) as (keyof typeof currencies)[]));
const entry: fc.Arbitrary<LedgerEntry> = fc.record({
  ledgerAccount: fc.constantFrom("acquirer_receivable", "merchant_payable"),
  direction: fc.constantFrom("debit", "credit"),
  amountMinor: amount,
});
const booking = bookCharge(aCharge(), 1_772_366_460_000);

test("any charge is booked as a debit and a credit of what was taken, in its own currency", () => {
  fc.assert(
    fc.property(amount, currency, (amountMinor, code) => {
      const booked = bookCharge(aCharge({ capturedMinor: amountMinor, currency: code }), 1_772_366_460_000);
      expect(imbalanceMinor(booked.entries)).toBe(0n);
      expect(booked).toMatchObject({ kind: "charge", sourceId: "ch_1", accountId: "acct_1", currency: code });
      expect(booked.entries).toEqual([
        { ledgerAccount: "acquirer_receivable", direction: "debit", amountMinor },
        { ledgerAccount: "merchant_payable", direction: "credit", amountMinor },
      ]);
    }),
  );
});

test("any refund is booked as the reverse of its charge, under its own id", () => {
  fc.assert(
    fc.property(amount, currency, (amountMinor, code) => {
      const booked = bookRefund(aRefund({ amountMinor, currency: code }), 1_772_366_460_000);
      expect(imbalanceMinor(booked.entries)).toBe(0n);
      expect(booked).toMatchObject({ kind: "refund", sourceId: "re_1", intentId: "pi_1", currency: code });
      expect(booked.entries).toEqual([
        { ledgerAccount: "merchant_payable", direction: "debit", amountMinor },
        { ledgerAccount: "acquirer_receivable", direction: "credit", amountMinor },
      ]);
    }),
  );
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
    expect(() => bookCharge(charge, 1_772_366_460_000)).toThrow("does not balance");
    expect(() => bookRefund(aRefund({ amountMinor }), 1_772_366_460_000)).toThrow("does not balance");
  },
);
