/**
 * Accounts and their API keys: how a key is made, what of it is kept, and how it is recognised.
 * It never keeps a key itself: only its digest and its last four characters.
 */
import { hash } from "node:crypto";

/** Digest under which a key is stored and looked up: SHA-256 of the whole key, in hex. */
export function apiKeyDigest(secret: string): string {
  return hash("sha256", secret, "hex");
}

/** True for text that has the shape of a test key; live keys do not exist in this project. */
export function isApiKeyShaped(text: string): boolean {
  return /^sk_test_[A-Za-z0-9_]{8,247}$/.test(text);
}

/**
 * The API key that stands for a secret made before there was an account: whoever holds the secret knows the key, and its
 * digest can be stored later.
 * @throws Error when the secret has characters that no key has, or is too short; the text does not contain it
 */
export function apiKeyOfSeed(seed: string): string {
  const key = `sk_test_${seed}`;
  // 32 characters carry 128 bits even where they are hexadecimal; bootstrap makes 64 of those.
  if (seed.length < 32 || !isApiKeyShaped(key))
    throw new Error("The seed of an API key is too short or has wrong characters.");
  return key;
}

/** A merchant. */
export interface Account {
  readonly id: string;
  /** Name given by the operator; unique. */
  readonly name: string;
  readonly createdAtMs: number;
}

/** An API key as it is stored. */
export interface ApiKey {
  /** See `apiKeyDigest`. */
  readonly digest: string;
  readonly accountId: string;
  /** Last four characters, to tell keys apart in a list. */
  readonly lastFour: string;
  readonly createdAtMs: number;
  readonly revokedAtMs: number | null;
}

/** How long a look-up of a key is remembered, which is the longest a revoked key still works. */
export const apiKeyCacheMs = 60_000;
