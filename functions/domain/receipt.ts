/**
 * The e-mail that tells a customer what was paid: from a payment to headers, text and HTML, always the same bytes.
 * It must never carry a card number, nor put what somebody wrote into markup or into a header unescaped.
 */
import { amountWords, dayWords } from "./amount-words.ts";
import { digestOf } from "./consumption.ts";
import { html } from "./html.ts";
import type { Currency } from "./money.ts";

/** A payment that was taken, as far as a receipt tells it. */
export interface PaidCharge {
  readonly chargeId: string;
  readonly intentId: string;
  readonly amountMinor: bigint;
  readonly currency: Currency;
  readonly paidAtMs: number;
  readonly description: string | null;
  /** As the customer's bank shows it; null when nothing was set. */
  readonly statementDescriptor: string | null;
  /** `visa` and `4242`; null when the payment method is not a card that we know. */
  readonly card: { readonly brand: string; readonly lastFour: string } | null;
}

/** One e-mail to one receiver. */
export interface Mail {
  /** With its angle brackets. Fixed by what the mail is about, so that a receiver drops a second copy. */
  readonly messageId: string;
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Time of the event, not of the sending, so that a repetition is the same mail. */
  readonly dateMs: number;
}

/**
 * The receipt. Its Message-ID comes from the payment and the event's merchant, so two events for one payment, and two
 * deliveries of one event, make the same one; its domain is the sender's.
 */
export function receiptMail(charge: PaidCharge, envelope: { from: string; to: string }): Mail {
  const { from, to } = envelope;
  const amount = amountWords(charge.amountMinor, charge.currency);
  const rows = rowsOf(charge, amount);
  return {
    messageId: `<receipt.${digestOf("receipt", charge.intentId).slice(0, 32)}@${from.slice(from.lastIndexOf("@") + 1)}>`,
    from,
    to,
    subject: `Your receipt for ${amount}`,
    text: [
      `Thank you. We received your payment of ${amount}.`,
      "",
      ...rows.map(([name, value]) => `${name}: ${oneLine(value)}`),
      "",
    ].join("\n"),
    html: pageOf(amount, rows),
    dateMs: charge.paidAtMs,
  };
}

/** A mail that was only recorded is kept for 30 days: it holds an address, and somebody who looks for it looks soon. */
export const mailLifeMs = 30 * 24 * 60 * 60 * 1000;

type Row = readonly [name: string, value: string];

function rowsOf(
  { chargeId, intentId, paidAtMs, description, statementDescriptor, card }: PaidCharge,
  amount: string,
): Row[] {
  const optional: [string, string | null][] = [
    ["For", description],
    ["On your statement", statementDescriptor],
    ["Card", card === null ? null : `${card.brand} ending in ${card.lastFour}`],
  ];
  const given = optional.filter((row): row is [string, string] => row[1] !== null && row[1] !== "");
  return [["Amount", amount], ["Date", dayWords(paidAtMs)], ...given, ["Payment", intentId], ["Charge", chargeId]];
}

/** Inline styles only and no image: mail programs drop style sheets, and an image would tell that the mail was read. */
function pageOf(amount: string, rows: readonly Row[]): string {
  const cells = rows.map(
    ([name, value]) =>
      html`<tr><td style="padding:4px 16px 4px 0;color:#555">${name}</td><td style="padding:4px 0">${value}</td></tr>\n`,
  );
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Your receipt for ${amount}</title></head>
<body style="font-family:sans-serif;color:#111">
<p>Thank you. We received your payment of <strong>${amount}</strong>.</p>
<table style="border-collapse:collapse">
${cells}</table>
</body></html>
`.markup;
}

/** A line break in a description must not look like a row of ours. */
function oneLine(value: string): string {
  return value.toWellFormed().replace(/\p{Cc}+/gu, " ");
}
