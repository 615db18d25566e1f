/**
 * Stands between a socket and a handler of plain values: reads, bounds and refuses requests, and writes every answer.
 * It must never let a client see anything but the handler's answer or a JSON `{"error":...}` of its own.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import process from "node:process";
import type { Log } from "../flows/ports.ts";
import type { Tracer } from "../flows/trace-ports.ts";
import { errorFields } from "./error-line.ts";
import { countInFlight, type InFlight } from "./in-flight.ts";
import { type BodyResult, drainBody, readBody } from "./request-body.ts";
import { tracedHandler } from "./traced-handler.ts";
import { jsonResponse, pathOf, type WireHandler, type WireRequest, type WireResponse } from "./wire.ts";

/** How a front door behaves; everything has a default. */
export interface FrontDoorOptions {
  /** Largest body, in bytes. */
  readonly bodyBytesMax?: number;
  /** Longest time for a body to arrive, in milliseconds. */
  readonly bodyMsMax?: number;
  /** Headers for the door's own answers, for example a new `Request-Id`. */
  readonly ownHeaders?: () => Readonly<Record<string, string>>;
  /** Told what no client may see: a handler that threw. Default: one JSON line on standard error. */
  readonly log?: Log;
  /** Where requests in work are counted, for a graceful end. */
  readonly inFlight?: InFlight;
  /** Puts each request into its trace; without it nothing is traced. */
  readonly tracer?: Tracer;
}

/** 1 MiB: the largest request of the API, 50 metadata entries in JSON, stays below 64 KiB even when all is escaped. */
const defaultBodyBytesMax = 1024 * 1024;
/** 30 s: 1 MiB over a 0.3 Mbit/s line; a client slower than that holds an instance for nothing. */
const defaultBodyMsMax = 30_000;

/** A listener for `http.createServer` that answers every request through `handler`. */
export function frontDoor(handler: WireHandler, options: FrontDoorOptions = {}): RequestListener {
  const inFlight = options.inFlight ?? countInFlight();
  const guarded: WireHandler = (request) => answerOf({ handler, options, inFlight }, request);
  const answer = options.tracer === undefined ? guarded : tracedHandler(options.tracer, guarded);
  const door = { handler: answer, options, inFlight };
  return (incoming, outgoing) => {
    // A client that hangs up is no reason to stop or to crash (field case F10): the work goes on, the answer is dropped.
    incoming.on("error", () => {});
    outgoing.on("error", () => {});
    inFlight
      .track(
        () => serve(door, incoming, outgoing),
        () => giveUp(door, outgoing),
      )
      .catch((error: unknown) => {
        // For example a handler's header that HTTP cannot carry.
        log(options, "front door failed", error);
        giveUp(door, outgoing);
      });
  };
}

interface Door {
  readonly handler: WireHandler;
  readonly options: FrontDoorOptions;
  readonly inFlight: InFlight;
}

async function serve(door: Door, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const early = refuseHead(incoming) ?? answerCrawler(incoming);
  if (early !== undefined) return await refuse(door, incoming, outgoing, early);
  const { bodyBytesMax = defaultBodyBytesMax, bodyMsMax = defaultBodyMsMax } = door.options;
  const result = await readBody(incoming, { bytesMax: bodyBytesMax, msMax: bodyMsMax });
  if (result.kind === "gone") return;
  if (result.kind !== "read") return await refuse(door, incoming, outgoing, refuseBody(result, bodyBytesMax));
  await send(door, outgoing, await door.handler(wireRequest(incoming, result.body)));
}

async function answerOf(door: Door, request: WireRequest): Promise<WireResponse> {
  try {
    return await door.handler(request);
  } catch (error) {
    log(door.options, "handler threw", error);
    return own(door, unexpected());
  }
}

/** The last words of a crashing process to a client that is still waiting. */
function giveUp(door: Door, outgoing: ServerResponse): void {
  if (outgoing.headersSent || outgoing.destroyed) return;
  const answer = own(door, unexpected());
  writeHead(outgoing, answer, true);
  outgoing.end(answer.body);
}

/** Nothing was stored as the answer, so sending the same key again leads to the true outcome (design section 4.5). */
function unexpected(): WireResponse {
  const message = "An unexpected error occurred. Send the request again with the same idempotency key.";
  return doorError(500, "api_error", message, { "Stripe-Should-Retry": "true" });
}

