/**
 * The one error type of the project: what went wrong, as a code that each side can map to its own words.
 * It never carries a secret, a card number or the text of a foreign error; the foreign error is its `cause`.
 */

/**
 * A failure of which the code, not the text, decides what happens next.
 * `edge/error-table.ts` maps each code to a status, a wire type and a wire code (contract section 4).
 */
export class DomainError extends Error {
  /** Machine-readable reason. */
  readonly code: ErrorCode;
  /** The parameter at fault, in bracket notation (`metadata[order_id]`), when there is one. */
  readonly param: string | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = "DomainError";
    this.code = code;
    this.param = details.param;
  }
}

/** What a `DomainError` can carry beside its code and text. */
export interface ErrorDetails {
  /** The parameter at fault, in bracket notation. */
  readonly param?: string;
  /** The foreign error that was translated; never shown to a client. */
  readonly cause?: unknown;
}

/** Makes the error, for `throw refuse(...)`. */
export function refuse(code: ErrorCode, message: string, details: ErrorDetails = {}): DomainError {
  return new DomainError(code, message, details);
}

/** True when `error` is a `DomainError` with one of the codes. */
export function hasCode(error: unknown, ...codes: readonly ErrorCode[]): error is DomainError {
  return error instanceof DomainError && codes.includes(error.code);
}

/** What a log may say of an error: our own text, or a foreign error's name alone, whose text may quote a secret. */
export function reasonOf(error: unknown): string {
  if (error instanceof DomainError) return error.message;
  return error instanceof Error ? error.name : "unknown";
}

/** Every reason the project knows. */
export type ErrorCode =
  // The request as bytes (contract sections 1 and 2).
  | "body_invalid"
  | "body_too_large"
  | "content_encoding_unsupported"
  | "media_type_unsupported"
  | "url_invalid"
  | "route_unknown"
  | "method_not_allowed"
  // The request's parameters (contract section 4).
  | "parameter_missing"
  | "parameter_unknown"
  | "parameter_invalid"
  | "parameter_invalid_empty"
  | "parameter_invalid_integer"
  | "amount_too_small"
  | "amount_too_large"
  | "card_data_refused"
  // Who asks.
  | "api_key_missing"
  | "api_key_invalid"
  | "caller_refused"
  | "rate_limit"
  // What the ledger says.
  | "resource_missing"
  | "payment_intent_unexpected_state"
  | "refund_impossible"
  | "refund_too_large"
  | "charge_already_refunded"
  | "card_declined"
  | "delivery_in_flight"
  // Idempotency (contract section 3).
  | "idempotency_key_invalid"
  | "idempotency_mismatch"
  | "idempotency_key_in_use"
  | "idempotency_answer_not_retained"
  | "lock_timeout"
  // Stores and foreign systems. None of these is ever stored as an answer.
  | "commit_unknown"
  | "store_unavailable"
  | "acquirer_unknown"
  | "permission_denied"
  | "internal";
