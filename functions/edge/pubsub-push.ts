/**
 * The envelope in which Pub/Sub pushes a message: read into plain values, whatever of it is left out.
 * It must never decide by the envelope what an event is: its id and type stand in the message's own data.
 */
import { refuse } from "../domain/errors.ts";
import type { WireRequest } from "./wire.ts";

/** One message as it was pushed. */
export interface PushedMessage {
  /** Pub/Sub's id of this copy; another copy of the same event has another one. */
  readonly messageId: string;
  /** When it was published; null when the envelope does not say. */
  readonly publishedAtMs: number | null;
  /** Empty when the envelope has none. */
  readonly attributes: Readonly<Record<string, string>>;
  /** Empty when the envelope has none. */
  readonly data: Buffer;
  /** Full name of the subscription that pushed it. */
  readonly subscription: string;
  /** From 1; null where the subscription has no dead-letter policy. */
  readonly deliveryAttempt: number | null;
}

/**
 * Reads the envelope. Empty `data` and `attributes` are left out by Pub/Sub, and id and time come in two spellings
 * (facts on clients, section 7).
 * @throws DomainError `body_invalid`, `parameter_missing` or `parameter_invalid`, which names the member
 */
export function readPush(request: WireRequest): PushedMessage {
  const body = objectIn(request.body);
  const message = body["message"];
  if (message === undefined) throw missing("message");
  if (!isObject(message)) throw invalid("message", "must be an object");
  const publishTime = message["publishTime"] ?? message["publish_time"];
  return {
    messageId: textIn(message["messageId"] ?? message["message_id"], "message.messageId"),
    publishedAtMs: publishTime === undefined ? null : timeIn(publishTime, "message.publishTime"),
    attributes: attributesIn(message["attributes"]),
    data: dataIn(message["data"]),
    subscription: textIn(body["subscription"], "subscription"),
    deliveryAttempt: attemptIn(body["deliveryAttempt"]),
  };
}

function objectIn(bytes: Buffer): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString("utf8"));
  } catch {
    // Not kept as a cause: JSON.parse quotes the text.
    throw refuse("body_invalid", "The body is not JSON.");
  }
  if (!isObject(value)) throw refuse("body_invalid", "The body is not a JSON object.");
  return value;
}

function attributesIn(value: unknown): Readonly<Record<string, string>> {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) throw invalid("message.attributes", "must be an object");
  const wrong = Object.entries(value).find(([, text]) => typeof text !== "string");
  if (wrong !== undefined) throw invalid("message.attributes", "must hold text only");
  return value as Record<string, string>;
}

function dataIn(value: unknown): Buffer {
  if (value === undefined || value === null) return Buffer.alloc(0);
  if (typeof value !== "string" || !/^[A-Za-z0-9+/_-]*={0,2}$/.test(value))
    throw invalid("message.data", "must be base64");
  return Buffer.from(value, "base64");
}

function attemptIn(value: unknown): number | null {
  if (value === undefined || value === null) return null;
  if (!Number.isSafeInteger(value) || Number(value) < 1)
    throw invalid("deliveryAttempt", "must be a whole number from 1");
  return Number(value);
}

function timeIn(value: unknown, name: string): number {
  const timeMs = typeof value === "string" ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(timeMs)) throw invalid(name, "must be a time");
  return timeMs;
}

function textIn(value: unknown, name: string): string {
  if (value === undefined || value === "") throw missing(name);
  if (typeof value !== "string" || value.length > textLengthMax) throw invalid(name, "must be text");
  return value;
}

/** A subscription's full name has under 600 characters, an id under 30. */
const textLengthMax = 1_000;

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function missing(name: string) {
  return refuse("parameter_missing", `Member ${name} of the push is missing.`, { param: name });
}

function invalid(name: string, rule: string) {
  return refuse("parameter_invalid", `Member ${name} of the push ${rule}.`, { param: name });
}
