// A page on loopback that shows what the consumers of events did (mails, invoices, flagged payments), and the traces.
// It must never let what a customer or merchant wrote run here: every page forbids scripts and everything from outside.

import type { Server } from "node:http";
import { firestoreNames } from "../functions/config.ts";
import { amountWords } from "../functions/domain/amount-words.ts";
import { type Html, html } from "../functions/domain/html.ts";
import { readCurrency } from "../functions/domain/money.ts";
import { createFrontDoorServer } from "../functions/edge/install-front-door.ts";
import { pathOf, queryOf, type WireRequest, type WireResponse } from "../functions/edge/wire.ts";
import type { DocumentReader, StoredDocument } from "../functions/flows/document-ports.ts";
import type { Inbox } from "./inbox.ts";
import { headerIn, partIn } from "./mail-source.ts";
import type { Seen } from "./seen.ts";
import { tracePage, tracesList } from "./traces-page.ts";

/** What the page shows; `inbox` is undefined where the plan names no mail server, and mails are only recorded. */
export type Shown = { documents: DocumentReader; inbox: Inbox | undefined; seen: Seen };

/** A server, not yet listening. */
export function effectsPage(shown: Shown): Server {
  return createFrontDoorServer(async (request) => await answer(shown, request));
}

async function answer(shown: Shown, request: WireRequest): Promise<WireResponse> {
  const path = pathOf(request.target);
  if (request.method !== "GET") return page(405, html`<p>Only GET is allowed here.</p>`);
  if (path === "/") return page(200, await overview(shown));
  if (path === "/traces") return page(200, tracesList(shown.seen, queryOf(request.target) === "all=1"));
  const trace = shown.seen.trace(/^\/traces\/([0-9a-f]{32})$/.exec(path)?.[1] ?? "");
  if (trace !== undefined && trace.spans.length > 0) return page(200, tracePage(trace));
  const [, kind, name = "", form] = /^\/(mails|invoices)\/(\w{1,255})(?:\/(source|text))?$/.exec(path) ?? [];
  if (kind === "mails") return mail(shown, Number(name), form);
  const invoice = kind === "invoices" && (await shown.documents.find(firestoreNames.invoices, name));
  if (!invoice) return page(404, html`<p>There is nothing here.</p>`);
  return raw("text/html", String(invoice.fields["html"]));
}

function mail({ inbox }: Shown, number: number, form: string | undefined): WireResponse {
  const found = inbox?.mails()[number - 1];
  if (found === undefined) return page(404, html`<p>There is no such mail.</p>`);
  if (form === "source") return raw("text/plain", found.source);
  if (form === "text") return raw("text/plain", partIn(found.source, "text/plain"));
  return raw("text/html", partIn(found.source, "text/html"));
}

async function overview({ documents, inbox }: Shown): Promise<Html> {
  const list = async (collection: string) => await documents.list(collection, LISTED_MAX);
  const [recorded, invoices, flags] = await Promise.all([
    list(firestoreNames.mails),
    list(firestoreNames.invoices),
    list(firestoreNames.riskFlags),
  ]);
  const mails = inbox === undefined ? recorded.map(recordedRow) : inbox.mails().map(mailRow).reverse();
  return html`<h1>What the consumers did</h1><p><a href="/traces">Traces of all functions</a></p>
${table("Mails", ["to", "subject", "Message-ID"], mails)}
${table("Invoices", ["number", "payment", "amount"], invoices.map(invoiceRow))}
${table(
  "Flagged payments",
  ["charge", "rule"],
  flags.map(({ fields }) => row([text(fields, "chargeId"), text(fields, "rule")])),
)}`;
}

/** More than a person reads. */
const LISTED_MAX = 200;

function mailRow({ to, source }: { to: readonly string[]; source: string }, index: number): Html {
  const link = html`<a href="/mails/${String(index + 1)}">${headerIn(source, "subject")}</a>`;
  return row([to.join(", "), link, headerIn(source, "message-id")]);
}

function recordedRow({ fields }: StoredDocument): Html {
  return row([text(fields, "to"), text(fields, "subject"), text(fields, "messageId")]);
}

function invoiceRow({ id, fields }: StoredDocument): Html {
  const amount = amountWords(BigInt(text(fields, "amountMinor")), readCurrency(text(fields, "currency")));
  return row([html`<a href="/invoices/${id}">${text(fields, "number")}</a>`, id, amount]);
}

function text(fields: StoredDocument["fields"], name: string): string {
  return String(fields[name] ?? "");
}

function table(title: string, columns: readonly string[], rows: readonly Html[]): Html {
  if (rows.length === 0) return html`<h2>${title}</h2><p>None yet.</p>`;
  return html`<h2>${title}</h2><table><tr>${columns.map((name) => html`<th>${name}</th>`)}</tr>${rows}</table>`;
}

function row(cells: readonly (string | Html)[]): Html {
  return html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>\n`;
}

function page(status: number, body: Html): WireResponse {
  const whole = html`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Laptop</title>
<style>body{font-family:sans-serif;margin:2em}td,th{text-align:left;padding:4px 16px 4px 0}</style></head><body>${body}</body></html>`;
  return { ...raw("text/html", whole.markup), status };
}

function raw(type: "text/html" | "text/plain", content: string): WireResponse {
  return {
    status: 200,
    headers: {
      "Content-Type": `${type}; charset=utf-8`,
      "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'",
      "X-Content-Type-Options": "nosniff",
    },
    body: Buffer.from(content, "utf8"),
  };
}
