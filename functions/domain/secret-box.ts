/**
 * Answers that hold a secret, sealed for as long as they are stored (design section 4.7), and how one recognises them.
 * It never encrypts by itself: the box is an adapter, and holds the key.
 */
import type { StoredOutcome } from "./idempotency.ts";

/** Encrypts what is kept, under a key that no store knows. */
export interface SecretBox {
  /** The bytes as text that only this box opens, and only for the same `context`: it cannot be moved to another record. */
  seal(plain: Uint8Array, context: string): string;
  /** The bytes again. @throws Error when the text was changed, belongs to another context, or its key is gone */
  open(sealed: string, context: string): Uint8Array;
  /** This many random bytes, for a new secret. */
  randomBytes(count: number): Uint8Array;
}

/** What every sealed text begins with; no JSON does, so a stored body says by itself whether it is sealed. */
export const sealedPrefix = "sealed:";

/** The outcome as it may be stored; `keyHash` is the key that it is stored under. */
export function sealOutcome(box: SecretBox, keyHash: string, outcome: StoredOutcome): StoredOutcome {
  if (outcome.body === null) return outcome;
  return { status: outcome.status, body: Buffer.from(box.seal(outcome.body, `outcome ${keyHash}`), "ascii") };
}

/** The outcome as the client gets it: opened when it was sealed, else as it is. */
export function openOutcome(box: SecretBox, keyHash: string, outcome: StoredOutcome): StoredOutcome {
  const body = Buffer.from(outcome.body ?? []);
  if (body.subarray(0, sealedPrefix.length).toString("latin1") !== sealedPrefix) return outcome;
  return { status: outcome.status, body: box.open(body.toString("latin1"), `outcome ${keyHash}`) };
}
