/**
 * The one table from error codes to HTTP: status, type, code on the wire and whether a retry can help (contract section 4).
 * It never shows a client the text of a failure of ours or of a foreign system, nor an error it does not know.
 */
import { authenticationFailure } from "../domain/challenge.ts";
import type { ChargeFailure } from "../domain/charge.ts";
import { DomainError, type ErrorCode } from "../domain/errors.ts";
import { jsonResponse, type WireResponse } from "./wire.ts";

/**
 * The whole answer for anything that was thrown; what is not a `DomainError` is a 500 without details.
 * It has the headers it can know by itself; the router adds those of `answerHeaders` around them.
 */
export function errorResponseOf(error: unknown): WireResponse {
  const known = error instanceof DomainError ? error : new DomainError("internal", "");
  const { status, shouldRetry } = errorTable[known.code];
  const headers = shouldRetry === null ? {} : { "Stripe-Should-Retry": String(shouldRetry) };
  return jsonResponse(status, errorBody(known), headers);
}

/**
 * The `{"error":{…}}` object of an error; optional fields that do not apply are left out (contract section 4).
 * @param extras objects that the error shows, by their wire names
 */
export function errorBody(error: DomainError, extras: ErrorExtras = {}): ErrorBody {
  const row = errorTable[error.code];
  return {
    error: {
      type: row.type,
      ...(row.code === null ? {} : { code: row.code, doc_url: documentationUrl(row.code) }),
      message: row.message ?? error.message,
      ...(error.param === undefined ? {} : { param: error.param }),
      ...extras,
    },
  };
}

/** The fields that tell a decline, both in a 402 answer and in `last_payment_error` (contract sections 4 and 5.4). */
export function cardError(failure: ChargeFailure): WireError {
  return {
    // The one failure that no card was asked for: the buyer did not prove who they are.
    type: failure.code === authenticationFailure.code ? "invalid_request_error" : "card_error",
    code: failure.code,
    ...(failure.declineCode === null ? {} : { decline_code: failure.declineCode }),
    doc_url: documentationUrl(failure.code),
    message: failure.message,
    // The only decline that points at a field of the card (contract section 5.4).
    ...(failure.code === "incorrect_cvc" ? { param: "cvc" } : {}),
  };
}

/** One row of the table. */
export interface ErrorRow {
  /** HTTP status. The client picks its exception class by it. */
  readonly status: number;
  readonly type: WireErrorType;
  /** The `code` on the wire; null when Stripe has none for the case. */
  readonly code: string | null;
  /** `Stripe-Should-Retry`; null leaves the header out, so that the client decides by status. */
  readonly shouldRetry: boolean | null;
  /** A fixed text where the error's own is not for clients. */
  readonly message?: string;
}

/** The four types there are. */
export type WireErrorType = "api_error" | "card_error" | "idempotency_error" | "invalid_request_error";

/** What stands under `error`. */
export interface WireError extends ErrorExtras {
  readonly type: WireErrorType;
  readonly code?: string;
  readonly decline_code?: string;
  readonly doc_url?: string;
  readonly message: string;
  /** The parameter at fault, in bracket notation. */
  readonly param?: string;
}

/** An error as a body. */
export interface ErrorBody {
  readonly error: WireError;
}

/** Objects that an error shows: rendered ones, and the id of the charge. */
export interface ErrorExtras {
  readonly charge?: string;
  readonly payment_intent?: object;
  readonly payment_method?: object;
}

/** Where a wire code is explained (contract section 4, last line). */
function documentationUrl(code: string): string {
  return `https://docs.stripe.com/error-codes/${code.replaceAll("_", "-")}`;
}

/** A request that is wrong and stays wrong: only another request can do better. */
const refused = (status: number, code: string | null = null): ErrorRow => ({
  status,
  type: "invalid_request_error",
  code,
  shouldRetry: null,
});

/**
 * A failure of ours. It is never stored as an answer, so the same key may be sent again and is the way to learn the
 * outcome (design section 4.5).
 */
const failed = (status: 500 | 503): ErrorRow => ({
  status,
  type: "api_error",
  code: null,
  shouldRetry: true,
  message:
    status === 500
      ? "Something went wrong on our side. It is safe to send the request again with the same Idempotency-Key."
      : "The request could not be completed now. Send it again with the same Idempotency-Key to learn its outcome.",
});

/** Each code's row; a code without one does not compile. */
export const errorTable: Readonly<Record<ErrorCode, ErrorRow>> = {
  body_invalid: refused(400),
  body_too_large: refused(413),
  content_encoding_unsupported: refused(415),
  media_type_unsupported: refused(415),
  url_invalid: refused(400, "url_invalid"),
  route_unknown: refused(404),
  method_not_allowed: refused(405),
  parameter_missing: refused(400, "parameter_missing"),
  parameter_unknown: refused(400, "parameter_unknown"),
  parameter_invalid: refused(400),
  parameter_invalid_empty: refused(400, "parameter_invalid_empty"),
  parameter_invalid_integer: refused(400, "parameter_invalid_integer"),
  amount_too_small: refused(400, "amount_too_small"),
  amount_too_large: refused(400, "amount_too_large"),
  card_data_refused: refused(400),
  api_key_missing: refused(401),
  api_key_invalid: refused(401),
  caller_refused: refused(403),
  // Without the header, so that clients do not ask again within half a second and add to the load (contract section 3.3).
  rate_limit: refused(429, "rate_limit"),
  resource_missing: refused(404, "resource_missing"),
  payment_intent_unexpected_state: refused(400, "payment_intent_unexpected_state"),
  refund_impossible: refused(400),
  // Stripe gives this one no code (contract section 4).
  refund_too_large: refused(400),
  charge_already_refunded: refused(400, "charge_already_refunded"),
  card_declined: { status: 402, type: "card_error", code: "card_declined", shouldRetry: null },
  // Over in seconds; like the race for a key, but about the delivery, so without that one's code.
  delivery_in_flight: { ...refused(409), shouldRetry: true },
  idempotency_key_invalid: refused(400),
  // Terminal, and without a code; the race below is the one with a code (contract section 3.1, the trap).
  idempotency_mismatch: { status: 400, type: "idempotency_error", code: null, shouldRetry: null },
  idempotency_key_in_use: { ...refused(409, "idempotency_key_in_use"), shouldRetry: true },
  // 410 alone would not make the client stop: it decides by this header first.
  idempotency_answer_not_retained: { ...refused(410), shouldRetry: false },
  lock_timeout: { ...refused(429, "lock_timeout"), shouldRetry: true },
  commit_unknown: failed(503),
  store_unavailable: failed(503),
  acquirer_unknown: failed(503),
  permission_denied: failed(500),
  internal: failed(500),
};
