/**
 * How many requests a caller may make: a bucket of tokens that fills with time and loses one per request.
 * It never reads a clock and keeps no fractions: its amounts are whole thousandths of a token.
 */

/** A limit: so many requests a second for ever, and so many at once after a pause. Whole numbers of at least 1. */
export interface RateLimit {
  readonly perSecond: number;
  /** Requests that a rested caller may make at once. */
  readonly burst: number;
}

/** One caller's bucket, as it stood at a time. */
export interface Bucket {
  /** Thousandths of a token: a limit of N a second fills it by exactly N of them each millisecond, so nothing is rounded. */
  readonly milliTokens: number;
  readonly atMs: number;
}

/** What became of one request: the bucket after it, and whether it may go on. A refused one costs nothing. */
export interface Taken {
  readonly bucket: Bucket;
  readonly granted: boolean;
}

/** Takes one token if there is one; no bucket yet counts as a full one. */
export function takeToken(bucket: Bucket | undefined, limit: RateLimit, nowMs: number): Taken {
  const milliTokens = fill(bucket, limit, nowMs);
  const granted = milliTokens >= tokenSize;
  // A clock that went backwards must not fill the same span twice.
  const atMs = Math.max(nowMs, bucket?.atMs ?? nowMs);
  return { bucket: { milliTokens: granted ? milliTokens - tokenSize : milliTokens, atMs }, granted };
}

/** True when the bucket has refilled: forgetting it then changes nothing for its caller. */
export function isFull(bucket: Bucket, limit: RateLimit, nowMs: number): boolean {
  return fill(bucket, limit, nowMs) === limit.burst * tokenSize;
}

/** One whole token, in thousandths: as many as a second has milliseconds. */
const tokenSize = 1000;

function fill(bucket: Bucket | undefined, limit: RateLimit, nowMs: number): number {
  const full = limit.burst * tokenSize;
  if (bucket === undefined) return full;
  const passedMs = Math.max(0, Math.trunc(nowMs - bucket.atMs));
  return Math.min(full, bucket.milliTokens + passedMs * limit.perSecond);
}
