/**
 * The identity of an idempotency key, the fingerprint of a request, and the clock rules of leases and answers.
 * It never looks at a store: it judges what a store returned.
 */
import { hash } from "node:crypto";

/**
 * Identity of a key: SHA-256 over the length-prefixed (account, livemode, key), in hex (design section 4).
 * A digest has no path tricks and no hot ranges, so it is the document id and the primary key at once.
 */
export function keyIdentity(accountId: string, livemode: boolean, key: string): string {
  return digest([accountId, livemode ? "live" : "test", key]);
}

/**
 * Fingerprint of what a key was first used for: SHA-256 over method, path and canonical decoded parameters, in hex.
 * Headers, the order of parameters and the key itself are left out (contract section 3.4).
 */
export function requestFingerprint(method: string, path: string, canonicalParameters: string): string {
  return digest([method, path, canonicalParameters]);
}

/** True once an answer may no longer be replayed; a key without an outcome never expires (design section 4.6). */
export function isExpired(expiresAtMs: number | null, nowMs: number): boolean {
  return expiresAtMs !== null && nowMs >= expiresAtMs;
}

/** When an answer ends: creation + 24 h for a client's request, sealing + 24 h for one that the completer sealed. */
export function expiryOf(createdAtMs: number): number {
  return createdAtMs + retentionMs;
}

/** True when a foreign call may still start: it must end, at the latest, with the lease (design section 5, Completer). */
export function mayCall(leaseUntilMs: number, nowMs: number, timings: Timings): boolean {
  return nowMs <= leaseUntilMs - timings.callTimeoutMs;
}

/** How long an answer is replayed: 24 hours, as Stripe promises at least (contract section 3.1). */
export const retentionMs = 24 * 60 * 60 * 1000;

/** The waits of the write path, in milliseconds; a demonstration may shorten them, production uses `defaultTimings`. */
export interface Timings {
  /** How long a claim protects its worker. */
  readonly leaseMs: number;
  /** Longest call to the acquirer. */
  readonly callTimeoutMs: number;
  /** How long a twin waits for the first answer when the client asked for no other time. */
  readonly twinWaitMs: number;
  /** First pause between two looks at a running twin; it grows by half each time. */
  readonly pollMs: number;
  /** How long one cache call may take before the request goes on without the cache. */
  readonly cacheDeadlineMs: number;
}

/**
 * Why these numbers: a lease holds two acquirer calls and the commits around them; a card network answers in about two
 * seconds and people give up after ten; the stripe client waits 80 s, so five for a twin is safe and beats its retry;
 * the cache normally answers in ten milliseconds, and 300 keeps a dead one from holding a request (design section 4.1).
 */
export const defaultTimings: Timings = {
  leaseMs: 30_000,
  callTimeoutMs: 10_000,
  twinWaitMs: 5_000,
  pollMs: 100,
  cacheDeadlineMs: 300,
};

/** Longest key in characters (contract section 3.1). */
export const keyLengthMax = 255;

/** The state of one claim, as both stores keep it. */
export type ClaimState = "in_progress" | "completed" | "released";

/** A first answer as it is kept: replayed byte for byte. */
export interface StoredOutcome {
  /** HTTP status of the first answer. */
  readonly status: number;
  /** Body bytes of the first answer; null when they were too large to keep anywhere (design section 4.7). */
  readonly body: Uint8Array | null;
}

/** Who holds a key now, and for how long. A higher generation always wins. */
export interface Fence {
  /** Random token of one worker's run; never reused. */
  readonly owner: string;
  /** 1 for the first claim, raised by each takeover. */
  readonly generation: number;
  /** End of the lease, in milliseconds since the epoch. */
  readonly leaseUntilMs: number;
}

/** SHA-256 over parts that cannot run into each other, because each is preceded by its length in bytes. */
function digest(parts: readonly string[]): string {
  let text = "";
  for (const part of parts) text += `${Buffer.byteLength(part, "utf8")}:${part}`;
  // One call: a hash object that is fed in pieces takes twice the time for texts of this length.
  return hash("sha256", text, "hex");
}
