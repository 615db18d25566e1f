/**
 * A pushed message as an event: its id, type and object from the signed content, its merchant from the attributes.
 * It must never make up an id: two copies of one event would get two, and its effect would happen twice (field case F21).
 */
import type { ConsumedEvent } from "../domain/consumption.ts";
import { refuse } from "../domain/errors.ts";
import { eventAttributes } from "../domain/events.ts";
import { type Currency, currencies } from "../domain/money.ts";
import type { PushedMessage } from "./pubsub-push.ts";

/**
 * The event inside a message.
 * @throws DomainError `body_invalid`, `parameter_missing` or `parameter_invalid`, which names the member
 */
export function readEvent({ data, attributes }: PushedMessage): ConsumedEvent {
  const event = jsonIn(data);
  const id = text(event, "id");
  // An attribute beside the content is for filters; where it contradicts the content, somebody altered one of them.
  const named = attributes[eventAttributes.eventId];
  if (named !== undefined && named !== id)
    throw refuse("parameter_invalid", "The event's id differs from the attribute's.", {
      param: eventAttributes.eventId,
    });
  const accountId = attributes[eventAttributes.account];
  if (accountId === undefined || accountId === "")
    throw refuse("parameter_missing", `Attribute ${eventAttributes.account} is missing.`, {
      param: eventAttributes.account,
    });
  return {
    id,
    type: text(event, "type"),
    accountId,
    createdAtMs: wholeNumber(event, "created") * 1000,
    object: member(member(event, "data", isObject), "object", isObject),
  };
}

/** Members of an event's object, each read with a check that names the member when it fails. */
export const read = {
  text,
  textOrNull,
  wholeNumber,
  isTrue: (object: Members, name: string): boolean => member(object, name, (value) => typeof value === "boolean"),
  currency: (object: Members, name: string): Currency => member(object, name, isCurrency),
  /** An id of ours, which is a document's name too. */
  id: (object: Members, name: string): string =>
    member(object, name, (value): value is string => typeof value === "string" && /^[a-z]+_\w{1,250}$/.test(value)),
  /** The card of a charge; undefined when it was paid by something else. */
  cardOf: ({ payment_method_details: details }: Members): Members | undefined => {
    const card = isObject(details) ? details["card"] : undefined;
    return isObject(card) ? card : undefined;
  },
  /** An amount of money in minor units. */
  amountMinor: (object: Members, name: string): bigint => BigInt(wholeNumber(object, name)),
} as const;

/** An object of an event. */
export type Members = Readonly<Record<string, unknown>>;

function jsonIn(data: Buffer): Members {
  if (data.length === 0) throw refuse("parameter_missing", "The message has no data.", { param: "message.data" });
  let value: unknown;
  try {
    value = JSON.parse(data.toString("utf8"));
  } catch {
    // Not kept as a cause: JSON.parse quotes the text.
    throw refuse("body_invalid", "The message's data is not JSON.");
  }
  if (!isObject(value)) throw refuse("body_invalid", "The message's data is not a JSON object.");
  return value;
}

function text(object: Members, name: string): string {
  return member(object, name, (value): value is string => typeof value === "string" && value !== "");
}

function textOrNull(object: Members, name: string): string | null {
  return member(object, name, (value): value is string | null => value === null || typeof value === "string");
}

function wholeNumber(object: Members, name: string): number {
  return member(object, name, (value): value is number => Number.isSafeInteger(value) && Number(value) >= 0);
}

function member<Value>(object: Members, name: string, isRight: (value: unknown) => value is Value): Value {
  const value = Object.hasOwn(object, name) ? object[name] : undefined;
  if (value === undefined) throw refuse("parameter_missing", `The event has no ${name}.`, { param: name });
  if (!isRight(value)) throw refuse("parameter_invalid", `The event's ${name} has a wrong form.`, { param: name });
  return value;
}

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isCurrency(value: unknown): value is Currency {
  return typeof value === "string" && Object.hasOwn(currencies, value);
}
