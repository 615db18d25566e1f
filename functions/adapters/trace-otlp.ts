/**
 * Spans as the bytes of OTLP's `ExportTraceServiceRequest` (opentelemetry/proto/trace/v1), protobuf's binary form.
 * It must never drop a span that it is given: what is too much is the exporter's affair.
 */
import type { FinishedSpan, SpanFields, SpanKind } from "../flows/trace-ports.ts";

/** One request; all spans are of one function, whose own fields stand in `resource`. */
export function exportRequest(resource: SpanFields, spans: readonly FinishedSpan[]): Buffer {
  const scopeSpans = [bytes(1, text(1, scopeName)), ...spans.map((span) => bytes(2, spanBytes(span)))];
  return bytes(1, Buffer.concat([bytes(1, attributes(1, resource)), bytes(2, Buffer.concat(scopeSpans))]));
}

/** Who made the spans. */
const scopeName = "payments";

function spanBytes(span: FinishedSpan): Buffer {
  const { traceId, spanId, parentId, name, kind, startMs, endMs, fields, failure } = span;
  return Buffer.concat([
    bytes(1, Buffer.from(traceId, "hex")),
    bytes(2, Buffer.from(spanId, "hex")),
    ...(parentId === null ? [] : [bytes(4, Buffer.from(parentId, "hex"))]),
    text(5, name),
    number(6, kinds[kind]),
    time(7, startMs),
    time(8, endMs),
    attributes(9, fields),
    ...(failure === null ? [] : [bytes(15, Buffer.concat([text(2, failure), number(3, statusError)]))]),
  ]);
}

/** `SpanKind` of the protocol. */
const kinds: Readonly<Record<SpanKind, number>> = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 };

/** `STATUS_CODE_ERROR`. */
const statusError = 2;

function attributes(field: number, fields: SpanFields): Buffer {
  const pairs = Object.entries(fields).map(([key, value]) =>
    bytes(field, Buffer.concat([text(1, key), bytes(2, anyValue(value))])),
  );
  return Buffer.concat(pairs);
}

function anyValue(value: string | number | boolean): Buffer {
  if (typeof value === "string") return text(1, value);
  if (typeof value === "boolean") return number(2, value ? 1 : 0);
  if (Number.isSafeInteger(value) && value >= 0) return number(3, value);
  const double = Buffer.alloc(9);
  double[0] = tag(4, 1);
  double.writeDoubleLE(value, 1);
  return double;
}

/** A time in nanoseconds, fixed at 64 bits. */
function time(field: number, atMs: number): Buffer {
  const fixed = Buffer.alloc(9);
  fixed[0] = tag(field, 1);
  // Milliseconds since the epoch have room for a fraction of about a microsecond.
  fixed.writeBigUInt64LE(BigInt(Math.round(atMs * 1_000)) * 1_000n, 1);
  return fixed;
}

function text(field: number, value: string): Buffer {
  return bytes(field, Buffer.from(value, "utf8"));
}

function bytes(field: number, value: Buffer): Buffer {
  return Buffer.concat([Buffer.from([tag(field, 2)]), varint(value.length), value]);
}

function number(field: number, value: number): Buffer {
  return Buffer.concat([Buffer.from([tag(field, 0)]), varint(value)]);
}

/** Field numbers up to 15 fit into one byte, and no field here has a higher one. */
function tag(field: number, wireType: number): number {
  return (field << 3) | wireType;
}

function varint(value: number): Buffer {
  const groups: number[] = [];
  let rest = BigInt(value);
  while (rest > 127n) {
    groups.push(Number(rest & 127n) | 128);
    rest >>= 7n;
  }
  return Buffer.from([...groups, Number(rest)]);
}
