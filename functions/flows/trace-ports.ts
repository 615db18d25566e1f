/**
 * What the code needs to be seen from outside: spans of a trace, and the count of round trips to stores; types only.
 * It never names a product, and nothing of it ever changes or delays an answer.
 */

/** What kind of work a span is: answered here, asked of others, sent to or taken from a bus or queue, or our own. */
export type SpanKind = "server" | "client" | "producer" | "consumer" | "internal";

/** What a span tells beside its name: ids, codes and counts, never a body, a secret or a customer's text. */
export type SpanFields = Readonly<Record<string, string | number | boolean>>;

/** A span that begins. */
export interface SpanStart {
  /** Of few different values, for example `ledger.insert`. */
  readonly name: string;
  readonly kind: SpanKind;
  readonly fields?: SpanFields;
}

/** A span in work. */
export interface OpenSpan {
  /** Adds fields. */
  set(fields: SpanFields): void;
}

/** A request that arrives: `traceparent` holds the values of that header. */
export type RequestStart = SpanStart & { readonly traceparent: readonly string[] };

/** Makes spans. Everything that is awaited inside belongs to the request around it, and no two requests ever mix. */
export interface Tracer {
  /** Runs one request as the root of what this process does for its trace: the caller's, or a new one. */
  request<Result>(start: RequestStart, work: (span: OpenSpan) => Promise<Result>): Promise<Result>;
  /** Runs work as a span of the request around it; without one, or when its trace is not recorded, it just runs. */
  span<Result>(start: SpanStart, work: (span: OpenSpan) => Promise<Result>): Promise<Result>;
  /**
   * The request around it goes on with this trace: what a message or a task carries knows its parent better than a header
   * that the platform may have replaced. To be called before anything else of the request. A malformed value changes nothing.
   */
  continueFrom(traceparent: string | undefined): void;
  /** Where we are, as a value of `traceparent` to hand on; undefined outside of requests. */
  traceparent(): string | undefined;
  /** Counts round trips to a store for the request around it. */
  countRoundTrips(trips: number): void;
  /** How many were counted so far; undefined outside of requests. */
  roundTrips(): number | undefined;
}

/** One span that has ended. Times are milliseconds since the epoch, with fractions. */
export interface FinishedSpan {
  /** The function that did it. */
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Null for the first span of a trace. */
  readonly parentId: string | null;
  readonly name: string;
  readonly kind: SpanKind;
  readonly startMs: number;
  readonly endMs: number;
  readonly fields: SpanFields;
  /** A code or a name of an error; null when it went well. */
  readonly failure: string | null;
}

/** Takes spans that have ended; it must not throw, and not wait. */
export type SpanSink = (span: FinishedSpan) => void;
