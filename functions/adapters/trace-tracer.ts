/**
 * The tracer: spans as plain values, handed to a sink when they end, so that tracing loads no library at a cold start.
 * It must never let a failure of tracing reach the work, nor record anything of an error but its code or name.
 */
import { formatTraceparent, isKept, parseTraceparent, type TraceContext } from "../domain/trace-context.ts";
import type { OpenSpan, SpanFields, SpanSink, SpanStart, Tracer } from "../flows/trace-ports.ts";
import { newSpanId, newTraceId, type RequestScope, type Scope, scopes } from "./trace-scope.ts";

/** What a tracer is made of. */
export interface TracerOptions {
  /** The function's name. */
  readonly service: string;
  /** Share of traces that are recorded, 0 to 1. */
  readonly sampleRatio: number;
  readonly sink: SpanSink;
  /** Milliseconds since the epoch, with fractions where the clock has them. */
  readonly now: () => number;
}

/** Makes the tracer of one function. */
export function openTracer(options: TracerOptions): Tracer {
  const allowance = callersAllowance(options.now);
  const isSampled = (parent: TraceContext | undefined, traceId: string) =>
    isKept(traceId, options.sampleRatio) || (parent?.isSampled === true && allowance.take());
  return {
    request: async (start, work) => {
      const parent = parseTraceparent(start.traceparent);
      const traceId = parent?.traceId ?? newTraceId();
      const request: RequestScope = {
        ...{ traceId, parentId: parent?.spanId ?? null, isSampled: isSampled(parent, traceId) },
        ...{ roundTrips: 0, isOver: false },
      };
      const scope: Scope = { request, spanId: newSpanId() };
      try {
        return await recorded(options, start, { scope, parentId: () => request.parentId }, work);
      } finally {
        request.isOver = true;
      }
    },
    // No function of its own around work that is not recorded: it is called for each call of a port.
    span: (start, work) => {
      const around = scopes.getStore();
      if (around === undefined || !around.request.isSampled) return work(unrecorded);
      const scope: Scope = { request: around.request, spanId: newSpanId() };
      return recorded(options, start, { scope, parentId: () => around.spanId }, work);
    },
    continueFrom: (traceparent) => {
      const carried = traceparent === undefined ? undefined : parseTraceparent([traceparent]);
      const scope = scopes.getStore();
      if (scope === undefined || carried === undefined) return;
      const { traceId, spanId: parentId, isSampled: isRecorded } = carried;
      Object.assign(scope.request, { traceId, parentId, isSampled: isRecorded });
    },
    traceparent: () => {
      const scope = scopes.getStore();
      if (scope === undefined) return undefined;
      const { traceId, isSampled: isRecorded } = scope.request;
      return formatTraceparent({ traceId, spanId: scope.spanId, isSampled: isRecorded });
    },
    countRoundTrips: (trips) => {
      const scope = scopes.getStore();
      if (scope !== undefined) scope.request.roundTrips += trips;
    },
    roundTrips: () => scopes.getStore()?.request.roundTrips,
  };
}

const unrecorded: OpenSpan = { set: () => {} };

/** Runs the work inside its scope, and hands the span to the sink when it has ended, whatever came of it. */
async function recorded<Result>(
  { service, sink, now }: TracerOptions,
  { name, kind, fields: first = {} }: SpanStart,
  { scope, parentId }: { scope: Scope; parentId: () => string | null },
  work: (span: OpenSpan) => Promise<Result>,
): Promise<Result> {
  const startMs = now();
  let fields: SpanFields = first;
  let failure: string | null = null;
  const span: OpenSpan = {
    set: (more) => {
      fields = { ...fields, ...more };
    },
  };
  return await scopes.run(scope, async () => {
    try {
      return await work(span);
    } catch (error) {
      failure = failureOf(error);
      throw error;
    } finally {
      const { traceId, isSampled } = scope.request;
      if (isSampled) {
        const about = { service, traceId, spanId: scope.spanId, parentId: parentId(), name, kind };
        sink({ ...about, startMs, endMs: now(), fields, failure });
      }
    }
  });
}

/** A code, or the error's name; its text may quote what a customer sent. */
export function failureOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  return "code" in error ? String(error.code) : error.name;
}

/** Whoever calls from outside may ask for records, but not for more than this many a second and instance. */
const callersPerSecondMax = 5;

/** A bucket that fills with one allowance at a time. */
function callersAllowance(now: () => number) {
  let left = callersPerSecondMax;
  let filledAtMs = now();
  return {
    take: (): boolean => {
      const nowMs = now();
      left = Math.min(callersPerSecondMax, left + ((nowMs - filledAtMs) * callersPerSecondMax) / 1_000);
      filledAtMs = nowMs;
      if (left < 1) return false;
      left -= 1;
      return true;
    },
  };
}
