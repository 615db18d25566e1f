/**
 * How the dashboard says things: amounts, times, states, ids, and the three ways in which a part can be missing.
 * It must never show a value that it cannot read as if it could: what has another form than expected is left out.
 */
import { amountWords } from "../domain/amount-words.ts";
import { type Currency, currencies } from "../domain/money.ts";
import type { Fields } from "../domain/payment-news.ts";
import type { Part } from "./dashboard-visit.ts";
import { html, type Insertable, type Markup } from "./html.ts";

/** A text member; empty when it is none. */
export function textIn(fields: Fields, name: string): string {
  const value = fields[name];
  return typeof value === "string" ? value : "";
}

/** A whole number member; undefined when it is none. */
export function wholeNumberIn(fields: Fields, name: string): number | undefined {
  const value = fields[name];
  return typeof value === "number" && Number.isSafeInteger(value) ? value : undefined;
}

/** The items of a list. */
export function itemsIn(fields: Fields, name = "data"): readonly Fields[] {
  const value = fields[name];
  if (!Array.isArray(value)) return [];
  return value.filter((item): item is Fields => typeof item === "object" && item !== null);
}

/** `USD 20.00`; a currency that is not ours keeps its minor units. */
export function money(amountMinor: number | bigint | undefined, currency: string): string {
  if (amountMinor === undefined) return "";
  if (Object.hasOwn(currencies, currency)) return amountWords(BigInt(amountMinor), currency as Currency);
  return `${amountMinor} ${currency}`;
}

/** A moment: UTC here, in the reader's zone once the script has run. `milliseconds` shows these too. */
export function moment(atMs: number | undefined, milliseconds = false): Markup | string {
  if (atMs === undefined || Math.abs(atMs) > latestMs) return "";
  const iso = new Date(atMs).toISOString();
  const words = `${iso.slice(0, 10)} ${iso.slice(11, milliseconds ? 23 : 19)} UTC`;
  return html`<time datetime="${iso}"${milliseconds && html` data-precise=""`}>${words}</time>`;
}

/** A moment from a member in seconds. */
export function secondsIn(fields: Fields, name: string): Markup | string {
  const seconds = wholeNumberIn(fields, name);
  return moment(seconds === undefined ? undefined : seconds * 1000);
}

/** A state as a word in a colour: never the colour alone. */
export function chip(state: string): Markup {
  return html`<span class="chip ${tones[state] ?? ""}">${state.replaceAll("_", " ")}</span>`;
}

/** A line of a description list; none for a value that is empty. */
export function fact(name: string, value: Insertable): Insertable {
  return value !== "" && html`<dt>${name}</dt><dd>${value}</dd>`;
}

/** A link to an object's own page. */
export function idLink(place: string, id: string): Markup {
  return html`<a href="${place}/${encodeURIComponent(id)}"><code>${id}</code></a>`;
}

/** A table whose rows become cards on a phone; the roles keep it a table there for those who hear it. */
export function table(caption: string, columns: readonly Column[], rows: readonly (readonly Insertable[])[]): Markup {
  return html`<table class="cards" role="table"><caption>${caption}</caption>
<thead role="rowgroup"><tr role="row">${columns.map(
    ({ name, isNumber }) => html`<th scope="col" role="columnheader"${isNumber && html` class="number"`}>${name}</th>`,
  )}</tr></thead>
<tbody role="rowgroup">${rows.map(
    (row) => html`<tr role="row">${row.map((cell, at) => {
      const { name, isNumber } = columns[at] ?? { name: "", isNumber: false };
      return html`<td role="cell" data-label="${name}"${isNumber && html` class="number"`}><span>${cell}</span></td>`;
    })}</tr>
`,
  )}</tbody></table>`;
}

/** A column of a table. */
export interface Column {
  readonly name: string;
  readonly isNumber?: boolean;
}

/** A part of a page under a heading; a part that is missing says so in its place, and the rest of the page stands. */
export function panel<Value>(title: string, part: Part<Value>, show: (value: Value) => Insertable): Markup {
  return html`<section class="panel"><h2>${title}</h2>${shownPart(part, show)}</section>`;
}

/** What is known, or a sentence instead. */
export function shownPart<Value>(part: Part<Value>, show: (value: Value) => Insertable): Insertable {
  if (part.kind === "there") return show(part.value);
  if (part.kind === "missing") return html`<p class="empty">There is nothing here.</p>`;
  return html`<p class="fault" role="alert">${part.sentence}</p>`;
}

/** Says that a list is empty, and why that may be. */
export function empty(sentence: string): Markup {
  return html`<p class="empty">${sentence}</p>`;
}

/** What every `Date` can hold. */
const latestMs = 8.64e15;

const tones: Readonly<Record<string, "good" | "bad" | "warn">> = {
  succeeded: "good",
  balanced: "good",
  sound: "good",
  completed: "good",
  executed: "good",
  replayed: "good",
  waited: "good",
  adopted: "warn",
  in_use: "warn",
  in_progress: "warn",
  mismatch: "bad",
  delivered: "good",
  enabled: "good",
  canceled: "bad",
  failed: "bad",
  dead: "bad",
  disabled: "bad",
  requires_action: "warn",
  requires_capture: "warn",
  requires_confirmation: "warn",
  requires_payment_method: "warn",
  processing: "warn",
  pending: "warn",
};
