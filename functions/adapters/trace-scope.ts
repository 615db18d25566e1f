/**
 * Whose work the running code is: the request, its trace and the span in work, carried along every `await`.
 * It must never outlive its request, nor be shared by two.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { randomBytes } from "node:crypto";

/** What all spans of one request share; it may change before the first of them ends (see `Tracer.continueFrom`). */
export interface RequestScope {
  traceId: string;
  /** The caller's span. */
  parentId: string | null;
  isSampled: boolean;
  /** Round trips to stores so far. */
  roundTrips: number;
  /** True once it was answered: what a client goes on doing behind it, timers and sessions, is no part of it. */
  isOver: boolean;
}

/** One place in the work of a request. */
export interface Scope {
  readonly request: RequestScope;
  /** The innermost span that is in work. */
  readonly spanId: string;
  /** The context of a client library that runs inside it. */
  readonly clientContext?: unknown;
}

/** One for the process: whoever asks gets the scope of the code that asks. */
export const scopes = new AsyncLocalStorage<Scope>();

/** 128 random bits, as W3C Trace Context wants them. */
export function newTraceId(): string {
  return randomBytes(16).toString("hex");
}

/** 64 random bits. */
export function newSpanId(): string {
  return randomBytes(8).toString("hex");
}
