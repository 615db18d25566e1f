// Passes a request on to a function in a process of its own, and the answer back, byte for byte.
// It must never follow a redirect, send twice, or reach anything but loopback.

import { once } from "node:events";
import { type IncomingMessage, request as openRequest } from "node:http";
import { buffer } from "node:stream/consumers";
import { doorError } from "../functions/edge/front-door.ts";
import type { WireHandler, WireRequest, WireResponse } from "../functions/edge/wire.ts";

/** A handler that is the process behind a port of loopback; without an answer from it, 503 as the platform says it. */
export function forwardTo(port: number): WireHandler {
  return async (request) => {
    try {
      return await exchange(port, request);
    } catch {
      return doorError(503, "api_error", "The function did not answer.");
    }
  };
}

async function exchange(port: number, { method, target, headers, body }: WireRequest): Promise<WireResponse> {
  const outgoing = openRequest({
    host: "127.0.0.1",
    port,
    method,
    path: target,
    agent: false,
    setHost: false,
    headers: linesOf(headers, body),
  });
  outgoing.end(body);
  const [incoming] = (await once(outgoing, "response")) as [IncomingMessage];
  return { status: incoming.statusCode ?? 502, headers: headersOf(incoming), body: await buffer(incoming) };
}

/** Node takes one Host only as text, and a repeated header only as a list. */
function linesOf(headers: WireRequest["headers"], body: Buffer): Record<string, string | string[]> {
  const passed = [...headers].filter(([name]) => !ofConnection.has(name));
  const lines = passed.map(([name, values]) => [name, values.length === 1 ? (values[0] ?? "") : [...values]] as const);
  const length = body.length > 0 || headers.has("content-length") ? { "content-length": String(body.length) } : {};
  return { ...Object.fromEntries(lines), ...length };
}

/** Headers that belong to one connection, and those that each side's door writes by itself. */
const ofConnection: ReadonlySet<string> = new Set([
  ...["connection", "keep-alive", "transfer-encoding", "upgrade", "expect", "te", "trailer"],
  ...["content-length", "date"],
]);

/** In the case in which they were sent. */
function headersOf({ rawHeaders }: IncomingMessage): Record<string, string> {
  const pairs = rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ""] as const] : [],
  );
  return Object.fromEntries(pairs.filter(([name]) => !ofConnection.has(name.toLowerCase())));
}
