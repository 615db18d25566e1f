/**
 * The machine's own clock and randomness, as the ports the flows need.
 * It never shortens an id's randomness.
 */
import { randomFillSync } from "node:crypto";
import type { Clock, Random } from "../flows/ports.ts";

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  after: (milliseconds, callback) => {
    const timer = setTimeout(callback, milliseconds);
    return () => clearTimeout(timer);
  },
};

/** Randomness from the operating system; 18 bytes are 144 bits, 24 characters without padding. */
export const systemRandom: Random = {
  id: (prefix) => `${prefix}_${randomText().replaceAll("-", "A").replaceAll("_", "B")}`,
  token: () => randomText(),
};

/** Bytes of one id, and how many ids' bytes are asked for at once: a call takes microseconds, whatever it brings. */
const [idBytes, idsAtOnce] = [18, 128];
const pool = Buffer.alloc(idBytes * idsAtOnce);
let taken = pool.length;

/** No byte is given out twice, nor kept once it was given out. */
function randomText(): string {
  if (taken === pool.length) {
    randomFillSync(pool);
    taken = 0;
  }
  const text = pool.toString("base64url", taken, taken + idBytes);
  pool.fill(0, taken, taken + idBytes);
  taken += idBytes;
  return text;
}
