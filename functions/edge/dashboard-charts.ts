/**
 * Charts drawn on the server: bars and lines by day, bars by name, each with its numbers as a table beside it.
 * It must never be the only way to a number, nor hold text that a narrow screen would shrink: words stand outside the drawing.
 */
import { dayWords } from "../domain/amount-words.ts";
import { dayMs } from "./dashboard-history.ts";
import { table } from "./dashboard-words.ts";
import { html, type Insertable, type Markup } from "./html.ts";

/** Values by day; each series has one value for each day, null where there is none. */
export interface DayChart {
  readonly title: string;
  /** What the drawing shows in a sentence, for those who do not see it. */
  readonly summary: string;
  /** Beginning of the first day. */
  readonly fromMs: number;
  readonly series: readonly Series[];
  /** How a value is written. */
  readonly words: (value: number) => string;
}

/** One series, drawn in one of four colours. */
export interface Series {
  readonly name: string;
  readonly tone: "first" | "second" | "good" | "bad";
  readonly values: readonly (number | null)[];
}

/** Bars by day, the series of a day on top of each other. */
export function dayBars(chart: DayChart): Markup {
  const days = chart.series[0]?.values.length ?? 0;
  const totals = Array.from({ length: days }, (_, day) =>
    chart.series.reduce((sum, { values }) => sum + (values[day] ?? 0), 0),
  );
  const top = Math.max(1, ...totals);
  const bars = totals.map((_total, day) => {
    let below = 0;
    return chart.series.map(({ tone, values }) => {
      const height = ((values[day] ?? 0) / top) * heightUnits;
      below += height;
      return height > 0 && rectangle(tone, (day + 0.1) * dayUnits, heightUnits - below, 0.8 * dayUnits, height);
    });
  });
  return figure(chart, days, top, bars);
}

/** Lines by day; a day without a value interrupts its line, and one between two such days is a dot. */
export function dayLines(chart: DayChart & { readonly top?: number }): Markup {
  const days = chart.series[0]?.values.length ?? 0;
  const known = chart.series.flatMap(({ values }) => values.filter((value) => value !== null));
  const top = chart.top ?? Math.max(1, ...known);
  const lines = chart.series.flatMap(({ tone, values }) =>
    runs(values).map((run) => {
      const points = run.map(([day, value]) => [(day + 0.5) * dayUnits, heightUnits * (1 - value / top)] as const);
      const [only] = points;
      // A line of one point draws nothing; a short one does.
      const drawn = points.length === 1 && only ? [only, [only[0] + dayUnits / 4, only[1]] as const] : points;
      return html`<polyline class="line ${tone}" points="${drawn.map(([x, y]) => `${short(x)},${short(y)}`).join(" ")}"/>`;
    }),
  );
  return figure(chart, days, top, lines);
}

/** Bars by name, largest first as given, with the value in words beside each. */
export function namedBars(
  caption: string,
  columns: readonly [string, string],
  rows: readonly { readonly name: string; readonly value: number; readonly words: string }[],
): Markup {
  const top = Math.max(1, ...rows.map(({ value }) => value));
  const cells = rows.map(({ name, value, words }) => [
    name,
    html`<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" focusable="false">${rectangle("first", 0, 0, (value / top) * 100, 10)}</svg><span>${words}</span>`,
  ]);
  return table(caption, [{ name: columns[0] }, { name: columns[1] }], cells);
}

/** The drawing is 100 units high, and ten wide for each day; it is stretched to its place. */
const heightUnits = 100;
const dayUnits = 10;

function figure(chart: DayChart, days: number, top: number, drawing: Insertable): Markup {
  const { title, summary, fromMs, series, words } = chart;
  const rows = Array.from({ length: days }, (_, day) => [
    dayWords(fromMs + day * dayMs),
    ...series.map(({ values }) => {
      const value = values[day] ?? null;
      return value === null ? "none" : words(value);
    }),
  ]).reverse();
  const columns = [{ name: "Day (UTC)" }, ...series.map(({ name }) => ({ name, isNumber: true }))];
  return html`<figure class="chart"><figcaption><h3>${title}</h3><p>${summary}</p></figcaption>
${series.length > 1 && html`<ul class="legend">${series.map(({ name, tone }) => html`<li><svg viewBox="0 0 10 10" aria-hidden="true" focusable="false">${rectangle(tone, 0, 0, 10, 10)}</svg>${name}</li>`)}</ul>`}
<p class="scale">${words(top)}</p>
<svg class="plot" viewBox="0 0 ${days * dayUnits} ${heightUnits}" preserveAspectRatio="none" role="img" aria-label="${title}. ${summary}">${drawing}</svg>
<p class="days"><span>${dayWords(fromMs)}</span><span>${dayWords(fromMs + (days - 1) * dayMs)}</span></p>
<details><summary>The numbers</summary>${table(title, columns, rows)}</details></figure>`;
}

function rectangle(tone: Series["tone"], x: number, y: number, width: number, height: number): Markup {
  return html`<rect class="${tone}" x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}"/>`;
}

/** Days in a row that have values. */
function runs(values: readonly (number | null)[]): (readonly [number, number])[][] {
  const found: (readonly [number, number])[][] = [];
  const run: (readonly [number, number])[] = [];
  for (const [day, value] of values.entries()) {
    if (value !== null) run.push([day, value]);
    else if (run.length > 0) found.push(run.splice(0));
  }
  if (run.length > 0) found.push(run);
  return found;
}

/** Two decimals of a unit are less than a pixel. */
function short(value: number): string {
  return String(Math.round(value * 100) / 100);
}
