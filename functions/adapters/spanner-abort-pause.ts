/**
 * The pause before an aborted transaction runs again, where the server named none.
 * It must never shorten a pause that the server asked for: that is how Spanner spreads contending writers.
 */
import { grpcCodeOf, grpcCodes } from "./spanner-errors.ts";

/**
 * Adds a short pause to an ABORTED error without one; other errors stay as they are.
 * Google's emulator names none, and the client would then wait 2 to 3 s.
 * @param attempt how often the transaction has been aborted, from 1
 */
export function addAbortPause(error: unknown, attempt: number): void {
  if (grpcCodeOf(error) !== grpcCodes.aborted) return;
  const { metadata } = error as { readonly metadata?: GrpcMetadata };
  if (metadata === undefined || metadata.get(retryInfoKey).length > 0) return;
  const pauseMs = Math.random() * Math.min(pauseFirstMs * 2 ** attempt, pauseMaxMs);
  metadata.set(retryInfoKey, retryInfo(pauseMs));
}

/** Half the longest first pause, in milliseconds: about what a transaction on the emulator takes (6-20 ms). */
const pauseFirstMs = 20;

/** Longest pause, in milliseconds; below a second, so that it fits the nanoseconds of `retryInfo`. */
const pauseMaxMs = 950;

/** Where the client looks for a `google.rpc.RetryInfo`. */
const retryInfoKey = "google.rpc.retryinfo-bin";

interface GrpcMetadata {
  get(key: string): unknown[];
  set(key: string, value: Buffer): void;
}

/** The message `RetryInfo { retry_delay { nanos } }` on the wire: field 1 as a message, in it field 2 as a varint. */
function retryInfo(milliseconds: number): Buffer {
  const nanos: number[] = [];
  let rest = Math.round(milliseconds * 1e6);
  for (; rest > 0x7f; rest >>>= 7) nanos.push((rest & 0x7f) | 0x80);
  nanos.push(rest);
  return Buffer.from([0x0a, nanos.length + 1, 0x10, ...nanos]);
}
