/**
 * A place in a trace, as the header `traceparent` of W3C Trace Context tells it, and which traces are recorded.
 * It never believes a malformed header: such a request begins a trace of its own.
 */

/** One span of one trace. */
export interface TraceContext {
  /** 32 lower-case hexadecimal digits. */
  readonly traceId: string;
  /** 16 of them. */
  readonly spanId: string;
  /** Whether whoever began the trace records it. */
  readonly isSampled: boolean;
}

/**
 * Reads the values of the header; undefined when there is none, more than one, or one that the standard does not allow.
 * A version that is not known yet is read as far as version 00 goes, as the standard asks.
 */
export function parseTraceparent(values: readonly string[]): TraceContext | undefined {
  const [value = "", ...more] = values;
  const match = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.{0,200})?$/.exec(value);
  const [, version, traceId = "", spanId = "", flags = "", rest] = match ?? [];
  if (match === null || more.length > 0 || version === "ff" || (version === "00" && rest !== undefined))
    return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** The header's value, version 00. */
export function formatTraceparent({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`;
}

/** True for the share `ratio` (0 to 1) of all trace ids: the same answer for one id in every function. */
export function isKept(traceId: string, ratio: number): boolean {
  // The standard wants the rightmost digits to be random.
  return Number.parseInt(traceId.slice(-8), 16) < ratio * 2 ** 32;
}
