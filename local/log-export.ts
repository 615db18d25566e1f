// Plays Cloud Logging for the functions' lines: makes a LogEntry of each, and hands it to the plan's sinks.
// It must never export a line of anything but a function; what the sinks may do is held by tests on the plan.

import { randomBytes } from "node:crypto";
import type { Bus } from "./bus.ts";
import type { MovableClock } from "./movable-clock.ts";
import type { PlannedSink } from "./plan-history.ts";

/** What exporting needs. */
export type LogExportDependencies = {
  clock: Pick<MovableClock, "now">;
  bus: Pick<Bus, "publish">;
};

/** Takes a line of a function (deployed name), as it wrote it, without what it is printed with. */
export type LogExport = (service: string, line: LogLine) => void;

/** The members of one line of JSON. */
export type LogLine = Readonly<Record<string, unknown>>;

/** The export of a plan's sinks. */
export function logExport({ clock, bus }: LogExportDependencies, sinks: readonly PlannedSink[]): LogExport {
  let lastMicros = 0;
  return (service, line) => {
    // Two lines of one millisecond keep their order, as those of one instance do in Logging.
    lastMicros = Math.max(clock.now() * 1_000, lastMicros + 1);
    const entry = entryOf(service, line, timestampOf(lastMicros));
    for (const { topic, services } of sinks) {
      if (!services.includes(service)) continue;
      const attributes = { "logging.googleapis.com/timestamp": entry.timestamp };
      bus.publish(topic, [{ data: Buffer.from(JSON.stringify(entry), "utf8"), attributes }]);
    }
  };
}

function timestampOf(micros: number): string {
  const millis = Math.floor(micros / 1_000);
  return new Date(millis).toISOString().replace("Z", `${String(micros - millis * 1_000).padStart(3, "0")}Z`);
}

/** Takes the members out of the line that Cloud Logging takes out of the JSON on stdout; the rest is its payload. */
function entryOf(service: string, line: LogLine, timestamp: string) {
  const { severity, [`${special}/trace`]: trace, [`${special}/spanId`]: spanId, ...others } = line;
  const { [`${special}/trace_sampled`]: traceSampled, [`${special}/labels`]: labels, ...jsonPayload } = others;
  return {
    insertId: randomBytes(9).toString("hex"),
    timestamp,
    severity: severity ?? "DEFAULT",
    ...(trace === undefined ? {} : { trace }),
    ...(spanId === undefined ? {} : { spanId }),
    ...(traceSampled === undefined ? {} : { traceSampled }),
    ...(labels === undefined ? {} : { labels }),
    resource: { type: "cloud_run_revision", labels: { service_name: service } },
    jsonPayload,
  };
}

/** What the members begin with that Logging reads. */
const special = "logging.googleapis.com";
