/**
 * The machine's own clock, randomness and log, as the ports the flows need.
 * It never logs what it is not given as a field, and never shortens an id's randomness.
 */
import { randomBytes } from "node:crypto";
import type { Clock, Log, Random } from "../flows/ports.ts";

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
  id: (prefix) => `${prefix}_${randomBytes(18).toString("base64url").replaceAll("-", "A").replaceAll("_", "B")}`,
  token: () => randomBytes(18).toString("base64url"),
};

/** One JSON line on stdout for each call, in the form that Cloud Logging reads (facts: no logging library). */
export const jsonLog: Log = (severity, message, fields = {}) => {
  process.stdout.write(`${JSON.stringify({ severity, message, ...fields })}\n`);
};
