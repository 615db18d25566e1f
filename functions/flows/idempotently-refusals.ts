/**
 * The three refusals of the idempotent path, in the words a client reads.
 * None of them is ever stored under a key.
 */
import { type DomainError, refuse } from "../domain/errors.ts";

/** 409, and the client should ask again (contract section 3.1). */
export function keyInUse(): DomainError {
  return refuse(
    "idempotency_key_in_use",
    "There is currently another in-progress request using this Idempotency-Key. Please retry in a moment.",
  );
}

/** 400 `idempotency_error`, final (contract section 3.1). */
export function keyReused(): DomainError {
  return refuse(
    "idempotency_mismatch",
    "Keys for idempotent requests can only be used with the same endpoint and parameters they were first used with.",
  );
}

/** 410, final: executed once, the answer is gone (design section 4.7). */
export function answerNotRetained(): DomainError {
  return refuse(
    "idempotency_answer_not_retained",
    "The request with this Idempotency-Key has completed, but its answer was too large to keep. It will not be executed again.",
  );
}
