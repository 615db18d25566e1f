/**
 * What a log line may say of an error: our own code and, for a bug, the positions in the code.
 * It must never repeat the text of a foreign error, which may quote what a customer sent.
 */
import { DomainError, reasonOf } from "../domain/errors.ts";

/** Our own code; `internal` for everything that is not a refusal of ours. */
export function codeOf(error: unknown): string {
  return error instanceof DomainError ? error.code : "internal";
}

/** The frames without the message, which may quote a value. */
export function stackOf(error: Error): string {
  return (error.stack ?? "")
    .split("\n")
    .filter((line) => line.startsWith("    at "))
    .slice(0, framesMax)
    .join("\n");
}

/** A dozen frames reach from a failing line of ours to the front door. */
const framesMax = 12;

/** All of it: code and reason, and the frames of what is no refusal of ours, which is a bug. */
export function errorFields(error: unknown): Readonly<Record<string, string>> {
  const code = codeOf(error);
  const stack = code === "internal" && error instanceof Error ? { stack: stackOf(error) } : {};
  return { code, reason: reasonOf(error), ...stack };
}
