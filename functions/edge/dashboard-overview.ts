/**
 * The overview: what the history says of the last days, in charts and numbers.
 * It must never add up amounts of different currencies, nor call a rate what nothing was counted for.
 */
import type {
  ConsumerLag,
  DeclineReason,
  DeliveryDay,
  History,
  HistoryQuery,
  PaymentDay,
  RefundDay,
  ReplayDay,
} from "../flows/history-ports.ts";
import { dayBars, dayLines, namedBars } from "./dashboard-charts.ts";
import { dayMs, lastDays, past } from "./dashboard-history.ts";
import type { Page } from "./dashboard-page.ts";
import type { Part, Visit } from "./dashboard-visit.ts";
import { empty, money, panel } from "./dashboard-words.ts";
import { html, type Insertable, type Markup } from "./html.ts";

/** `GET /`: `days` is 7, 30 or 90. */
export async function overviewPage(visit: Visit): Promise<Page> {
  const days = spans.find((span) => String(span) === visit.query("days")) ?? 30;
  const range = lastDays(visit, days);
  const query: HistoryQuery = { accountId: visit.session.accountId, range, limit: rowsMax };
  const ask = <Answer>(question: (history: History) => Promise<Answer>): Promise<Part<Answer>> => past(visit, question);
  const [payments, declines, refunds, deliveries, lags, replays] = await Promise.all([
    ask((history) => history.paymentDays(query)),
    ask((history) => history.declineReasons({ ...query, limit: 10 })),
    ask((history) => history.refundDays(query)),
    ask((history) => history.deliveryDays({ ...query, endpointId: null })),
    ask((history) => history.consumerLags(query)),
    ask((history) => history.replayDays(query)),
  ]);
  const days_ = { fromMs: range.fromMs, days };
  const body = html`<nav class="tabs" aria-label="Span of time"><ul>${spans.map(
    (span) => html`<li><a href="/?days=${span}"${span === days && html` aria-current="true"`}>${span} days</a></li>`,
  )}</ul></nav>
<div class="charts">
${panel("Payments", payments, (rows) => paymentCharts(days_, rows))}
${panel("Why payments were declined", declines, declineBars)}
${panel("Refunds", refunds, (rows) => refundCharts(days_, rows))}
${panel("Webhook deliveries", deliveries, (rows) => deliveryCharts(days_, rows))}
${panel("Requests answered again", replays, (rows) => replayCharts(days_, rows))}
${panel("How far the consumers are behind", lags, lagBars)}
</div>`;
  return { title: "Overview", place: "/", body };
}

const spans = [7, 30, 90] as const;

/** The history's largest page: ninety days in eleven currencies. */
const rowsMax = 1_000;

interface Days {
  readonly fromMs: number;
  readonly days: number;
}

/** One value for each day, from the rows of that day. */
function byDay<Row extends { readonly dayMs: number }, Value>(
  { fromMs, days }: Days,
  rows: readonly Row[],
  value: (rows: readonly Row[]) => Value,
): Value[] {
  return Array.from({ length: days }, (_, day) => value(rows.filter((row) => row.dayMs === fromMs + day * dayMs)));
}

function sum<Row>(rows: readonly Row[], of: (row: Row) => number): number {
  return rows.reduce((total, row) => total + of(row), 0);
}

/** Hundredths, or null where nothing was counted. */
function rate(part: number, whole: number): number | null {
  return whole === 0 ? null : (part / whole) * 100;
}

const percent = (value: number) => `${Math.round(value * 10) / 10} %`;
const whole = (value: number) => String(Math.round(value));
const share = (part: number, all: number) =>
  all === 0 ? "none" : `${percent((part / all) * 100)} (${part} of ${all})`;

function tile(name: string, value: Insertable): Markup {
  return html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
}

/** Amounts by currency, each in its own. */
function amounts<Row extends { readonly currency: string }>(rows: readonly Row[], of: (row: Row) => bigint): string {
  const totals = new Map<string, bigint>();
  for (const row of rows) totals.set(row.currency, (totals.get(row.currency) ?? 0n) + of(row));
  const words = [...totals].filter(([, amount]) => amount !== 0n).map(([currency, amount]) => money(amount, currency));
  return words.length === 0 ? "none" : words.join(", ");
}

function paymentCharts(days: Days, rows: readonly PaymentDay[]): Markup {
  const payments = sum(rows, (row) => row.payments);
  const succeeded = sum(rows, (row) => row.succeeded);
  if (payments === 0) return empty("No payments were made in these days.");
  return html`<dl class="tiles">${tile("Payments", payments)}${tile("Succeeded", share(succeeded, payments))}${tile(
    "Received",
    amounts(rows, (row) => row.receivedMinor),
  )}</dl>
${dayBars({
  ...{ title: "Payments per day", fromMs: days.fromMs, words: whole },
  summary: `${payments} payments were made, ${succeeded} of them succeeded.`,
  series: [
    { name: "Succeeded", tone: "first", values: byDay(days, rows, (day) => sum(day, (row) => row.succeeded)) },
    {
      name: "Not, or not yet",
      tone: "second",
      values: byDay(days, rows, (day) => sum(day, (row) => row.payments - row.succeeded)),
    },
  ],
})}
${dayLines({
  ...{ title: "Conversion", fromMs: days.fromMs, words: percent, top: 100 },
  summary: `Of the payments of a day, how many succeeded: ${share(succeeded, payments)} in all.`,
  series: [
    {
      name: "Conversion",
      tone: "first",
      values: byDay(days, rows, (day) =>
        rate(
          sum(day, (row) => row.succeeded),
          sum(day, (row) => row.payments),
        ),
      ),
    },
  ],
})}`;
}

