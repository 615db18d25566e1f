// Shows the words of a receipt, and that nothing a merchant or customer wrote becomes markup, a header or a row of ours.
// It must never compare with a rendering that the test itself computes.
import { amountWords } from "../../functions/domain/amount-words.ts";
import { type PaidCharge, receiptMail } from "../../functions/domain/receipt.ts";

const charge: PaidCharge = {
  chargeId: "ch_1",
  intentId: "pi_1",
  amountMinor: 123_450n,
  currency: "usd",
  paidAtMs: Date.UTC(2026, 2, 1, 23, 59, 59),
  description: "Two tickets",
  statementDescriptor: "SHOP",
  card: { brand: "visa", lastFour: "4242" },
};
const envelope = { from: "receipts@shop.example", to: "jane@customer.example" };
const mailOf = (fields: Partial<PaidCharge> = {}) => receiptMail({ ...charge, ...fields }, envelope);

describe("a receipt", () => {
  test("says in text what was paid, when and for what", () => {
    expect(mailOf().text.split("\n")).toEqual([
      "Thank you. We received your payment of USD 1,234.50.",
      "",
      "Amount: USD 1,234.50",
      "Date: 2026-03-01",
      "For: Two tickets",
      "On your statement: SHOP",
      "Card: visa ending in 4242",
      "Payment: pi_1",
      "Charge: ch_1",
      "",
    ]);
  });

  test("leaves out what is not known", () => {
    const { text } = mailOf({ description: null, statementDescriptor: "", card: null });

    expect(text).not.toMatch(/For:|On your statement:|Card:|null/);
  });

  test("says the same in HTML, which loads nothing", () => {
    const { html } = mailOf();

    for (const words of ["USD 1,234.50", "2026-03-01", "Two tickets", "visa ending in 4242", "pi_1"])
      expect(html).toContain(words);
    expect(html).not.toMatch(/<img|<link|<script|https?:/);
  });

  test("is the same bytes each time, under a Message-ID of the payment and the sender's domain", () => {
    expect(mailOf()).toEqual(mailOf());
    expect(mailOf().messageId).toMatch(/^<receipt\.[0-9a-f]{32}@shop\.example>$/);
    expect(mailOf({ chargeId: "ch_2" }).messageId).toBe(mailOf().messageId);
    expect(mailOf({ intentId: "pi_2" }).messageId).not.toBe(mailOf().messageId);
  });

  test("escapes what somebody wrote", () => {
    const { html } = mailOf({ description: `</td><script>alert("x")</script>&amp;'\`` });

    expect(html).not.toContain("<script>");
    expect(html).toContain("&#60;/td&#62;&#60;script&#62;alert(&#34;x&#34;)&#60;/script&#62;&#38;amp;&#39;&#96;");
  });

  test("does not let a description make a line of its own, nor broken text break it", () => {
    const { text, html } = mailOf({ description: "x\r\nAmount: USD 0.01\u0000\ud800" });

    expect(text).toContain("For: x Amount: USD 0.01 \ufffd\n");
    expect(text.match(/^Amount:/gm)).toHaveLength(1);
    expect(html).not.toMatch(/[\0\r]|\ud800/);
  });
});

test.each([
  [5n, "usd", "USD 0.05"],
  [99_999_999n, "usd", "USD 999,999.99"],
  [1_000n, "jpy", "JPY 1,000"],
  [1_250n, "kwd", "KWD 1.250"],
  [-123_456n, "eur", "EUR -1,234.56"],
  [0n, "eur", "EUR 0.00"],
] as const)("%i minor units of %s are written %s", (amountMinor, currency, words) => {
  expect(amountWords(amountMinor, currency)).toBe(words);
});
