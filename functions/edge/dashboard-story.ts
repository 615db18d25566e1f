/**
 * What happened to a payment or a key, in order: the story, the attempts, the books, the events and their deliveries.
 * It must never sort or judge: the API tells the story in order, and this shows it.
 */
import { type Fields, fieldsOf } from "../domain/payment-news.ts";
import { chip, empty, idLink, itemsIn, moment, money, table, textIn, wholeNumberIn } from "./dashboard-words.ts";
import { html, type Insertable, type Markup } from "./html.ts";

/** All parts of a life, each under its heading. */
export function storySections(life: Fields): Markup {
  return html`<section class="panel"><h2>What happened</h2>${storyList(life)}</section>
<section class="panel"><h2>Attempts at the acquirer</h2>${attempts(life)}</section>
<section class="panel"><h2>Ledger entries</h2>${bookings(life)}</section>
<section class="panel"><h2>Events and deliveries</h2>${events(life)}${deliveries(life)}</section>`;
}

/** A moment from a member in milliseconds. */
export function momentIn(fields: Fields, name: string): Markup | string {
  return moment(wholeNumberIn(fields, name), true);
}

function storyList(life: Fields): Markup {
  const steps = itemsIn(life, "story");
  const readAtMs = wholeNumberIn(life, "read_at_ms") ?? 0;
  if (steps.length === 0) return empty("Nothing is known of it yet.");
  return html`<ol class="story">${steps.map((step) => {
    const isAhead = (wholeNumberIn(step, "at_ms") ?? 0) > readAtMs;
    return html`<li class="${kinds[textIn(step, "kind")] ?? ""}${isAhead && " ahead"}"><span class="at">${momentIn(step, "at_ms")}</span> <span>${isAhead && html`<span class="soft">To come: </span>`}${textIn(step, "text")}</span></li>
`;
  })}</ol>`;
}

/** What a step's mark looks like; its words say the same. */
const kinds: Readonly<Record<string, string>> = {
  taken_over: "warn",
  booked: "good",
  answer_kept: "good",
  delivery_dead: "bad",
};

function attempts(life: Fields): Markup {
  const rows = itemsIn(life, "attempts").map((attempt) => {
    const failure = fieldsOf(attempt["failure"]);
    const why = textIn(failure, "decline_code") || textIn(failure, "code");
    return [
      momentIn(attempt, "created_at_ms"),
      textIn(attempt, "kind"),
      html`${chip(textIn(attempt, "state"))}${why !== "" && html` <span class="soft">${why.replaceAll("_", " ")}</span>`}${attempt["adopted"] === true && html` <span class="soft">adopted by a later generation</span>`}`,
      money(wholeNumberIn(attempt, "amount"), textIn(attempt, "currency")),
      html`<code>${textIn(attempt, "id")}</code>`,
    ];
  });
  if (rows.length === 0) return empty("Nobody has asked the acquirer for money yet.");
  return table("Oldest first; each has a key of its own at the acquirer", attemptColumns, rows);
}

const attemptColumns = [
  { name: "Began" },
  { name: "Asked for" },
  { name: "State" },
  { name: "Amount", isNumber: true },
  { name: "Attempt" },
];

function bookings(life: Fields): Insertable {
  const booked = itemsIn(life, "ledger_transactions");
  if (booked.length === 0) return empty("Nothing is booked: no money has moved.");
  return booked.map((booking) => {
    const currency = textIn(booking, "currency");
    const entries = itemsIn(booking, "entries");
    const side = (entry: Fields, direction: string) =>
      textIn(entry, "direction") === direction ? money(wholeNumberIn(entry, "amount"), currency) : "";
    const rows = entries.map((entry) => [
      textIn(entry, "account").replaceAll("_", " "),
      side(entry, "debit"),
      side(entry, "credit"),
    ]);
    // Minor units below 2^53, as the API writes them: these sums are exact.
    const difference = entries.reduce((sum, entry) => {
      const amountMinor = wholeNumberIn(entry, "amount") ?? 0;
      return textIn(entry, "direction") === "debit" ? sum + amountMinor : sum - amountMinor;
    }, 0);
    const balanced = difference === 0 ? "debits equal credits" : "debits and credits differ";
    return html`<h3>${textIn(booking, "kind").replaceAll("_", " ")}, ${momentIn(booking, "created_at_ms")}</h3>
${table(`${textIn(booking, "id")}: ${balanced}`, entryColumns, rows)}`;
  });
}

const entryColumns = [{ name: "Account" }, { name: "Debit", isNumber: true }, { name: "Credit", isNumber: true }];

function events(life: Fields): Markup {
  const rows = itemsIn(life, "events").map((event) => [
    momentIn(event, "created_at_ms"),
    html`<code>${textIn(event, "type")}</code>`,
    textIn(event, "status").replaceAll("_", " "),
    wholeNumberIn(event, "object_version"),
    html`<code>${textIn(event, "id")}</code>`,
  ]);
  if (rows.length === 0) return empty("There is no event yet.");
  return table("Events, oldest first", eventColumns, rows);
}

const eventColumns = [
  { name: "Happened" },
  { name: "Event" },
  { name: "Status then" },
  { name: "Version", isNumber: true },
  { name: "Event id" },
];

function deliveries(life: Fields): Insertable {
  const sent = itemsIn(life, "deliveries");
  if (sent.length === 0) return html`<h3>Deliveries</h3>${empty("No endpoint wanted these events.")}`;
  return sent.map((delivery) => {
    const rows = itemsIn(delivery, "attempts").map((attempt) => [
      momentIn(attempt, "started_at_ms"),
      wholeNumberIn(attempt, "number") ?? "resend",
      html`${chip(textIn(attempt, "failure") === "" ? "delivered" : "failed")} ${wholeNumberIn(attempt, "http_status")}`,
      `${wholeNumberIn(attempt, "duration_ms") ?? 0} ms`,
    ]);
    return html`<h3><code>${textIn(delivery, "event_type")}</code> ${chip(textIn(delivery, "status"))}</h3>
<p>${idLink("/deliveries", textIn(delivery, "id"))}</p>
${rows.length === 0 ? empty("No attempt was made yet.") : table("Attempts, oldest first", sentColumns, rows)}`;
  });
}

const sentColumns = [{ name: "Sent" }, { name: "Attempt" }, { name: "Result" }, { name: "Took", isNumber: true }];
