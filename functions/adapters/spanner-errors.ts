/**
 * Spanner's failures in the words of the domain, translated once: did the commit happen, may it have, or did it not?
 * It must never call a commit failed that may have been applied, and never copy the text of a foreign error.
 */
import { DomainError, refuse } from "../domain/errors.ts";

/**
 * What a failed call means.
 * @param stage `before`: no commit was sent, so nothing changed; `commit`: the failure is the answer to a commit
 * @returns DomainError `commit_unknown`, `store_unavailable`, `permission_denied`, or `internal` for what only a bug of
 * ours can cause (a row that exists or is missing against the flow's belief, a violated constraint, a wrong statement)
 */
export function translate(stage: "before" | "commit", error: unknown): DomainError {
  if (error instanceof DomainError) return error;
  const code = grpcCodeOf(error);
  const details = { cause: error };
  if (code !== undefined && refusals.has(code)) {
    return refuse("permission_denied", "Spanner refused the call: the function's account lacks a grant.", details);
  }
  if (code !== undefined && bugs.has(code) && !isSessionLost(error)) {
    return refuse("internal", `Spanner rejected what it was told (gRPC code ${code}).`, details);
  }
  if (stage === "commit" && code !== grpcCodes.aborted && !isSessionLost(error)) {
    return refuse("commit_unknown", `Spanner did not say whether it committed (gRPC code ${code ?? "none"}).`, details);
  }
  return refuse("store_unavailable", `Spanner did not do what was asked (gRPC code ${code ?? "none"}).`, details);
}

/** The gRPC code of a foreign error; undefined when it has none. */
export function grpcCodeOf(error: unknown): number | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "number" ? code : undefined;
}

/** The gRPC codes that the adapters tell apart (google.rpc.Code). */
export const grpcCodes = { notFound: 5, alreadyExists: 6, aborted: 10 } as const;

/** PERMISSION_DENIED, UNAUTHENTICATED. */
const refusals: ReadonlySet<number> = new Set([7, 16]);

/** INVALID_ARGUMENT, NOT_FOUND, ALREADY_EXISTS, FAILED_PRECONDITION, OUT_OF_RANGE, UNIMPLEMENTED: certain, and final. */
const bugs: ReadonlySet<number> = new Set([3, grpcCodes.notFound, grpcCodes.alreadyExists, 9, 11, 12]);

/** A session that the server forgot: the call did nothing, and the next one gets a new session. */
function isSessionLost(error: unknown): boolean {
  return (
    grpcCodeOf(error) === grpcCodes.notFound && error instanceof Error && error.message.includes("Session not found")
  );
}
