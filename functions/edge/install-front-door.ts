/**
 * Puts a front door before the Functions Framework, whose own parsers answer bad requests with HTML and stack traces
 * before a function ever runs; and gives a plain server the same door. Nothing else may create a server for a function.
 * It must never let a request reach the framework.
 */
import http, { type RequestListener, type Server, type ServerOptions } from "node:http";
import process from "node:process";
import type { Duplex } from "node:stream";
import { doorError, type FrontDoorOptions, frontDoor } from "./front-door.ts";
import { countInFlight, type InFlight } from "./in-flight.ts";
import type { WireHandler, WireResponse } from "./wire.ts";

/** A door in its place: what a graceful end needs to know. */
export interface InstalledDoor {
  /** The requests in work. */
  readonly inFlight: InFlight;
  /** The server, once there is one. */
  server(): Server | undefined;
}

/**
 * Makes the next `http.createServer` build a server that answers through `handler`; then everything is as before.
 * The framework loads the entry before it creates its server, so an entry calls this at its top level and registers any
 * function under its name: that function is never called. To be called once per process.
 */
export function installFrontDoor(handler: WireHandler, options: FrontDoorOptions = {}): InstalledDoor {
  let server: Server | undefined;
  const inFlight = options.inFlight ?? countInFlight();
  const createServer = http.createServer;
  http.createServer = (() => {
    http.createServer = createServer;
    server = createFrontDoorServer(handler, { ...options, inFlight });
    answerBeforeCrash(inFlight);
    return server;
  }) as typeof http.createServer;
  return { inFlight, server: () => server };
}

/**
 * A stray exception ends the process (the framework exits with 16); whoever waits gets a JSON answer first. A rejection
 * nobody handled is thrown on, so that listening for it does not hide it.
 */
function answerBeforeCrash(inFlight: InFlight): void {
  process.on("uncaughtExceptionMonitor", () => inFlight.giveUpAll());
  process.on("unhandledRejection", (reason) => {
    throw reason;
  });
}

/** A server, not yet listening, that answers every request through `handler`: for hosts without the framework. */
export function createFrontDoorServer(handler: WireHandler, options: FrontDoorOptions = {}): Server {
  const listener: RequestListener = frontDoor(handler, options);
  const server = http.createServer(serverOptions, listener);
  // What Node would answer by itself, without a body: bytes that are no HTTP, and `Expect` other than 100-continue.
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => answerRaw(socket, unreadable(error)));
  server.on("checkExpectation", listener);
  return server;
}

/**
 * 128 KiB of headers: an idempotency key of 100 000 characters gets its proper error instead of a bare 431 (F06). And a
 * missing Host reaches the door, since Node would answer it without a body.
 */
const serverOptions: ServerOptions = { maxHeaderSize: 128 * 1024, requireHostHeader: false };

function unreadable(error: NodeJS.ErrnoException): WireResponse {
  if (error.code === "HPE_HEADER_OVERFLOW")
    return doorError(431, "invalid_request_error", "The headers are too large.");
  if (error.code === "ERR_HTTP_REQUEST_TIMEOUT") {
    return doorError(408, "invalid_request_error", "The request took too long to arrive.");
  }
  return doorError(400, "invalid_request_error", "The request is not valid HTTP.");
}

/** Writes an answer to a socket that has no response object. */
function answerRaw(socket: Duplex, { status, headers, body }: WireResponse): void {
  if (!socket.writable) return void socket.destroy();
  const lines = [
    `HTTP/1.1 ${status} ${http.STATUS_CODES[status] ?? "Error"}`,
    "Cache-Control: no-cache, no-store",
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${body.length}`,
    "Connection: close",
  ];
  socket.end(`${lines.join("\r\n")}\r\n\r\n${body.toString("utf8")}`);
}
