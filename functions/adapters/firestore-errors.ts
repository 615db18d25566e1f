/**
 * Firestore's failures in the words of the domain, translated once.
 * It must never copy the text of a foreign error: that stays in `cause`.
 */
import { type DomainError, refuse } from "../domain/errors.ts";

/**
 * Runs a store call and translates what it throws.
 * @throws DomainError `permission_denied` for a missing grant, `store_unavailable` for everything else
 */
export async function translated<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  try {
    return await call();
  } catch (error) {
    throw translate(error);
  }
}

/** True when the error is a gRPC error with this code. */
export function hasGrpcCode(error: unknown, code: number): boolean {
  return codeOf(error) === code;
}

/** The gRPC codes that the adapters tell apart (google.rpc.Code). */
export const grpcCodes = { notFound: 5, alreadyExists: 6, permissionDenied: 7, failedPrecondition: 9 } as const;

function translate(error: unknown): DomainError {
  if (hasGrpcCode(error, grpcCodes.permissionDenied)) {
    return refuse("permission_denied", "Firestore refused the call: the function's account lacks a grant.", {
      cause: error,
    });
  }
  return refuse("store_unavailable", `Firestore did not do what was asked (gRPC code ${codeOf(error) ?? "none"}).`, {
    cause: error,
  });
}

function codeOf(error: unknown): number | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "number" ? code : undefined;
}
