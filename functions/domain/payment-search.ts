/**
 * What a merchant looks for among payments: how a search is read, and which payments it finds.
 * It must never guess: an amount without its currency is refused, because a number alone names no amount.
 */
import { refuse } from "./errors.ts";
import { type Currency, currencies, readCurrency } from "./money.ts";

/** A payment as far as a search looks at it. */
export interface PaymentLine {
  readonly id: string;
  readonly status: string;
  readonly amountMinor: number;
  readonly currency: string;
}

/** A search; null is anything. */
export interface PaymentSearch {
  readonly status: PaymentStatusName | null;
  readonly currency: Currency | null;
  /** Bounds of the amount, both included. */
  readonly fromMinor: number | null;
  readonly toMinor: number | null;
  /** Bounds of the time of creation: at or after, and before. */
  readonly createdFromMs: number | null;
  readonly createdBeforeMs: number | null;
}

/** The states of a payment (contract section 5.3). */
export const paymentStatuses = [
  "requires_payment_method",
  "requires_confirmation",
  "requires_action",
  "processing",
  "requires_capture",
  "succeeded",
  "canceled",
] as const;

/** One of them. */
export type PaymentStatusName = (typeof paymentStatuses)[number];

/** The fields of a search as text, each undefined when it is not filled in. */
export type SearchField = "status" | "currency" | "amount_from" | "amount_to" | "from" | "to";

/**
 * Reads a search: amounts in the currency's own units (`20.50`), days as `2026-01-15`, in UTC and both included.
 * @throws DomainError `parameter_invalid` with the field as its param
 */
export function readSearch(field: (name: SearchField) => string | undefined): PaymentSearch {
  const currencyText = field("currency");
  const currency = currencyText === undefined ? null : readCurrency(currencyText);
  const amount = (name: "amount_from" | "amount_to") => {
    const text = field(name);
    if (text === undefined) return null;
    if (currency === null)
      throw refuse("parameter_invalid", "Choose a currency for the amount.", { param: "currency" });
    return minorOf(text, currency, name);
  };
  const last = dayOf(field("to"), "to");
  return {
    status: statusOf(field("status")),
    currency,
    fromMinor: amount("amount_from"),
    toMinor: amount("amount_to"),
    createdFromMs: dayOf(field("from"), "from"),
    createdBeforeMs: last === null ? null : last + dayMs,
  };
}

/** True when the payment is one of those; the time is not looked at, because the list was asked for with it. */
export function matches(search: PaymentSearch, { status, amountMinor, currency }: PaymentLine): boolean {
  return (
    (search.status === null || search.status === status) &&
    (search.currency === null || search.currency === currency) &&
    (search.fromMinor === null || amountMinor >= search.fromMinor) &&
    (search.toMinor === null || amountMinor <= search.toMinor)
  );
}

/** True when every payment of the asked days is one of those, so that a page of the list is a page of the result. */
export function takesAll({ status, currency, fromMinor, toMinor }: PaymentSearch): boolean {
  return status === null && currency === null && fromMinor === null && toMinor === null;
}

const dayMs = 24 * 60 * 60 * 1000;

function statusOf(text: string | undefined): PaymentStatusName | null {
  if (text === undefined) return null;
  const found = paymentStatuses.find((status) => status === text);
  if (found === undefined) throw refuse("parameter_invalid", "There is no such status.", { param: "status" });
  return found;
}

/** Digits alone, put together without a floating-point number; twelve of them are beyond every amount. */
function minorOf(text: string, currency: Currency, param: string): number {
  const { decimals } = currencies[currency];
  const [, whole, fraction = ""] = /^([0-9]{1,12})(?:[.,]([0-9]{1,3}))?$/.exec(text) ?? [];
  if (whole === undefined || fraction.length > decimals) {
    const example = decimals === 0 ? "20" : `20.${"0".repeat(decimals)}`;
    throw refuse("parameter_invalid", `Write the amount like ${example}.`, { param });
  }
  return Number(`${whole}${fraction.padEnd(decimals, "0")}`);
}

function dayOf(text: string | undefined, param: string): number | null {
  if (text === undefined) return null;
  const atMs = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  if (!Number.isFinite(atMs)) throw refuse("parameter_invalid", "Write the day like 2026-01-15.", { param });
  return atMs;
}