function declineBars(rows: readonly DeclineReason[]): Markup {
  if (rows.length === 0) return empty("Nothing was declined in these days.");
  const all = sum(rows, ({ declines }) => declines);
  return namedBars(
    `${all} declines, most frequent reason first`,
    ["Reason", "Declines"],
    rows.map(({ code, declineCode, declines }) => ({
      name: (declineCode ?? code).replaceAll("_", " "),
      value: declines,
      words: share(declines, all),
    })),
  );
}

function refundCharts(days: Days, rows: readonly RefundDay[]): Markup {
  const charges = sum(rows, (row) => row.charges);
  const refunded = sum(rows, (row) => row.refunded);
  if (charges === 0) return empty("No money was captured in these days.");
  return html`<dl class="tiles">${tile("Refunded", share(refunded, charges))}${tile(
    "Captured",
    amounts(rows, (row) => row.capturedMinor),
  )}${tile(
    "Given back",
    amounts(rows, (row) => row.refundedMinor),
  )}</dl>
${dayLines({
  ...{ title: "Refund rate", fromMs: days.fromMs, words: percent },
  summary: `Of the charges of a day, how many were refunded by now, wholly or in part: ${share(refunded, charges)} in all.`,
  series: [
    {
      name: "Refund rate",
      tone: "bad",
      values: byDay(days, rows, (day) =>
        rate(
          sum(day, (row) => row.refunded),
          sum(day, (row) => row.charges),
        ),
      ),
    },
  ],
})}`;
}

function deliveryCharts(days: Days, rows: readonly DeliveryDay[]): Markup {
  const attempts = sum(rows, (row) => row.attempts);
  const succeeded = sum(rows, (row) => row.succeeded);
  if (attempts === 0) return empty("No webhook was sent in these days.");
  const average = (some: readonly DeliveryDay[]) => {
    const sent = sum(some, (row) => row.attempts);
    return sent === 0 ? null : sum(some, (row) => row.durationAverageMs * row.attempts) / sent;
  };
  const milliseconds = (value: number) => `${Math.round(value)} ms`;
  const fast = sum(rows, (row) => row.within500Ms);
  return html`<dl class="tiles">${tile("Attempts that succeeded", share(succeeded, attempts))}${tile("Answered within 0.5 s", share(fast, attempts))}${tile("Slowest", milliseconds(Math.max(...rows.map((row) => row.durationMaxMs))))}</dl>
${dayBars({
  ...{ title: "Attempts per day", fromMs: days.fromMs, words: whole },
  summary: `${attempts} attempts were made, ${succeeded} of them succeeded.`,
  series: [
    { name: "Succeeded", tone: "good", values: byDay(days, rows, (day) => sum(day, (row) => row.succeeded)) },
    {
      name: "Failed",
      tone: "bad",
      values: byDay(days, rows, (day) => sum(day, (row) => row.attempts - row.succeeded)),
    },
  ],
})}
${dayLines({
  ...{ title: "Time to the receiver's answer", fromMs: days.fromMs, words: milliseconds },
  summary: `The average attempt took ${milliseconds(average(rows) ?? 0)}, failed ones too.`,
  series: [{ name: "Average", tone: "first", values: byDay(days, rows, average) }],
})}`;
}

function replayCharts(days: Days, rows: readonly ReplayDay[]): Markup {
  const saved = (row: ReplayDay) => row.replayed + row.waited;
  const worked = (row: ReplayDay) => row.executed + row.adopted;
  const [again, first] = [sum(rows, saved), sum(rows, worked)];
  if (again + first === 0) return empty("No request with an idempotency key came in these days.");
  return html`<dl class="tiles">${tile("Executions saved", again)}${tile(
    "Keys used for something else",
    sum(rows, (row) => row.mismatch),
  )}${tile(
    "Finished for a worker that died",
    sum(rows, (row) => row.adopted),
  )}</dl>
${dayBars({
  ...{ title: "Requests with a key, per day", fromMs: days.fromMs, words: whole },
  summary: `${first} requests did their work, and ${again} got the first one's answer: payments that were not made twice.`,
  series: [
    { name: "Did the work", tone: "second", values: byDay(days, rows, (day) => sum(day, worked)) },
    { name: "Got the first answer", tone: "first", values: byDay(days, rows, (day) => sum(day, saved)) },
  ],
})}`;
}

function lagBars(rows: readonly ConsumerLag[]): Markup {
  if (rows.length === 0) return empty("No consumer has dealt with an event of yours in these days.");
  const names = [...new Set(rows.map(({ consumer }) => consumer))].sort();
  const bars = names.map((name) => {
    const own = rows.filter(({ consumer }) => consumer === name);
    const events = sum(own, (row) => row.events);
    const value = events === 0 ? 0 : sum(own, (row) => row.lagAverageMs * row.events) / events;
    const most = Math.max(...own.map((row) => row.lagMaxMs));
    return { name, value, words: `${Math.round(value)} ms on average, ${most} ms at most, ${events} events` };
  });
  return namedBars("From an event to the end of each consumer's work", ["Consumer", "Behind"], bars);
}
