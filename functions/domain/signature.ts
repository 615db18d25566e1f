/**
 * Signs a delivery for its receiver: a Stripe-style and a Standard Webhooks signature on one request, from one secret.
 * It never keeps a signature for a later attempt, and never lets a secret into an error.
 */
import { createHmac } from "node:crypto";
import { refuse } from "./errors.ts";

/**
 * The four headers of one attempt. Both families carry one signature for each secret, newest first, so that a receiver
 * that knows any active secret accepts, with whichever library (contract sections 8.3 and 8.4, verified there).
 * Made anew for each attempt: receivers refuse what was signed more than five minutes ago.
 * @throws Error when there is no secret, a secret has another form than `signingSecretFrom` gives, or the id is unusable
 */
export function signatureHeaders(message: SignedMessage, secrets: readonly string[]): SignatureHeaders {
  // An empty item makes the official client throw a plain Error instead of refusing, so there is none.
  if (secrets.length === 0) throw new Error("A delivery needs at least one signing secret.");
  if (!/^[\x21-\x2d\x2f-\x7e]{1,255}$/.test(message.id)) {
    throw new Error("The id of a signed message must be printable ASCII without a full stop.");
  }
  const seconds = Math.floor(message.signedAtMs / 1000);
  const hex = secrets.map((secret) => stripeSignature(secret, seconds, message.body));
  const base64 = secrets.map((secret) => standardSignature(secret, message.id, seconds, message.body));
  return {
    "Stripe-Signature": [`t=${seconds}`, ...hex.map((signature) => `v1=${signature}`)].join(","),
    "webhook-id": message.id,
    "webhook-timestamp": String(seconds),
    "webhook-signature": base64.map((signature) => `v1,${signature}`).join(" "),
  };
}

/** What is signed. */
export interface SignedMessage {
  /** The event's id: the same on each attempt and each resend, so that a receiver recognises it. */
  readonly id: string;
  /** The bytes that are sent. */
  readonly body: Uint8Array;
  /** When this attempt starts, in milliseconds since the epoch. */
  readonly signedAtMs: number;
}

/** Header names as they are sent. */
export type SignatureHeaders = Readonly<
  Record<"Stripe-Signature" | "webhook-id" | "webhook-timestamp" | "webhook-signature", string>
>;

/** `v1` of the Stripe family: hex HMAC-SHA256 over `t.body`; the key is the whole text of the secret, prefix included. */
export function stripeSignature(secret: string, seconds: number | string, body: Uint8Array): string {
  secretBytes(secret);
  return createHmac("sha256", secret).update(`${seconds}.`).update(body).digest("hex");
}

/** `v1` of the Standard Webhooks family: base64 HMAC-SHA256 over `id.t.body`; the key is the bytes behind the prefix. */
export function standardSignature(secret: string, id: string, seconds: number | string, body: Uint8Array): string {
  return createHmac("sha256", secretBytes(secret)).update(`${id}.${seconds}.`).update(body).digest("base64");
}

/**
 * A secret from 32 random bytes: `whsec_` and their standard base64, the one form that all receiving libraries read
 * (contract section 8.4: base64url or free text makes two of three throw).
 * @throws Error for any other number of bytes
 */
export function signingSecretFrom(randomBytes: Uint8Array): string {
  if (randomBytes.length !== secretLength) throw new Error(`A signing secret is made from ${secretLength} bytes.`);
  return `${secretPrefix}${Buffer.from(randomBytes).toString("base64")}`;
}

/** A secret of an endpoint and when it ends; null while nothing replaced it. */
export interface SigningSecret {
  readonly secret: string;
  readonly endsAtMs: number | null;
}

/** The secrets that sign now, newest first. */
export function activeSecrets(secrets: readonly SigningSecret[], nowMs: number): readonly string[] {
  return secrets.filter(({ endsAtMs }) => endsAtMs === null || nowMs < endsAtMs).map(({ secret }) => secret);
}

/**
 * Puts a new secret in front; those before it sign on for `overlapMs` at most, and none longer than it was promised.
 * An overlap of zero ends them all at once, which is what a leaked secret needs. Ended secrets are left out.
 * @throws DomainError `parameter_invalid` naming `param` when the overlap is not a whole number within `overlapMaxMs`,
 *   or too many secrets would be active
 */
export function rotateSecret(secrets: readonly SigningSecret[], rotation: Rotation): readonly SigningSecret[] {
  const { secret, overlapMs, nowMs, param } = rotation;
  if (!Number.isSafeInteger(overlapMs) || overlapMs < 0 || overlapMs > overlapMaxMs) {
    throw refuse("parameter_invalid", "The old signing secret can stay valid for 24 hours at most.", { param });
  }
  const before = secrets
    .map((old) => ({ ...old, endsAtMs: Math.min(old.endsAtMs ?? Number.POSITIVE_INFINITY, nowMs + overlapMs) }))
    .filter(({ endsAtMs }) => nowMs < endsAtMs);
  if (before.length >= activeSecretsMax) {
    const message = `At most ${activeSecretsMax} signing secrets can be active at a time; let one end first, or end them all now.`;
    throw refuse("parameter_invalid", message, { param });
  }
  return [{ secret, endsAtMs: null }, ...before];
}

/** One rotation. */
export interface Rotation {
  /** The new secret. */
  readonly secret: string;
  /** How long the secrets before it still sign, in milliseconds. */
  readonly overlapMs: number;
  readonly nowMs: number;
  /** The request's parameter that holds the overlap, for the refusal. */
  readonly param: string;
}

/** A day, as the dashboard that merchants know allows (contract section 8.3). */
export const overlapMaxMs = 24 * 60 * 60 * 1000;

/** Five signatures make headers of 700 bytes; a receiver that checks one after the other stays quick. */
export const activeSecretsMax = 5;

const secretPrefix = "whsec_";
/** 256 bits: as long as the hash, and within the 24 to 64 bytes of the Standard Webhooks specification. */
const secretLength = 32;

function secretBytes(secret: string): Buffer {
  if (!/^whsec_[A-Za-z0-9+/]{43}=$/.test(secret)) throw new Error("A signing secret has an unknown form.");
  return Buffer.from(secret.slice(secretPrefix.length), "base64");
}
