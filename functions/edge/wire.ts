/**
 * A request and an answer as plain values, so that everything behind the front door is a function from one to the other.
 * It must never hold a socket, a stream or a framework's object.
 */
import { Buffer } from "node:buffer";

/** One HTTP request, read whole. */
export interface WireRequest {
  /** The method as sent, upper case by convention (`POST`). */
  readonly method: string;
  /** The path and query exactly as received, still percent-encoded (`/v1/charges?limit=3`). */
  readonly target: string;
  /** Lower-case name to all its values in order; a repeated header keeps its values apart (field case F06). */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  /** The body's bytes; empty when there is none. */
  readonly body: Buffer;
}

/** One HTTP answer, whole. */
export interface WireResponse {
  readonly status: number;
  /** Names in the case they are sent in. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Set where no answer is to leave: the door ends the connection instead. */
  readonly hangsUp?: true;
}

/** No answer, as from an instance that is gone; 499 stands in logs, where nothing was sent. */
export const hangUp: WireResponse = { status: 499, headers: {}, body: Buffer.alloc(0), hangsUp: true };

/** What stands behind a front door. It may reject: the door then answers 500 without details. */
export type WireHandler = (request: WireRequest) => Promise<WireResponse>;

/** The only media type of an API answer; clients take a 4xx without a JSON `error` for success (contract section 1). */
const jsonType = "application/json";

/** An answer whose body is `value` as JSON. */
export function jsonResponse(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): WireResponse {
  return { status, headers: { "Content-Type": jsonType, ...headers }, body: Buffer.from(JSON.stringify(value)) };
}

/** All values of a header, empty when it is absent; the name in any case. */
export function headerValues(request: WireRequest, name: string): readonly string[] {
  return request.headers.get(name.toLowerCase()) ?? [];
}

/** The target's path, still encoded: what stands before the first `?`. */
export function pathOf(target: string): string {
  const mark = target.indexOf("?");
  return mark === -1 ? target : target.slice(0, mark);
}

/** The target's query, still encoded and without its `?`; empty when there is none. */
export function queryOf(target: string): string {
  const mark = target.indexOf("?");
  return mark === -1 ? "" : target.slice(mark + 1);
}
