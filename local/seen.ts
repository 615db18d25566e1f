// What the laptop saw: the spans and log lines of its functions by trace, for as long as there is room.
// It must never grow without a bound; the oldest traces go first, those of the schedule before those of people.

import type { LogLine } from "../functions/adapters/trace-log.ts";
import type { FinishedSpan } from "../functions/flows/trace-ports.ts";

/** One trace: spans in the order in which they ended, lines in the order in which they were written. */
export type SeenTrace = {
  id: string;
  spans: readonly FinishedSpan[];
  lines: readonly LogLine[];
};

/** What was seen so far. */
export type Seen = {
  /** Takes a span that has ended. */
  span(span: FinishedSpan): void;
  /** Takes a line; one that belongs to no trace is not kept. */
  line(line: Readonly<Record<string, unknown>>): void;
  /** All traces, the one that began last first. */
  traces(): readonly SeenTrace[];
  /** One of them. */
  trace(id: string): SeenTrace | undefined;
};

type Kept = { id: string; spans: FinishedSpan[]; lines: LogLine[] };

/** Nothing seen yet. */
export function openSeen(): Seen {
  const kept = new Map<string, Kept>();
  const of = (id: string): Kept => {
    const found = kept.get(id);
    if (found !== undefined) return found;
    if (kept.size >= TRACES_MAX) kept.delete(leastWanted(kept));
    const trace: Kept = { id, spans: [], lines: [] };
    kept.set(id, trace);
    return trace;
  };
  return {
    span: (span) => {
      const { spans } = of(span.traceId);
      if (spans.length < PER_TRACE_MAX) spans.push(span);
    },
    line: (line) => {
      const id = String(line["logging.googleapis.com/trace"] ?? "").split("/")[3];
      if (id === undefined) return;
      const { lines } = of(id);
      const { severity = "DEFAULT", message = "", ...fields } = line;
      if (lines.length < PER_TRACE_MAX) lines.push({ severity: String(severity), message: String(message), ...fields });
    },
    traces: () => [...kept.values()].reverse(),
    trace: (id) => kept.get(id),
  };
}

/** True for what the schedule started: it comes each minute and tells a person little. */
export function isRoutine({ spans }: Pick<SeenTrace, "spans">): boolean {
  const root = spans.find(({ parentId }) => parentId === null);
  return (
    root !== undefined &&
    /^POST \/(complete|expire|checkpoint|seal|reconcile|operate|relay|verify|sweep)$/.test(root.name)
  );
}

/** A payment has about sixty spans, so this is 30,000 of them, or 20 MB. */
const TRACES_MAX = 500;

/** More than a delivery of ten attempts has. */
const PER_TRACE_MAX = 2_000;

/** The oldest of the schedule, else the oldest. */
function leastWanted(kept: ReadonlyMap<string, Kept>): string {
  let first = "";
  for (const [id, trace] of kept) {
    if (isRoutine(trace)) return id;
    first ||= id;
  }
  return first;
}