/** The door's own answer to what it sees in the first lines of a request, or undefined when those are in order. */
function refuseHead(incoming: IncomingMessage): WireResponse | undefined {
  const { host, expect: expectation = "100-continue" } = incoming.headers;
  if (host === undefined) return doorError(400, invalid, "The Host header is missing.");
  if (expectation.toLowerCase() !== "100-continue") {
    return doorError(417, invalid, "No Expect header but 100-continue is supported.");
  }
  if (!isEncodedTarget(incoming.url ?? "")) {
    return doorError(400, invalid, "The URL must be percent-encoded UTF-8.");
  }
  const encodings = incoming.headersDistinct["content-encoding"] ?? [];
  if (encodings.some((encoding) => encoding.trim().toLowerCase() !== "identity")) {
    return doorError(415, invalid, "A compressed request body is not supported: send it without Content-Encoding.");
  }
  return undefined;
}

/** The error type of everything a client did wrong (contract section 4). */
const invalid = "invalid_request_error";

/** True when path and query are ASCII and each of their escapes decodes, so that nothing behind the door meets a bad one. */
function isEncodedTarget(target: string): boolean {
  if (!/^[\x21-\x7e]+$/.test(target)) return false;
  try {
    decodeURIComponent(pathOf(target));
    for (const piece of target.slice(pathOf(target).length).split(/[&=]/)) decodeURIComponent(piece);
    return true;
  } catch {
    return false;
  }
}

/** Answers what browsers and crawlers ask for by themselves, so that no handler spends a look-up on it. */
function answerCrawler(incoming: IncomingMessage): WireResponse | undefined {
  const path = pathOf(incoming.url ?? "");
  if (path === "/favicon.ico") return doorError(404, invalid, "There is no icon here.");
  if (path !== "/robots.txt") return undefined;
  const headers = { "Content-Type": "text/plain; charset=utf-8" };
  return { status: 200, headers, body: Buffer.from("User-agent: *\nDisallow: /\n") };
}

function refuseBody(result: BodyResult, bytesMax: number): WireResponse {
  if (result.kind === "slow") return doorError(408, invalid, "The request body took too long to arrive.");
  return doorError(413, invalid, `The request body is larger than ${bytesMax} bytes.`);
}

/** Answers without reading on, then closes: the rest of the body is in the way of a next request. */
async function refuse(
  door: Door,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  answer: WireResponse,
): Promise<void> {
  if (isBodiless(incoming)) return await send(door, outgoing, own(door, answer));
  writeHead(outgoing, own(door, answer), true);
  // Written but not ended: ending closes the connection, and that must wait for what the client still sends.
  if (incoming.method !== "HEAD") outgoing.write(answer.body);
  await drainBody(incoming);
  await end(outgoing);
}

function isBodiless(incoming: IncomingMessage): boolean {
  const { "content-length": length = "0", "transfer-encoding": transfer } = incoming.headers;
  return length === "0" && transfer === undefined;
}

function own(door: Door, answer: WireResponse): WireResponse {
  return { ...answer, headers: { ...door.options.ownHeaders?.(), ...answer.headers } };
}

async function send(door: Door, outgoing: ServerResponse, answer: WireResponse): Promise<void> {
  if (outgoing.headersSent) return;
  if (answer.hangsUp) return void outgoing.destroy();
  writeHead(outgoing, answer, door.inFlight.isDraining());
  await end(outgoing, answer.body);
}

function writeHead(outgoing: ServerResponse, answer: WireResponse, close: boolean): void {
  outgoing.writeHead(answer.status, {
    // An answer about money is never kept by anything in between (contract section 1).
    "Cache-Control": "no-cache, no-store",
    ...answer.headers,
    "Content-Length": String(answer.body.length),
    ...(close ? { Connection: "close" } : {}),
  });
}

/** Ends the answer and waits until it left this process or its client did. */
function end(outgoing: ServerResponse, body?: Buffer): Promise<void> {
  return new Promise((resolve) => {
    if (outgoing.destroyed) return resolve();
    outgoing.once("close", resolve).once("finish", resolve);
    outgoing.end(body);
  });
}

/** The request as plain values; its header lines stay apart even where Node would join them. */
function wireRequest(incoming: IncomingMessage, body: Buffer): WireRequest {
  const headers = new Map(
    Object.entries(incoming.headersDistinct).map(([name, values]) => [name, values ?? []] as const),
  );
  return { method: incoming.method ?? "GET", target: incoming.url ?? "/", headers, body };
}

/** An error answer that needs no handler; `type` is one of contract section 4. */
export function doorError(
  status: number,
  type: "api_error" | "invalid_request_error",
  message: string,
  headers: Readonly<Record<string, string>> = {},
): WireResponse {
  return jsonResponse(status, { error: { type, message } }, headers);
}

function log(options: FrontDoorOptions, message: string, error: unknown): void {
  (options.log ?? logToStandardError)("ERROR", message, errorFields(error));
}

const logToStandardError: Log = (severity, message, fields) =>
  void process.stderr.write(`${JSON.stringify({ severity, message, ...fields })}\n`);
