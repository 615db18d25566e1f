/**
 * Holds each API key to its share of this instance, so that one runaway client does not take it from all others.
 * It must never keep a key in clear, never grow without bound, and never touch a store: a refusal has to be cheap.
 */
import { refuse } from "../domain/errors.ts";
import { type Bucket, isFull, type RateLimit, takeToken } from "../domain/rate-limit.ts";
import type { Clock } from "./ports.ts";

/**
 * Makes the limiter; it throws `rate_limit` (429; contract section 4) for a request beyond the limit, before anything is
 * claimed, so the request's idempotency key stays free (contract section 3.1). Each instance counts for itself: what a
 * key gets in all is the limit times the instances, which are capped in the settings.
 */
export function rateLimiter(deps: { readonly clock: Clock }, limit: RateLimit): LimitRate {
  const buckets = new Map<string, Bucket>();
  return (keyDigest) => {
    const nowMs = deps.clock.now();
    const { bucket, granted } = takeToken(buckets.get(keyDigest), limit, nowMs);
    // Last in the map is the one that was used last.
    buckets.delete(keyDigest);
    buckets.set(keyDigest, bucket);
    if (buckets.size > bucketsMax) forget(buckets, limit, nowMs);
    if (!granted) throw refuse("rate_limit", "Too many requests for this API key. Send them more slowly.");
  };
}

/** Takes one request of the key with this digest; throws when it is one too many. */
export type LimitRate = (keyDigest: string) => void;

/** Bound of the memory: 10,000 keys, as many as the authenticator remembers, are about 2 MB. */
const bucketsMax = 10_000;

/** Full buckets first, which nobody misses; else the older half, whose callers gain at most one burst by it. */
function forget(buckets: Map<string, Bucket>, limit: RateLimit, nowMs: number): void {
  for (const [digest, bucket] of buckets) if (isFull(bucket, limit, nowMs)) buckets.delete(digest);
  if (buckets.size <= bucketsMax) return;
  for (const digest of [...buckets.keys()].slice(0, bucketsMax / 2)) buckets.delete(digest);
}
