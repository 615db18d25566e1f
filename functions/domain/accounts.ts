/**
 * Accounts and their API keys: how a key is made, what of it is kept, and how it is recognised.
 * It never keeps a key itself: only its digest and its last four characters.
 */
import { createHash } from "node:crypto";

/** Digest under which a key is stored and looked up: SHA-256 of the whole key, in hex. */
export function apiKeyDigest(secret: string): string {
  return createHash("sha256").update(secret, "utf8").digest("hex");
}

/** True for text that has the shape of a test key; live keys do not exist in this project. */
export function isApiKeyShaped(text: string): boolean {
  return /^sk_test_[A-Za-z0-9_]{8,247}$/.test(text);
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
