// The pages of traces on the laptop: which there were, and one of them as a tree with its times and log lines.
// It must never run or load anything: what merchants wrote stands in it as text.

import type { LogLine } from "../functions/adapters/trace-log.ts";
import { type Html, html } from "../functions/domain/html.ts";
import type { FinishedSpan } from "../functions/flows/trace-ports.ts";
import { isRoutine, type Seen, type SeenTrace } from "./seen.ts";

/** The list; `all` shows the schedule's as well. */
export function tracesList(seen: Seen, all: boolean): Html {
  const traces = seen.traces().filter((trace) => trace.spans.length > 0 && (all || !isRoutine(trace)));
  const rows = traces.slice(0, LISTED_MAX).map((trace) => {
    const { startMs, endMs, root } = extent(trace.spans);
    const services = [...new Set(trace.spans.map(({ service }) => service))].join(", ");
    const failed = trace.spans.filter(({ failure }) => failure !== null).length;
    return html`<tr><td>${new Date(startMs).toISOString()}</td><td><a href="/traces/${trace.id}">${root.name}</a></td>
<td>${duration(endMs - startMs)}</td><td>${String(trace.spans.length)}</td><td>${String(trace.lines.length)}</td>
<td>${failed === 0 ? "" : String(failed)}</td><td>${services}</td></tr>\n`;
  });
  const other = all
    ? html`<a href="/traces">without the schedule's</a>`
    : html`<a href="/traces?all=1">with the schedule's</a>`;
  if (rows.length === 0) return html`<h1>Traces</h1><p>None yet: make a payment. ${other}</p>`;
  return html`<h1>Traces</h1><p>Newest first, ${other}. <a href="/">What the consumers did</a></p><table><tr>
<th>began</th><th>what</th><th>took</th><th>spans</th><th>log lines</th><th>failed</th><th>functions</th></tr>${rows}</table>`;
}

/** One trace: a bar for each span under its parent, then the lines. */
export function tracePage(trace: SeenTrace): Html {
  const { startMs, endMs } = extent(trace.spans);
  const tree = treeOf(trace.spans);
  const rows = tree.map(({ span, depth }) => spanRow(span, depth, { startMs, lengthMs: Math.max(1, endMs - startMs) }));
  return html`<h1>Trace ${trace.id}</h1><p>Began ${new Date(startMs).toISOString()}, took ${duration(endMs - startMs)}.
<a href="/traces">All traces</a></p>
<table><tr><th>function</th><th>span</th><th>took</th><th>when</th><th>fields</th></tr>${rows}</table>
<h2>Log lines</h2><table><tr><th>severity</th><th>function</th><th>message</th><th>fields</th></tr>${trace.lines.map(lineRow)}</table>`;
}

/** Each span behind its parent, those of one parent by their beginning; what has no parent here stands at the left. */
export function treeOf(spans: readonly FinishedSpan[]): { span: FinishedSpan; depth: number }[] {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const children = Map.groupBy(spans, ({ parentId }) => (parentId !== null && ids.has(parentId) ? parentId : ""));
  const below = (parent: string, depth: number): { span: FinishedSpan; depth: number }[] =>
    (children.get(parent) ?? [])
      .toSorted((one, other) => one.startMs - other.startMs)
      .flatMap((span) => [{ span, depth }, ...below(span.spanId, depth + 1)]);
  return below("", 0);
}

/** More than a person reads. */
const LISTED_MAX = 200;

function spanRow(span: FinishedSpan, depth: number, whole: { startMs: number; lengthMs: number }): Html {
  const percent = (milliseconds: number) => String(Math.round((milliseconds / whole.lengthMs) * 1_000) / 10);
  const left = percent(span.startMs - whole.startMs);
  const width = percent(span.endMs - span.startMs);
  const color = span.failure === null ? "#58a" : "#c33";
  const bar = html`<div style="width:20em;background:#eee"><div style="margin-left:${left}%;width:${width}%;min-width:1px;height:.8em;background:${color}"></div></div>`;
  const failure = span.failure === null ? "" : ` failed: ${span.failure}`;
  return html`<tr><td>${span.service}</td><td style="padding-left:${String(depth * 1.2)}em">${span.name}</td>
<td>${duration(span.endMs - span.startMs)}</td><td>${bar}</td><td>${fieldsText(span.fields)}${failure}</td></tr>\n`;
}

function lineRow(line: LogLine): Html {
  const { severity, message, ...fields } = line;
  const labels = fields["logging.googleapis.com/labels"] as { function?: string } | undefined;
  const own = Object.entries(fields).filter(([name]) => !name.startsWith("logging.googleapis.com/"));
  return html`<tr><td>${severity}</td><td>${labels?.function ?? ""}</td><td>${message}</td><td>${fieldsText(Object.fromEntries(own))}</td></tr>\n`;
}

function fieldsText(fields: Readonly<Record<string, unknown>>): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name}=${typeof value === "object" ? JSON.stringify(value) : String(value)}`)
    .join(" ");
}

function duration(milliseconds: number): string {
  if (milliseconds >= 60_000) return `${(milliseconds / 60_000).toFixed(1)} min`;
  return milliseconds >= 1_000 ? `${(milliseconds / 1_000).toFixed(2)} s` : `${milliseconds.toFixed(1)} ms`;
}

/** From the first span's beginning to the last one's end; the root, or the span that began first where it is not there yet. */
function extent(spans: readonly FinishedSpan[]): { startMs: number; endMs: number; root: FinishedSpan } {
  const [first] = spans.toSorted((one, other) => one.startMs - other.startMs);
  const root = spans.find(({ parentId }) => parentId === null) ?? first;
  if (first === undefined || root === undefined) throw new Error("a trace without spans");
  return { startMs: first.startMs, endMs: Math.max(...spans.map(({ endMs }) => endMs)), root };
}
