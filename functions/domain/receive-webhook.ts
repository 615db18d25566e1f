/**
 * The receiving side of a webhook: is this request genuine, and which event is it? Made for merchants, to be copied together
 * with `signature.ts`. It never reads a body before its bytes are verified, and never takes an id that nobody signed.
 */
import { timingSafeEqual } from "node:crypto";
import { standardSignature, stripeSignature } from "./signature.ts";

/**
 * Verifies a received request by either family of signatures (contract sections 8.3 and 8.4). One valid family is enough,
 * because each binds secret, time and body.
 *
 * The event's id is `webhook-id` where the Standard family is valid, since that family signs it; otherwise it is the `id`
 * inside the signed body. So nobody makes one event look like two by changing or leaving out a header.
 * @throws Error when there is no secret, or one of another form than `whsec_` and base64 of 32 bytes
 */
export function verifyWebhook(request: ReceivedWebhook, receiver: WebhookReceiver): Verdict {
  if (receiver.secrets.length === 0) throw new Error("A receiver needs at least one signing secret.");
  const standard = verifyStandard(request, receiver);
  if (standard.kind === "genuine") return standard;
  const stripe = verifyStripe(request, receiver);
  return stripe.kind === "refused" && stripe.reason === "signature_missing" ? standard : stripe;
}

/** A request as it arrived. */
export interface ReceivedWebhook {
  /** Header names in lower case, as Node gives them. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The bytes as they came: a body that was parsed and written again has another signature. */
  readonly rawBody: Uint8Array;
}

/** What a receiver knows. */
export interface WebhookReceiver {
  /** The endpoint's secrets, `whsec_…`; more than one while a rotation is under way. */
  readonly secrets: readonly string[];
  readonly nowMs: number;
}

/** Genuine, or why not. */
export type Verdict = GenuineWebhook | RefusedWebhook;

/** A request that the sender signed, recently. */
export interface GenuineWebhook {
  readonly kind: "genuine";
  /** Signed: the same for each attempt, resend and duplicate of one event. */
  readonly eventId: string;
}

/** A request that proves nothing. */
export interface RefusedWebhook {
  readonly kind: "refused";
  readonly reason: RefusalReason;
}

/**
 * - `signature_missing`: neither family's headers are there, or are repeated or longer than any sender makes them
 * - `timestamp_malformed`: the time is missing or no plain number of seconds
 * - `timestamp_too_old`, `timestamp_too_new`: more than five minutes from the receiver's clock
 * - `signature_mismatch`: no signature fits any of the secrets; secret, body, time or id is another one
 * - `id_missing`: genuine, but neither the headers nor the body say which event it is
 */
export type RefusalReason =
  | "signature_missing"
  | "timestamp_malformed"
  | "timestamp_too_old"
  | "timestamp_too_new"
  | "signature_mismatch"
  | "id_missing";

/**
 * Five minutes, in both directions, as all three public libraries allow for the past. A clock that runs ahead is no reason
 * to accept a request that was signed for later.
 */
export const toleranceSeconds = 300;

/** Signatures of ten secrets in both families' spelling fit in; a list longer than this is no sender's. */
const headerLengthMax = 4096;

function verifyStandard({ headers, rawBody }: ReceivedWebhook, { secrets, nowMs }: WebhookReceiver): Verdict {
  const id = only(headers["webhook-id"]);
  const list = only(headers["webhook-signature"]);
  if (id === null || list === null) return refused("signature_missing");
  const seconds = only(headers["webhook-timestamp"]);
  const late = refusalOfTime(seconds, nowMs);
  if (seconds === null || late !== null) return refused(late ?? "timestamp_malformed");
  const presented = list.split(" ").flatMap((item) => /^v1,([A-Za-z0-9+/]{43}=)$/.exec(item)?.[1] ?? []);
  const expected = secrets.map((secret) => standardSignature(secret, id, seconds, rawBody));
  return fits(presented, expected) ? { kind: "genuine", eventId: id } : refused("signature_mismatch");
}

function verifyStripe({ headers, rawBody }: ReceivedWebhook, { secrets, nowMs }: WebhookReceiver): Verdict {
  const header = only(headers["stripe-signature"]);
  if (header === null) return refused("signature_missing");
  const items = header.split(",");
  const times = items.flatMap((item) => /^t=(.*)$/.exec(item)?.[1] ?? []);
  // Two times would let a sender's own mistake, or a proxy's, decide which one is signed.
  const seconds = times.length === 1 ? (times[0] ?? null) : null;
  const late = refusalOfTime(seconds, nowMs);
  if (seconds === null || late !== null) return refused(late ?? "timestamp_malformed");
  const presented = items.flatMap((item) => /^v1=([0-9a-f]{64})$/.exec(item)?.[1] ?? []);
  const expected = secrets.map((secret) => stripeSignature(secret, seconds, rawBody));
  if (!fits(presented, expected)) return refused("signature_mismatch");
  const eventId = idInside(rawBody);
  return eventId === null ? refused("id_missing") : { kind: "genuine", eventId };
}

/** The one value of a header; null when it is missing, empty, repeated or too long. */
function only(value: string | readonly string[] | undefined): string | null {
  return typeof value === "string" && value !== "" && value.length <= headerLengthMax ? value : null;
}

function refusalOfTime(seconds: string | null, nowMs: number): RefusalReason | null {
  // A plain number, written in one way only, because it is part of what is signed.
  if (seconds === null || !/^[1-9]\d{0,11}$/.test(seconds)) return "timestamp_malformed";
  const ageSeconds = Math.floor(nowMs / 1000) - Number(seconds);
  if (ageSeconds > toleranceSeconds) return "timestamp_too_old";
  return ageSeconds < -toleranceSeconds ? "timestamp_too_new" : null;
}

/** Compares each with each, all of the same length, so that the time it takes says nothing about how much was right. */
function fits(presented: readonly string[], expected: readonly string[]): boolean {
  const pairs = presented.flatMap((one) => expected.map((other) => [Buffer.from(one), Buffer.from(other)] as const));
  return pairs.filter(([one, other]) => one.length === other.length && timingSafeEqual(one, other)).length > 0;
}

/** The `id` of a verified body; null for a body that is no JSON object or has none. */
function idInside(rawBody: Uint8Array): string | null {
  try {
    const body: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(rawBody));
    const id = typeof body === "object" && body !== null && "id" in body ? body.id : null;
    return typeof id === "string" && id !== "" && id.length <= 255 ? id : null;
  } catch {
    return null;
  }
}

function refused(reason: RefusalReason): RefusedWebhook {
  return { kind: "refused", reason };
}
