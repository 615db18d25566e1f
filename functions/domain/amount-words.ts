/**
 * Amounts and days as people read them, the same in every place and on every machine.
 * It must never pass an amount through a floating-point number, nor depend on the machine's language or time zone.
 */
import { type Currency, currencies } from "./money.ts";

/** `USD 1,234.50`, `JPY 500`, `KWD 1.250`: code first, so that no reader has to guess which dollar it is. */
export function amountWords(amountMinor: bigint, currency: Currency): string {
  const { decimals } = currencies[currency];
  const digits = String(amountMinor < 0n ? -amountMinor : amountMinor).padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals).replace(/\B(?=(?:\d{3})+$)/g, ",");
  const rest = decimals === 0 ? "" : `.${digits.slice(-decimals)}`;
  return `${currency.toUpperCase()} ${amountMinor < 0n ? "-" : ""}${whole}${rest}`;
}

/** `2026-01-15`, in UTC. */
export function dayWords(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10);
}
