/**
 * The page of the ledger's health: the account's own sums and balances, the seals, and the last runs of those who guard it.
 * It must never tell of another account: runs of jobs are facts of the whole system, and name none.
 */
import { type Fields, fieldsOf } from "../domain/payment-news.ts";
import type { LedgerRun } from "../flows/history-ports.ts";
import { lastDays, past } from "./dashboard-history.ts";
import type { Page } from "./dashboard-page.ts";
import { ask, type Visit } from "./dashboard-visit.ts";
import { chip, empty, itemsIn, moment, money, panel, table, textIn, wholeNumberIn } from "./dashboard-words.ts";
import { html, type Markup } from "./html.ts";

/** `GET /ledger`. */
export async function ledgerPage(visit: Visit): Promise<Page> {
  const [health, runs] = await Promise.all([
    ask(visit, "/v1/ledger_health"),
    past(visit, (history) => history.ledgerRuns({ range: lastDays(visit, runDays), limit: runsMax })),
  ]);
  const body = html`${panel("Your books", health, books)}
${panel("Seals", health, seals)}
${panel("Checks of the whole ledger", runs, runsTable)}`;
  return { title: "Ledger health", place: "/ledger", body };
}

/** A week: the verification runs each day. */
const runDays = 7;
const runsMax = 20;

function books(health: Fields): Markup {
  const sums = itemsIn(health, "sums");
  const count = wholeNumberIn(health, "bookings") ?? 0;
  const isWhole = health["complete"] === true;
  const verdict =
    health["balanced"] === true
      ? html`<p>${chip("balanced")} Debits equal credits in ${isWhole ? "all" : "the newest"} ${count} of your bookings.</p>`
      : html`<p class="fault" role="alert">Debits and credits differ. Nobody may change the books by hand: tell the operator.</p>`;
  const balances = itemsIn(health, "balances");
  if (sums.length === 0) return empty("Nothing is booked yet.");
  const sumRows = sums.map((sum) => {
    const currency = textIn(sum, "currency");
    return [
      currency.toUpperCase(),
      ...["debit", "credit", "difference"].map((name) => money(wholeNumberIn(sum, name), currency)),
    ];
  });
  const balanceRows = balances.map((balance) => {
    const currency = textIn(balance, "currency");
    return [
      currency.toUpperCase(),
      ...["available", "pending"].map((name) => money(wholeNumberIn(balance, name), currency)),
    ];
  });
  return html`${verdict}${table("Sums by currency", sumColumns, sumRows)}
<h3>Balances</h3>${table("What is yours to have, and what will be", balanceColumns, balanceRows)}`;
}

const sumColumns = [
  { name: "Currency" },
  { name: "Debits", isNumber: true },
  { name: "Credits", isNumber: true },
  { name: "Difference", isNumber: true },
];

const balanceColumns = [
  { name: "Currency" },
  { name: "Available", isNumber: true },
  { name: "Pending", isNumber: true },
];

function seals(health: Fields): Markup {
  const unsealed = fieldsOf(health["unsealed"]);
  const open = wholeNumberIn(unsealed, "bookings") ?? 0;
  const since = moment(wholeNumberIn(unsealed, "since_ms"));
  const rows = itemsIn(health, "seals").map((seal) => [
    wholeNumberIn(seal, "shard"),
    wholeNumberIn(seal, "number"),
    html`<code>${textIn(seal, "root")}</code>`,
    textIn(seal, "until"),
  ]);
  return html`<p>${open === 0 ? "All of your bookings are sealed." : html`${open} of your bookings are not sealed yet${since !== "" && html`, the oldest since ${since}`}. The next seal comes within five minutes.`}</p>
${rows.length === 0 ? empty("There is no seal yet.") : table("The newest seal of each chain", sealColumns, rows)}`;
}

const sealColumns = [
  { name: "Chain", isNumber: true },
  { name: "Number", isNumber: true },
  { name: "Root" },
  { name: "Until" },
];

function runsTable(runs: readonly LedgerRun[]): Markup {
  if (runs.length === 0) return empty("No check has run in the last seven days, or none has been written down yet.");
  const rows = runs.map(({ job, atMs, hasEnded, faults, items }) => [
    moment(atMs),
    jobs[job],
    hasEnded ? chip(faults === 0 ? "sound" : `${faults} found`) : chip("not ended"),
    items === null ? "" : String(items),
  ]);
  return table("Newest first; minutes behind", runColumns, rows);
}

const jobs = { verify: "books verified", seal: "bookings sealed", reconcile: "acquirer matched" } as const;

const runColumns = [{ name: "Ran" }, { name: "Check" }, { name: "Result" }, { name: "Looked at", isNumber: true }];
