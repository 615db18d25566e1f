// How a function of the laptop is traced: as its entry does it, but into memory, under the laptop's clock.
// It must never record more than the plan's ratio says, nor send anything anywhere.

import { tracedLog } from "../functions/adapters/trace-log.ts";
import { type Tracing, tracingWith } from "../functions/adapters/trace-open.ts";
import { traceSettingsIn } from "../functions/config-readers.ts";
import type { Clock, Log } from "../functions/flows/ports.ts";
import type { FinishedSpan } from "../functions/flows/trace-ports.ts";
import type { PlannedFunction } from "./plan.ts";
import type { Rights } from "./rights.ts";
import type { Seen } from "./seen.ts";

/** Tracer and log of one function; what it says is seen, and goes to the laptop's log too. */
export function tracingOf(options: {
  planned: PlannedFunction;
  environment: Readonly<Record<string, string>>;
  seen: Seen;
  rights: Rights;
  clock: Pick<Clock, "now">;
  log: Log;
}): Tracing {
  const { planned, seen, clock, rights } = options;
  const { projectId, sampleRatio } = traceSettingsIn(options.environment);
  const service = planned.name;
  const log = tracedLog({ service, projectId }, (line) => {
    seen.line(line);
    const { severity, message, ...fields } = line;
    options.log(severity as Parameters<Log>[0], message, fields);
  });
  const right = { permission: "telemetry.traces.write", resource: `projects/${projectId}`, member: planned.member };
  let mayWrite: boolean | undefined;
  const sink = (span: FinishedSpan) => {
    // Asked with the first span, as the cloud does: without the grant spans are lost, and nothing else is.
    mayWrite ??= rights.refusalOf(right) === undefined;
    if (mayWrite) seen.span(span);
  };
  return tracingWith({ service, sampleRatio, now: clock.now, sink, log });
}
