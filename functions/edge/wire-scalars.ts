/**
 * Domain values in the forms that JSON carries: amounts as numbers, times as whole seconds, metadata in one order.
 * It must never round an amount.
 */

/**
 * An amount in minor units as a JSON number.
 * @throws Error beyond the safe integers, which no amount reaches (eight digits, contract section 2)
 */
export function wireAmount(amountMinor: bigint): number {
  const amount = Number(amountMinor);
  if (!Number.isSafeInteger(amount)) throw new Error("An amount is too large to be written as a JSON number.");
  return amount;
}

/** A time in milliseconds since the epoch as whole seconds, rounded down (contract section 2, Scalars). */
export function wireSeconds(timeMs: number): number {
  return Math.floor(timeMs / 1000);
}

/** Metadata as a plain object, sorted: a store may return its keys in an order of its own, and bytes must not depend on it. */
export function wireMetadata(metadata: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(metadata).sort(([one], [other]) => (one < other ? -1 : 1)));
}
