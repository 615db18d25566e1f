// Shows an invoice's number and page: always the same for a payment, and safe whatever a merchant wrote.
// It must never compare with a rendering that the test itself computes.
import { invoiceNumber, invoicePage, type PaidIntent } from "../../functions/domain/invoice.ts";

const payment: PaidIntent = {
  intentId: "pi_1",
  accountId: "acct_1",
  amountMinor: 1_099n,
  currency: "eur",
  paidAtMs: Date.UTC(2026, 2, 1, 12, 0, 0),
  customer: "cus_7",
  description: "Two tickets",
};

describe("an invoice's number", () => {
  test("is made of the payment's id alone", () => {
    expect(invoiceNumber("pi_1")).toMatch(/^INV(?:-[0-9A-HJKMNP-TV-Z]{4}){4}$/);
    expect(invoiceNumber("pi_1")).toBe(invoiceNumber("pi_1"));
  });

  test("is another one for each of ten thousand payments", () => {
    const numbers = Array.from({ length: 10_000 }, (_, index) => invoiceNumber(`pi_${index}`));

    expect(new Set(numbers).size).toBe(10_000);
  });
});

describe("an invoice's page", () => {
  test("has number, day, customer, payment, what for and how much", () => {
    const page = invoicePage(payment);

    for (const words of [invoiceNumber("pi_1"), "2026-03-01", "cus_7", "pi_1", "Two tickets", "EUR 10.99"])
      expect(page).toContain(words);
    expect(page).not.toMatch(/<img|<link|<script|https?:|null/);
    expect(invoicePage({ ...payment, customer: null, description: null })).not.toMatch(/Customer|null/);
  });

  test("escapes what somebody wrote", () => {
    const page = invoicePage({ ...payment, description: "<script>alert(1)</script>", customer: '"><b>' });

    expect(page).not.toMatch(/<script>|<b>/);
    expect(page).toContain("&#60;script&#62;alert(1)&#60;/script&#62;");
  });
});
