/**
 * Log lines in the form that Cloud Logging reads: severity, trace and span, labels, and reports for Error Reporting.
 * It never writes what it is not given as a field, and a report's text is positions in our code, never a foreign sentence.
 */
import type { Log } from "../flows/ports.ts";
import { scopes } from "./trace-scope.ts";

/** Whose lines these are. */
export interface LogNames {
  /** The function's name. */
  readonly service: string;
  /** The deployed revision; the laptop has none. */
  readonly revision?: string | undefined;
  readonly projectId: string;
}

/** A line as it is written. */
export type LogLine = Readonly<Record<string, unknown>> & { readonly severity: string; readonly message: string };

/** Lines of one function; the trace is that of the request in whose work they are written. */
export function tracedLog(names: LogNames, write: (line: LogLine) => void): Log {
  return (severity, message, fields = {}) => {
    const { stack, ...others } = fields;
    const labels = { function: names.service, ...accountIn(fields) };
    const report = severity === "ERROR" && typeof stack === "string" ? reportOf(names, `${message}\n${stack}`) : {};
    write({ severity, message, ...others, ...report, ...traceFields(names), [labelsField]: labels });
  };
}

/** One JSON line on stdout (facts: no logging library). */
export function writeLine(line: LogLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** Fields of Cloud Logging's own; it takes them out of the payload. */
const labelsField = "logging.googleapis.com/labels";

function traceFields({ projectId }: LogNames): Readonly<Record<string, unknown>> {
  const scope = scopes.getStore();
  if (scope === undefined) return {};
  return {
    "logging.googleapis.com/trace": `projects/${projectId}/traces/${scope.request.traceId}`,
    "logging.googleapis.com/spanId": scope.spanId,
    "logging.googleapis.com/trace_sampled": scope.request.isSampled,
  };
}

/** The merchant, so that its lines can be found by an index. */
function accountIn({ accountId }: Readonly<Record<string, unknown>>): { readonly accountId?: string } {
  return typeof accountId === "string" ? { accountId } : {};
}

/** What makes Error Reporting group the line by where it happened. */
function reportOf({ service, revision }: LogNames, stackTrace: string) {
  return {
    "@type": "type.googleapis.com/google.devtools.clouderrorreporting.v1beta1.ReportedErrorEvent",
    serviceContext: { service, ...(revision === undefined ? {} : { version: revision }) },
    stack_trace: stackTrace,
  };
}
