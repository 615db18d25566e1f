/**
 * Reads a request's body within bounds of size and time.
 * It must never hold more bytes than the limit, nor wait for a client without end.
 */
import { Buffer } from "node:buffer";
import type { IncomingMessage } from "node:http";

/** What became of the reading; `gone` is a client that hung up before its body was complete. */
export type BodyResult =
  | { readonly kind: "read"; readonly body: Buffer }
  | { readonly kind: "large" | "slow" | "gone" };

/** Bounds of one body. */
export interface BodyBounds {
  readonly bytesMax: number;
  readonly msMax: number;
}

/** Reads the body, counting bytes as they arrive; leaves the rest unread once the result is `large` or `slow`. */
export function readBody(request: IncomingMessage, bounds: BodyBounds): Promise<BodyResult> {
  if (Number(request.headers["content-length"] ?? 0) > bounds.bytesMax) return Promise.resolve({ kind: "large" });
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const finish = (result: BodyResult) => {
      clearTimeout(timer);
      request.off("data", onData).off("end", onEnd).off("close", onClose).pause();
      resolve(result);
    };
    const onData = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > bounds.bytesMax) finish({ kind: "large" });
      else chunks.push(chunk);
    };
    const onEnd = () => finish({ kind: "read", body: Buffer.concat(chunks, bytes) });
    const onClose = () => finish({ kind: "gone" });
    const timer = setTimeout(() => finish({ kind: "slow" }), bounds.msMax);
    request.on("data", onData).on("end", onEnd).on("close", onClose);
  });
}

/** Most bytes thrown away after a refusal; a client that sends on for longer is cut off. */
const drainBytesMax = 16 * 1024 * 1024;
/** Longest time that is thrown away on it. */
const drainMsMax = 500;

/**
 * Throws away what a refused client still sends, for a bounded while: closing at once would reset the connection, and the
 * client would see EPIPE instead of its answer (toolchain facts, section 9).
 */
export function drainBody(request: IncomingMessage): Promise<void> {
  if (request.complete || request.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    let bytes = 0;
    const finish = () => {
      clearTimeout(timer);
      request.off("data", onData).off("end", finish).off("close", finish);
      resolve();
    };
    const onData = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > drainBytesMax) finish();
    };
    const timer = setTimeout(finish, drainMsMax);
    request.on("data", onData).on("end", finish).on("close", finish).resume();
  });
}
