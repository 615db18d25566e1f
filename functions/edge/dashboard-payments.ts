/**
 * The pages of payments: the search with its list, and one payment.
 * It must never ask for more of the API than a page shows and a search needs.
 */
import { DomainError } from "../domain/errors.ts";
import { currencies } from "../domain/money.ts";
import type { Fields } from "../domain/payment-news.ts";
import { type PaymentLine, type PaymentSearch, paymentStatuses, readSearch } from "../domain/payment-search.ts";
import { type SearchResult, searchPayments } from "../flows/search-payments.ts";
import type { ReadField } from "./dashboard-forms.ts";
import type { Page } from "./dashboard-page.ts";
import { ask, type Visit } from "./dashboard-visit.ts";
import { chip, empty, idLink, itemsIn, money, secondsIn, table, textIn, wholeNumberIn } from "./dashboard-words.ts";
import { html, type Insertable, type Markup } from "./html.ts";

/** `GET /payments`: the newest, or what a search finds. */
export async function paymentsPage(visit: Visit): Promise<Page> {
  const after = visit.query("after") ?? null;
  const read = readOrFault(visit.query);
  const form = searchForm(visit.query, "fault" in read ? read.fault : undefined);
  if ("fault" in read) {
    return { ...common, status: 400, body: html`${form}<p class="fault" role="alert">${read.fault.message}</p>` };
  }
  if (after !== null && !isIntentId(after)) return { ...common, status: 400, body: html`${form}${noSuchPage}` };
  const result = await searchPayments((from, limit) => listPage(visit, read.search, from, limit), read.search, after);
  return { ...common, body: html`${form}${resultPanel(visit.query, result)}` };
}

/** Where a search for an id leads; undefined for any other search. */
export function paymentOfSearch(query: ReadField): string | undefined {
  const id = query("id");
  return id === undefined ? undefined : `/payments/${encodeURIComponent(id.slice(0, 255))}`;
}

/** True for text that can be a payment's id. */
export function isIntentId(text: string): boolean {
  return /^pi_\w{1,250}$/.test(text);
}

const common = { title: "Payments", place: "/payments" } as const;

const noSuchPage = html`<p class="fault" role="alert">There is no page of the list at this address.</p>`;

interface Line extends PaymentLine {
  readonly fields: Fields;
}

async function listPage(visit: Visit, search: PaymentSearch, after: string | null, limit: number) {
  const part = await ask(visit, "/v1/payment_intents", {
    limit: String(limit),
    ...(after === null ? {} : { starting_after: after }),
    ...(search.createdFromMs === null ? {} : { "created[gte]": String(search.createdFromMs / 1000) }),
    ...(search.createdBeforeMs === null ? {} : { "created[lt]": String(search.createdBeforeMs / 1000) }),
  });
  if (part.kind === "missing") return { fault: "There is no such payment to go on after." };
  if (part.kind === "fault") return { fault: part.sentence };
  return { lines: itemsIn(part.value).map(lineOf), hasMore: part.value["has_more"] === true };
}

function lineOf(fields: Fields): Line {
  return {
    id: textIn(fields, "id"),
    status: textIn(fields, "status"),
    amountMinor: wholeNumberIn(fields, "amount") ?? 0,
    currency: textIn(fields, "currency"),
    fields,
  };
}

function readOrFault(query: ReadField): { readonly search: PaymentSearch } | { readonly fault: DomainError } {
  try {
    return { search: readSearch(query) };
  } catch (error) {
    if (error instanceof DomainError) return { fault: error };
    throw error;
  }
}

function resultPanel(query: ReadField, { found, lookedAt, goesOnAfter, fault }: SearchResult<Line>): Markup {
  const isSearch = searchNames.some((name) => query(name) !== undefined);
  const rows = found.map(({ id, status, amountMinor, currency, fields }) => [
    secondsIn(fields, "created"),
    money(amountMinor, currency),
    chip(status),
    textIn(fields, "description"),
    idLink("/payments", id),
  ]);
  const nothing = isSearch
    ? `None of the ${lookedAt} payments looked at is like that.`
    : "There are no payments yet. The first one that your server makes appears here.";
  const caption = isSearch ? `${found.length} found among ${lookedAt} payments, newest first` : "Newest first";
  return html`<section class="panel"><h2>${isSearch ? "Found" : "All payments"}</h2>
${fault !== null && html`<p class="fault" role="alert">${fault}</p>`}
${rows.length > 0 ? table(caption, columns, rows) : fault === null && empty(nothing)}
${paging(query, goesOnAfter, isSearch && rows.length === 0)}</section>`;
}

const columns = [
  { name: "Created" },
  { name: "Amount", isNumber: true },
  { name: "Status" },
  { name: "Description" },
  { name: "Payment" },
];

/** The address of the next page keeps the search; that of the first one drops the cursor. */
function paging(query: ReadField, goesOnAfter: string | null, foundNothing: boolean): Insertable {
  const address = (after?: string) => {
    const kept = searchNames.flatMap((name) => {
      const value = query(name);
      return value === undefined ? [] : [[name, value] as [string, string]];
    });
    const text = new URLSearchParams(after === undefined ? kept : [...kept, ["after", after]]).toString();
    return text === "" ? "/payments" : `/payments?${text}`;
  };
  const isFirst = query("after") === undefined;
  if (isFirst && goesOnAfter === null) return null;
  return html`<p class="actions">${!isFirst && html`<a class="button quiet" href="${address()}">Newest</a>`}
${goesOnAfter !== null && html`<a class="button quiet" href="${address(goesOnAfter)}">${foundNothing ? "Look further back" : "Older"}</a>`}</p>`;
}

const searchNames = ["status", "currency", "amount_from", "amount_to", "from", "to"] as const;

function searchForm(query: ReadField, fault: DomainError | undefined): Markup {
  const invalid = (name: string) => fault?.param === name && html` aria-invalid="true"`;
  const input = (name: (typeof searchNames)[number], label: string, type: string) =>
    html`<label>${label}<input type="${type}" name="${name}" value="${query(name)}"${type === "text" && html` inputmode="decimal" maxlength="16"`}${invalid(name)}></label>`;
  const select = (name: "status" | "currency", label: string, values: readonly string[]) =>
    html`<label>${label}<select name="${name}"${invalid(name)}><option value="">Any</option>${values.map(
      (value) =>
        html`<option value="${value}"${query(name) === value && html` selected`}>${name === "status" ? value.replaceAll("_", " ") : value.toUpperCase()}</option>`,
    )}</select></label>`;
  return html`<section class="panel"><h2>Search</h2><form action="/payments" role="search"><div class="fields">
<label class="wide">Payment id<input type="text" name="id" value="" maxlength="255" autocomplete="off" spellcheck="false" placeholder="pi_…"></label>
${select("status", "Status", paymentStatuses)}
${select("currency", "Currency", Object.keys(currencies))}
${input("amount_from", "Amount from", "text")}
${input("amount_to", "Amount to", "text")}
${input("from", "From day (UTC)", "date")}
${input("to", "To day (UTC)", "date")}
</div><p class="actions"><button>Search</button><a class="button quiet" href="/payments">Clear</a></p></form></section>`;
}
