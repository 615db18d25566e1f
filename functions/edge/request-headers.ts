/**
 * Reads the request headers that steer the API: the key of idempotency, who asks, how long to wait, which version.
 * It must never put a header's value into an error, since one of them is a secret.
 */
import { Buffer } from "node:buffer";
import { refuse } from "../domain/errors.ts";
import { keyLengthMax } from "../domain/idempotency.ts";
import { headerValues, type WireRequest } from "./wire.ts";

/**
 * The caller's idempotency key, opaque: case, quotes and inner spaces count (contract section 3.4). Undefined when absent.
 * Raises `idempotency_key_invalid` when it is empty, too long or sent more than once (field case F06).
 */
export function readIdempotencyKey(request: WireRequest): string | undefined {
  const [key, ...more] = headerValues(request, "idempotency-key");
  if (key === undefined) return undefined;
  if (more.length > 0) throw badKey("was sent more than once");
  if (key === "") throw badKey("is empty");
  if (key.length > keyLengthMax) {
    throw badKey(`is longer than ${keyLengthMax} characters`);
  }
  return key;
}

/**
 * The API key from `Authorization`: Bearer, or Basic with the key as user name and an empty password (contract section 1).
 * Undefined when there is none or it cannot be read; the caller answers both with 401.
 */
export function readApiKey(request: WireRequest): string | undefined {
  const [authorization, ...more] = headerValues(request, "authorization");
  if (authorization === undefined || more.length > 0) return undefined;
  const [, scheme = "", value = ""] = /^([A-Za-z]+) +([^ ]+) *$/.exec(authorization) ?? [];
  if (scheme.toLowerCase() === "bearer") return value;
  if (scheme.toLowerCase() !== "basic") return undefined;
  const [, userName] = /^([^:]+):?$/.exec(Buffer.from(value, "base64").toString("utf8")) ?? [];
  return userName;
}

/** Longest wait a client may ask for: a twin never holds an instance longer (design section 4.4). */
const waitSecondsMax = 10;

/** `Prefer: wait=N` (RFC 7240 section 4.3) in milliseconds, at most 10 s; undefined when absent or not understood. */
export function readWaitMs(request: WireRequest): number | undefined {
  for (const preference of headerValues(request, "prefer").flatMap((value) => value.split(","))) {
    const seconds = /^\s*wait\s*=\s*"?([0-9]{1,9})"?\s*(?:;.*)?$/i.exec(preference)?.[1];
    // The first one counts (RFC 7240 section 2).
    if (seconds !== undefined) return Math.min(Number(seconds), waitSecondsMax) * 1_000;
  }
  return undefined;
}

/** A version as the official client sends it: a date, with the release train's name since 2024 (`2026-10-28.endive`). */
const stripeVersion = /^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])(?:\.[a-z]{1,30})?$/;

/**
 * The `Stripe-Version` to echo; one shape is served whatever it says (contract section 2). Undefined when absent.
 * Raises `parameter_invalid` when it is malformed or sent more than once.
 */
export function readStripeVersion(request: WireRequest): string | undefined {
  const [version, ...more] = headerValues(request, "stripe-version");
  if (version === undefined) return undefined;
  if (more.length > 0 || !stripeVersion.test(version)) {
    throw refuse("parameter_invalid", "The Stripe-Version header must be one version like 2026-10-28.endive.", {
      param: "Stripe-Version",
    });
  }
  return version;
}

function badKey(reason: string) {
  return refuse("idempotency_key_invalid", `The Idempotency-Key header ${reason}.`, { param: "Idempotency-Key" });
}
