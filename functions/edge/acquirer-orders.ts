/**
 * The test acquirer's words on the wire: orders as they come in, lines and results as they go out.
 * It must never round an amount: all numbers of money are text.
 */
import type { AcquirerResult } from "../domain/attempt.ts";
import { refuse } from "../domain/errors.ts";
import { readCurrency } from "../domain/money.ts";
import type { JournalLine, JournalOrder, KeyedOrder, Lookup } from "../flows/acquirer-ports.ts";
import type { WireRequest } from "./wire.ts";

/**
 * An order of the kind that its path names.
 * @throws DomainError naming the member at fault
 */
export function orderIn(request: WireRequest, kind: JournalOrder["kind"]): JournalOrder {
  const body = objectIn(request.body);
  const isAuthorization = kind === "authorize";
  const known = isAuthorization ? authorizationMembers : followUpMembers;
  const surplus = Object.keys(body).find((name) => !known.includes(name));
  if (surplus !== undefined) throw refuse("parameter_unknown", "The order has a member that is not known.");
  return {
    kind,
    key: member(body, "key", /^[\w-]{1,255}$/),
    amountMinor: BigInt(member(body, "amount_minor", /^[1-9]\d{0,14}$/)),
    currency: readCurrency(member(body, "currency", /^[a-z]{3}$/)),
    paymentMethodToken: isAuthorization ? member(body, "payment_method", /^\w{1,255}$/) : null,
    reference: isAuthorization ? null : member(body, "reference", /^[\w-]{1,255}$/),
    captureLater: isAuthorization && optionalMember(body, "capture_later", /^(?:true|false)$/) === "true",
    challengeReturnUrl: isAuthorization ? optionalMember(body, "challenge_return_url", webAddress) : null,
    authentication: isAuthorization ? optionalMember(body, "authentication", /^[\w-]{1,255}$/) : null,
  };
}

/**
 * The order that a key stood for.
 * @throws DomainError naming the member at fault
 */
export function keyedOrderIn(request: WireRequest): KeyedOrder {
  const body = objectIn(request.body);
  return {
    key: member(body, "key", /^[\w-]{1,255}$/),
    amountMinor: BigInt(member(body, "amount_minor", /^[1-9]\d{0,14}$/)),
    currency: readCurrency(member(body, "currency", /^[a-z]{3}$/)),
  };
}

/** An address as a browser takes it; whom it leads to is the caller's business, who knows the secret. */
const webAddress = /^https?:\/\/[^\s/?#]+(?:[/?#]\S{0,2000})?$/;

const authorizationMembers: readonly string[] = [
  "key",
  "amount_minor",
  "currency",
  "payment_method",
  "capture_later",
  "challenge_return_url",
  "authentication",
];
const followUpMembers: readonly string[] = ["key", "amount_minor", "currency", "reference"];

function objectIn(bytes: Buffer): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString("utf8"));
  } catch (error) {
    throw refuse("body_invalid", "The body is not JSON.", { cause: error });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw refuse("body_invalid", "The body is not a JSON object.");
  return value as Record<string, unknown>;
}

function member(body: Readonly<Record<string, unknown>>, name: string, form: RegExp): string {
  const value = Object.hasOwn(body, name) ? body[name] : undefined;
  if (value === undefined) throw refuse("parameter_missing", `Member ${name} is missing.`, { param: name });
  if (typeof value !== "string" || !form.test(value))
    throw refuse("parameter_invalid", `Member ${name} has a wrong form.`, { param: name });
  return value;
}

function optionalMember(body: Readonly<Record<string, unknown>>, name: string, form: RegExp): string | null {
  return Object.hasOwn(body, name) ? member(body, name, form) : null;
}

/** A line as it was written: the answer to every repeat of its order. */
export function lineView(line: JournalLine): object {
  return {
    kind: line.kind,
    key: line.key,
    amount_minor: String(line.amountMinor),
    currency: line.currency,
    payment_method: line.paymentMethodToken,
    reference: line.reference,
    capture_later: line.captureLater,
    challenge_return_url: line.challengeReturnUrl,
    authentication: line.authentication,
    result: resultView(line.result),
    created_at_ms: line.createdAtMs,
  };
}

/** What is known of a key. */
export function lookupView(key: string, lookup: Lookup): object {
  if (lookup.kind !== "found") return { key, state: lookup.kind };
  return { key, state: "found", result: resultView(lookup.result), is_voided: lookup.isVoided };
}

function resultView(result: AcquirerResult): object {
  switch (result.kind) {
    case "approved":
      return { kind: result.kind, reference: result.reference };
    case "declined": {
      const { code, declineCode, message } = result.failure;
      return { kind: result.kind, code, decline_code: declineCode, message };
    }
    case "challenge":
      return { kind: result.kind, reference: result.reference, page_url: result.pageUrl, outcome: result.outcome };
    case "pending":
      return { kind: result.kind, reference: result.reference, settles_at_ms: result.settlesAtMs };
  }
}
