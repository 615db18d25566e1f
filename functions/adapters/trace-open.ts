/**
 * All that an entry needs to be seen from outside: its log, its tracer, and its ports with spans around their calls.
 * It must never be opened twice in a process, nor cost a library at a cold start.
 */
import type { Log } from "../flows/ports.ts";
import type { SpanFields, SpanSink, Tracer } from "../flows/trace-ports.ts";
import type { ClientSpanOptions } from "./trace-client-spans.ts";
import { openExporter } from "./trace-exporter.ts";
import { tracedLog, writeLine } from "./trace-log.ts";
import { openTracer } from "./trace-tracer.ts";
import { type Watched, watched, watchedCache, watchedLedger } from "./trace-watch.ts";
import { watchedEgress, watchedPublisher, watchedTasks } from "./trace-watch-onward.ts";

/** What a function is told of tracing (see `traceSettingsIn`). */
export interface TraceSettings {
  readonly projectId: string;
  /** Share of traces that are recorded, 0 to 1. */
  readonly sampleRatio: number;
  /** Where spans go: a full URL; undefined for nowhere. */
  readonly collectorUrl: string | undefined;
  readonly revision: string | undefined;
}

/** Opens it for one function of this process; the clients' own spans come with `recordClientSpans`. */
export function openTracing(service: string, settings: TraceSettings): OpenTracing {
  const { projectId, sampleRatio, collectorUrl: url, revision } = settings;
  const log = tracedLog({ service, revision, projectId }, writeLine);
  const resource = { "service.name": service, "gcp.project_id": projectId };
  const isGoogle = url?.startsWith(googleOrigin) === true;
  const exporter = url === undefined || sampleRatio === 0 ? undefined : openExporter({ url, resource, isGoogle, log });
  const now = () => performance.timeOrigin + performance.now();
  const seen = tracingWith({ service, sampleRatio, now, sink: exporter?.sink ?? (() => {}), log });
  const clientSpans = exporter === undefined ? undefined : { service, now, sink: exporter.sink };
  return { ...seen, clientSpans, close: async () => await exporter?.close() };
}

/** Google's own collector, which wants a token. */
const googleOrigin = "https://telemetry.googleapis.com/";

/** The same for hosts of many functions in one process, which have a sink and a log of their own. */
export function tracingWith(options: {
  readonly service: string;
  readonly sampleRatio: number;
  readonly now: () => number;
  readonly sink: SpanSink;
  readonly log: Log;
}): Tracing {
  const tracer = openTracer(options);
  const watch = <Ports extends object>(ports: Ports): Ports =>
    Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, watchedPort(tracer, name, port)])) as Ports;
  return { tracer, log: options.log, watch, onward: { traceparent: tracer.traceparent } };
}

/** Tracer and log of one function, and what puts spans around its ports. */
export interface Tracing {
  readonly tracer: Tracer;
  readonly log: Log;
  /** The ports with each call watched, by the name that the flows know them by; what is no port stays as it is. */
  watch<Ports extends object>(ports: Ports): Ports;
  /** For adapters that call other functions by HTTP: they hand the place in the trace on. */
  readonly onward: { readonly traceparent: () => string | undefined };
}

/** The same, to be closed when the process ends: what waits is sent then. */
export interface OpenTracing extends Tracing {
  /** For `recordClientSpans`; undefined where nothing is recorded. */
  readonly clientSpans: ClientSpanOptions | undefined;
  close(): Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: the name of a port says its type, which the caller's type keeps.
function watchedPort(tracer: Tracer, name: string, port: any): unknown {
  if (port === undefined) return undefined;
  if (name === "ledger") return watchedLedger(tracer, { "db.system": "spanner" }, port);
  if (name === "cache") return watchedCache(tracer, { "db.system": "firestore" }, port);
  if (name === "publisher") return watchedPublisher(tracer, port);
  if (name === "egress") return watchedEgress(tracer, port);
  // Queues, or queues for whoever knows only at a request where they call.
  if (name === "tasks")
    return typeof port === "function" ? (url: string) => watchedTasks(tracer, port(url)) : watchedTasks(tracer, port);
  const product = Object.hasOwn(products, name) ? products[name] : undefined;
  if (product === undefined) return port;
  return watched(tracer, product === "outside" ? { name, trips: 0, tell: attemptOf } : storeOf(name, product), port);
}

function storeOf(name: string, product: string): Watched {
  return { name, fields: { "db.system": product } };
}

/** Where each further port leads. */
const products: Readonly<Record<string, "spanner" | "firestore" | "outside">> = {
  accounts: "spanner",
  stories: "spanner",
  balances: "spanner",
  seals: "spanner",
  reconciliation: "spanner",
  operators: "spanner",
  outbox: "spanner",
  endpoints: "firestore",
  deliveries: "firestore",
  health: "firestore",
  store: "firestore",
  observations: "firestore",
  deadLetters: "firestore",
  journal: "firestore",
  orders: "firestore",
  seen: "firestore",
  acquirer: "outside",
  intentions: "outside",
  mailer: "outside",
  payments: "outside",
  api: "outside",
};

/** An order's key is the attempt's id. */
function attemptOf([order]: readonly unknown[]): SpanFields {
  const key = typeof order === "object" && order !== null && "key" in order ? order.key : order;
  return typeof key === "string" && key.startsWith("att_") ? { attemptId: key } : {};
}
