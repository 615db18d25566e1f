/**
 * Lets the clients of Spanner and Firestore write their own spans into our traces, through OpenTelemetry's interface,
 * which they carry anyway. It must never record more of their errors than a code, nor anything outside of a request.
 */
import * as otel from "@opentelemetry/api";
import type { SpanFields, SpanKind, SpanSink } from "../flows/trace-ports.ts";
import { newSpanId, type RequestScope, type Scope, scopes } from "./trace-scope.ts";
import { failureOf } from "./trace-tracer.ts";

/** Registers provider and context for the process, before clients are opened; without options it does nothing. */
export function recordClientSpans(options: ClientSpanOptions | undefined): void {
  if (options === undefined) return;
  otel.context.setGlobalContextManager(scopeContexts);
  const tracer = clientTracer(options);
  otel.trace.setGlobalTracerProvider({ getTracer: () => tracer });
}

/** Where the spans go. */
export interface ClientSpanOptions {
  readonly service: string;
  readonly sink: SpanSink;
  readonly now: () => number;
}

/** OpenTelemetry's context is the scope of the request: what a client sets lives inside it. */
const scopeContexts: otel.ContextManager = {
  active: () => {
    const scope = scopes.getStore();
    if (scope === undefined) return otel.ROOT_CONTEXT;
    return (scope.clientContext as otel.Context | undefined) ?? contextOf(scope);
  },
  with: (context, work, self, ...inputs) => {
    const scope = scopes.getStore();
    const run = () => work.apply(self as never, inputs as never);
    if (scope === undefined) return run();
    const spanId = otel.trace.getSpanContext(context)?.spanId ?? scope.spanId;
    return scopes.run({ request: scope.request, spanId, clientContext: context }, run);
  },
  bind: (context, target) => {
    if (typeof target !== "function") return target;
    const bound = (...inputs: unknown[]) => scopeContexts.with(context, () => target(...inputs));
    return bound as typeof target;
  },
  enable: () => scopeContexts,
  disable: () => scopeContexts,
};

function contextOf({ request, spanId }: Scope): otel.Context {
  const { traceId, isSampled } = request;
  const traceFlags = isSampled ? otel.TraceFlags.SAMPLED : otel.TraceFlags.NONE;
  return otel.trace.setSpanContext(otel.ROOT_CONTEXT, { traceId, spanId, traceFlags });
}

function clientTracer(options: ClientSpanOptions): otel.Tracer {
  const startSpan: otel.Tracer["startSpan"] = (name, start = {}, context = scopeContexts.active()) => {
    const scope = scopes.getStore();
    const parent = otel.trace.getSpanContext(context);
    if (scope === undefined || parent === undefined) return unrecorded;
    if (!scope.request.isSampled || scope.request.isOver) return unrecorded;
    return clientSpan(options, scope.request, { name, start, parentId: parent.spanId });
  };
  return {
    startSpan,
    startActiveSpan: (name: string, ...inputs: readonly unknown[]) => {
      const work = inputs.at(-1) as (span: otel.Span) => never;
      const [start, given] = inputs.slice(0, -1) as [otel.SpanOptions?, otel.Context?];
      const context = given ?? scopeContexts.active();
      const span = startSpan(name, start, context);
      if (span === unrecorded) return work(span);
      return scopeContexts.with(otel.trace.setSpan(context, span), work, undefined, span);
    },
  };
}

const unrecorded = otel.trace.wrapSpanContext(otel.INVALID_SPAN_CONTEXT);

function clientSpan(
  { service, sink, now }: ClientSpanOptions,
  { traceId }: RequestScope,
  { name, start, parentId }: { name: string; start: otel.SpanOptions; parentId: string },
): otel.Span {
  const spanId = newSpanId();
  const startMs = now();
  let fields = fieldsOf(start.attributes);
  let failure: string | null = null;
  let isOpen = true;
  const span: otel.Span = {
    spanContext: () => ({ traceId, spanId, traceFlags: otel.TraceFlags.SAMPLED }),
    setAttribute: (key, value) => span.setAttributes({ [key]: value }),
    setAttributes: (more) => {
      fields = { ...fields, ...fieldsOf(more) };
      return span;
    },
    // Events tell of pools and retries, by the hundred.
    addEvent: () => span,
    addLink: () => span,
    addLinks: () => span,
    setStatus: ({ code }) => {
      if (code === otel.SpanStatusCode.ERROR) failure ??= "error";
      return span;
    },
    updateName: () => span,
    end: () => {
      if (!isOpen) return;
      isOpen = false;
      const kind = kinds[start.kind ?? otel.SpanKind.CLIENT];
      sink({ service, traceId, spanId, parentId, name, kind, startMs, endMs: now(), fields, failure });
    },
    isRecording: () => isOpen,
    recordException: (error) => {
      failure = failureOf(error);
    },
  };
  return span;
}

const kinds: Readonly<Record<otel.SpanKind, SpanKind>> = {
  [otel.SpanKind.INTERNAL]: "internal",
  [otel.SpanKind.SERVER]: "server",
  [otel.SpanKind.CLIENT]: "client",
  [otel.SpanKind.PRODUCER]: "producer",
  [otel.SpanKind.CONSUMER]: "consumer",
};

/** Tags, counts and names of databases; the clients' settings and everything long stay out. */
function fieldsOf(attributes: otel.Attributes = {}): SpanFields {
  const kept = Object.entries(attributes).filter(
    ([name, value]) => keptFields.has(name) && ["string", "number", "boolean"].includes(typeof value),
  );
  return Object.fromEntries(kept) as SpanFields;
}

const keptFields: ReadonlySet<string> = new Set(["transaction.tag", "request.tag", "db.name", "db.sql.table"]);
