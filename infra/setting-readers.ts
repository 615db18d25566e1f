/**
 * The readings of single settings from the environment, each with its refusal.
 * It must never read two variables as one decision, except where one without the other would mean nothing.
 */

/** Which store holds the idempotency cache; the ledger guards without either. */
export type IdempotencyCacheKind = "firestore" | "memorystore";

/** Reads IDEMPOTENCY_CACHE; Firestore where it says nothing, because that costs nothing while nobody pays. */
export function idempotencyCacheIn(value: string | undefined): IdempotencyCacheKind {
  return oneOf("IDEMPOTENCY_CACHE", value || "firestore", ["firestore", "memorystore"]);
}

/** Opt-in: both variables or neither. */
export function budgetOf(
  billingAccount: string | undefined,
  monthlyUnits: string | undefined,
): { readonly billingAccount: string; readonly monthlyUnits: number } | null {
  if (!billingAccount && !monthlyUnits) return null;
  if (!billingAccount || !/^[1-9][0-9]{0,8}$/.test(monthlyUnits ?? "")) {
    throw new Error("A budget needs BILLING_ACCOUNT and MONTHLY_BUDGET, a whole number from 1.");
  }
  return { billingAccount, monthlyUnits: Number(monthlyUnits) };
}

/** Reads MAIL_FROM; null where mails are only recorded. */
export function senderIn(address: string | undefined): string | null {
  if (!address) return null;
  if (!/^[A-Za-z0-9.+_-]{1,64}@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+$/.test(address))
    throw new Error(`MAIL_FROM must be an address such as receipts@shop.example, not ${address}.`);
  return address;
}

/** One of a few words; throws an Error that names the variable and all of them. */
export function oneOf<Value extends string>(variable: string, value: string, values: readonly Value[]): Value {
  const found = values.find((candidate) => candidate === value);
  if (found === undefined) throw new Error(`${variable} must be one of ${values.join(", ")}, not ${value}.`);
  return found;
}
