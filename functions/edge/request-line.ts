/**
 * The one wide log line of a request to the payments API: ids, codes, milliseconds and what became of its key.
 * It must never hold a body, a secret, an idempotency key or a customer's text.
 */
import type { KeyStory } from "../flows/idempotently-types.ts";
import type { Log } from "../flows/ports.ts";
import { codeOf, stackOf } from "./error-line.ts";
import { pathWithoutCardData } from "./refuse-card-data.ts";
import type { WireRequest, WireResponse } from "./wire.ts";

/** What the answer does not tell by itself; what is undefined is left out of the line. */
export interface RequestFacts extends Partial<KeyStory> {
  readonly requestId: string;
  readonly accountId?: string | undefined;
  /** The key's identity, which is the id of its document and row; never the key (see `keyIdentity`). */
  readonly keyId?: string | undefined;
  /** The first request under the key, this one included. */
  readonly originalRequestId?: string | undefined;
  readonly error?: unknown;
  readonly durationMs: number;
  /** Round trips to Spanner and Firestore, events' and look-ups included; undefined where nothing counts them. */
  readonly storeRoundTrips?: number | undefined;
}

/** Writes the line. `code` is our own code of a refusal, or the wire's of an answer that was stored. */
export function logRequest(log: Log, request: WireRequest, response: WireResponse, facts: RequestFacts): void {
  const { error, ...told } = facts;
  const failed = response.status >= 500;
  const code = error === undefined ? storedCode(response) : codeOf(error);
  const objectId = response.status === 200 ? leadingId(response) : undefined;
  log(failed ? "ERROR" : "INFO", "request", {
    ...told,
    method: request.method,
    path: pathWithoutCardData(request),
    status: response.status,
    replayed: response.headers["Idempotent-Replayed"] === "true",
    ...(objectId === undefined ? {} : { objectId }),
    ...(code === undefined ? {} : { code }),
    // What is not of our own making is a bug, and its stack is what finds it; it holds code positions, no values.
    ...(failed && error instanceof Error ? { stack: stackOf(error) } : {}),
  });
}

/** The id of the object that an answer shows: every serializer writes it first. */
function leadingId({ body }: WireResponse): string | undefined {
  return /^\{"id":"(\w{1,64})"/.exec(body.subarray(0, leadBytes).toString("latin1"))?.[1];
}

/** `{"id":"` and the longest id. */
const leadBytes = 80;

/** The code of a stored refusal or decline; its type where the wire has none. */
function storedCode({ status, body }: WireResponse): string | undefined {
  if (status < 400) return undefined;
  const { error } = JSON.parse(body.toString("utf8")) as { error?: { code?: string; type?: string } };
  return error?.code ?? error?.type;
}
