// A collector of traces on loopback, for functions in processes of their own: OTLP over HTTP in, spans for the pages out.
// It must never take anything that it cannot read for a span, nor pass anything on.

import { createFrontDoorServer } from "../functions/edge/install-front-door.ts";
import { jsonResponse, pathOf } from "../functions/edge/wire.ts";
import type { FinishedSpan, SpanFields, SpanKind } from "../functions/flows/trace-ports.ts";
import { listenFrom } from "./listen.ts";

/** Starts it on a free port; `url` is what functions export to. */
export async function openCollector(take: (span: FinishedSpan) => void): Promise<{ url: string; close(): void }> {
  const server = createFrontDoorServer(async ({ method, target, body }) => {
    if (method !== "POST" || pathOf(target) !== "/v1/traces") return jsonResponse(404, {});
    for (const span of spansIn(body)) take(span);
    return jsonResponse(200, {});
  });
  const port = await listenFrom(server, undefined);
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}/v1/traces`, close };
}

/** The spans of an `ExportTraceServiceRequest` as `exportRequest` writes it; throws for bytes that are none. */
export function spansIn(request: Buffer): FinishedSpan[] {
  return fieldsOf(request)
    .filter(({ field }) => field === 1)
    .flatMap(({ bytes: resourceSpans }) => {
      const parts = fieldsOf(resourceSpans);
      const resource = attributesIn(fieldsOf(bytesOf(parts, 1)), 1);
      const service = String(resource["service.name"] ?? "");
      return parts
        .filter(({ field }) => field === 2)
        .flatMap(({ bytes: scopeSpans }) => fieldsOf(scopeSpans).filter(({ field }) => field === 2))
        .map(({ bytes }) => spanOf(service, fieldsOf(bytes)));
    });
}

function spanOf(service: string, fields: readonly Field[]): FinishedSpan {
  const parent = bytesOf(fields, 4).toString("hex");
  const status = fieldsOf(bytesOf(fields, 15));
  return {
    service,
    traceId: bytesOf(fields, 1).toString("hex"),
    spanId: bytesOf(fields, 2).toString("hex"),
    parentId: parent === "" ? null : parent,
    name: bytesOf(fields, 5).toString("utf8"),
    kind: kinds[Number(numberOf(fields, 6))] ?? "internal",
    startMs: Number(numberOf(fields, 7)) / 1_000_000,
    endMs: Number(numberOf(fields, 8)) / 1_000_000,
    fields: attributesIn(fields, 9),
    failure: numberOf(status, 3) === 2n ? bytesOf(status, 2).toString("utf8") : null,
  };
}

/** By the protocol's number. */
const kinds: readonly SpanKind[] = ["internal", "internal", "server", "client", "producer", "consumer"];

function attributesIn(fields: readonly Field[], number: number): SpanFields {
  const pairs = fields
    .filter(({ field }) => field === number)
    .map(({ bytes }) => {
      const pair = fieldsOf(bytes);
      return [bytesOf(pair, 1).toString("utf8"), anyValueIn(fieldsOf(bytesOf(pair, 2))[0])] as const;
    });
  return Object.fromEntries(pairs);
}

function anyValueIn(value: Field | undefined): string | number | boolean {
  if (value?.field === 2) return value.number === 1n;
  if (value?.field === 3) return Number(value.number);
  if (value?.field === 4) return value.bytes.readDoubleLE();
  return value?.bytes.toString("utf8") ?? "";
}

/** One field of a message: a number, or bytes (of a fixed number too). */
type Field = { field: number; number: bigint; bytes: Buffer };

function bytesOf(fields: readonly Field[], number: number): Buffer {
  return fields.find(({ field }) => field === number)?.bytes ?? Buffer.alloc(0);
}

function numberOf(fields: readonly Field[], number: number): bigint {
  return fields.find(({ field }) => field === number)?.number ?? 0n;
}

/** Protobuf's wire format: varints, 64 bits, and lengths with bytes. */
function fieldsOf(message: Buffer): Field[] {
  const fields: Field[] = [];
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = message[at];
      if (byte === undefined || shift > 63n) throw new Error("these bytes are no protobuf message");
      at += 1;
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  const take = (length: number): Buffer => {
    if (at + length > message.length) throw new Error("these bytes are no protobuf message");
    at += length;
    return message.subarray(at - length, at);
  };
  while (at < message.length) {
    const tag = Number(varint());
    const [field, wireType] = [tag >> 3, tag & 7];
    if (wireType === 0) fields.push({ field, number: varint(), bytes: Buffer.alloc(0) });
    else if (wireType === 1) {
      const bytes = take(8);
      fields.push({ field, number: bytes.readBigUInt64LE(), bytes });
    } else if (wireType === 2) fields.push({ field, number: 0n, bytes: take(Number(varint())) });
    else if (wireType === 5) take(4);
    else throw new Error("these bytes are no protobuf message");
  }
  return fields;
}
