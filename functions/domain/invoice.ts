/**
 * An invoice: its number and its page, both made from the payment alone, so that every rendering is the same one.
 * It must never count: a gapless sequence is one row that every payment waits for, and a fork's recipe where a law asks it.
 */
import { amountWords, dayWords } from "./amount-words.ts";
import { digestOf } from "./consumption.ts";
import { html } from "./html.ts";
import type { Currency } from "./money.ts";

/** What an invoice is about: a payment that was taken. */
export interface PaidIntent {
  readonly intentId: string;
  readonly accountId: string;
  /** What was taken, which may be less than what was asked for. */
  readonly amountMinor: bigint;
  readonly currency: Currency;
  readonly paidAtMs: number;
  readonly customer: string | null;
  readonly description: string | null;
}

/**
 * `INV-7K3Q-…`: 80 bits of a digest of the payment's id in Crockford's base 32, which leaves out the letters that people
 * mistake. Among a billion invoices two share a number with a chance of one in two million.
 */
export function invoiceNumber(intentId: string): string {
  const bits = BigInt(`0x${digestOf("invoice", intentId).slice(0, 20)}`);
  const letters = Array.from({ length: 16 }, (_, place) => ALPHABET[Number((bits >> BigInt(75 - 5 * place)) & 31n)]);
  return `INV-${letters.join("").replace(/.{4}(?=.)/g, "$&-")}`;
}

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** The page: whole, printable, and loading nothing. */
export function invoicePage({ intentId, amountMinor, currency, paidAtMs, customer, description }: PaidIntent): string {
  const number = invoiceNumber(intentId);
  const amount = amountWords(amountMinor, currency);
  const rows: [string, string | null][] = [
    ["Number", number],
    ["Date", dayWords(paidAtMs)],
    ["Customer", customer],
    ["Payment", intentId],
  ];
  const head = rows
    .filter((row): row is [string, string] => row[1] !== null && row[1] !== "")
    .map(([name, value]) => html`<tr><th>${name}</th><td>${value}</td></tr>\n`);
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Invoice ${number}</title>
<style>body{font-family:sans-serif;max-width:42em;margin:3em auto;color:#111}th{text-align:left;padding:4px 24px 4px 0}
td:last-child{text-align:right}table{width:100%;border-collapse:collapse;margin-bottom:2em}.sum{border-top:2px solid}</style></head>
<body><h1>Invoice</h1>
<table>
${head}</table>
<table>
<tr><td>${description === null || description === "" ? "Payment" : description}</td><td>${amount}</td></tr>
<tr class="sum"><th>Paid</th><td>${amount}</td></tr>
</table>
</body></html>
`.markup;
}
