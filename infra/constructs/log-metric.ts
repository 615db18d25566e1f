/**
 * Metrics made from log lines: how often a line was written, or how a number in it is distributed.
 * It must never take a value that a caller chooses as a label: each value is a time series of its own, and is paid for.
 */
import { LoggingMetric } from "@cdktf/provider-google/lib/logging-metric/index.js";
import type { Construct } from "constructs";
import { type FunctionName, functionNames, type WatchedLine, type watchedLines } from "../../functions/config.ts";
import { named, type Settings } from "../settings.ts";

/** A line that a function writes. */
export interface LogLine {
  readonly settings: Settings;
  readonly writtenBy: FunctionName;
  /** Further conditions in the language of Cloud Logging, joined with AND. */
  readonly where: string;
  readonly description: string;
}

/** Counts the lines. */
export function lineCount(scope: Construct, name: string, line: LogLine): LoggingMetric {
  return new LoggingMetric(scope, name, {
    ...shared(name, line),
    metricDescriptor: { metricKind: "DELTA", valueType: "INT64", unit: "1" },
  });
}

/** Distributes the milliseconds in a field (`fieldOf`) of the lines over buckets that grow by half, from 4 ms to 66 s. */
export function durationsOf(scope: Construct, name: string, line: LogLine & { readonly field: string }): LoggingMetric {
  return new LoggingMetric(scope, name, {
    ...shared(name, line),
    valueExtractor: `EXTRACT(${line.field})`,
    metricDescriptor: { metricKind: "DELTA", valueType: "DISTRIBUTION", unit: "ms" },
    bucketOptions: { exponentialBuckets: { numFiniteBuckets: 24, growthFactor: 1.5, scale: 4 } },
  });
}

/** A condition: one of these lines, which the code is held to write (`watchedLines`). */
export function lineIs(...messages: readonly WatchedLine[]): string {
  const quoted = messages.map((message) => `"${message}"`).join(" OR ");
  return `jsonPayload.message = ${messages.length === 1 ? quoted : `(${quoted})`}`;
}

/** A field of a line, as filters and extractors name it. */
export function fieldOf<Line extends WatchedLine>(_line: Line, field: (typeof watchedLines)[Line][number]): string {
  return `jsonPayload.${field}`;
}

/** What an alert or a chart asks for to see the metric. */
export function metricFilter({ nameInput }: LoggingMetric): string {
  return `metric.type = "logging.googleapis.com/user/${nameInput}" AND resource.type = "${WRITER}"`;
}

/** The stage's functions by the name of their Cloud Run service, quoted, as filters list them. */
export function deployedServices(settings: Settings): string[] {
  return functionNames
    .filter((name) => name !== "test-acquirer" || settings.hasTestAcquirer)
    .filter((name) => name !== "sample-shop" || settings.hasSampleShop)
    .map((name) => `"${named(settings, name)}"`);
}

function shared(name: string, { settings, writtenBy, where, description }: LogLine) {
  return {
    project: settings.projectId,
    name: named(settings, name),
    description,
    filter: [
      `resource.type = "${WRITER}"`,
      `resource.labels.service_name = "${named(settings, writtenBy)}"`,
      where,
    ].join(" AND "),
  };
}

/** A function of generation 2 logs as the Cloud Run service that it is. */
const WRITER = "cloud_run_revision";
