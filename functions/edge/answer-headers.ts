/**
 * The headers of an answer: which request it was, what it repeats, and whether a retry can help (contract sections 1 and 3).
 * It never copies from the request anything but the key and the version, and these only when they are safe in a header.
 */

/** The headers of one answer, in the case they are sent in. */
export function answerHeaders(answer: AnswerFacts): Record<string, string> {
  const { requestId, stripeVersion, idempotencyKey, origin } = answer;
  return {
    "Content-Type": "application/json",
    // An answer to one caller's key is nothing for a cache in between.
    "Cache-Control": "no-cache, no-store",
    "Request-Id": requestId,
    "Stripe-Version": stripeVersion ?? servedVersion,
    ...(idempotencyKey !== undefined && isHeaderText(idempotencyKey) ? { "Idempotency-Key": idempotencyKey } : {}),
    ...originHeaders(origin),
  };
}

/** What an answer's headers tell. */
export interface AnswerFacts {
  /** Id of this very request; new on a replay too. */
  readonly requestId: string;
  /** `Stripe-Version` as the client sent it, once checked; undefined when it sent none. */
  readonly stripeVersion: string | undefined;
  /** The client's key as sent; undefined when it sent none or one that was refused. */
  readonly idempotencyKey: string | undefined;
  readonly origin: AnswerOrigin;
}

/**
 * Where the answer comes from. A stored one is final: whatever its status, a retry only gives it again, so the client
 * is told not to (contract section 3.3, consequence 2).
 */
export type AnswerOrigin =
  | {
      readonly kind: "stored";
      /** Id of the request that was executed; equal to `requestId` when this is that one. */
      readonly firstRequestId: string;
      /** True when this request executed nothing. */
      readonly replayed: boolean;
    }
  | {
      readonly kind: "unstored";
      /** Null leaves it to the client, which then decides by status. */
      readonly shouldRetry: boolean | null;
    };

/** The version of the API that is served: the pin of the official client that the answers are typed after. */
export const servedVersion = "2026-10-28.endive";

function originHeaders(origin: AnswerOrigin): Record<string, string> {
  if (origin.kind === "unstored") {
    return origin.shouldRetry === null ? {} : { "Stripe-Should-Retry": String(origin.shouldRetry) };
  }
  return {
    "Original-Request": origin.firstRequestId,
    ...(origin.replayed ? { "Idempotent-Replayed": "true" } : {}),
    "Stripe-Should-Retry": "false",
  };
}

/** True for what Node lets into a header: no control characters, nothing above Latin-1. */
function isHeaderText(text: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]+$/.test(text);
}
