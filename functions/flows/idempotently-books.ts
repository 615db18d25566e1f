/**
 * The bookings that an answer may show whole, read for whoever renders it: a request in its transaction, or a read.
 * It never reads what no expansion asks for.
 */
import { bookingOfCharge, bookingsOfRefund } from "../domain/balance-transaction.ts";
import type { Charge } from "../domain/charge.ts";
import type { Refund } from "../domain/refund.ts";
import type { FoundRows, ReadKeys } from "../domain/rows.ts";
import type { Books } from "./ports.ts";

/** True when one of the paths to expand ends at a balance transaction. */
export function showsBooks(expand: readonly string[]): boolean {
  return expand.some((path) => path.endsWith("balance_transaction"));
}

/**
 * The bookings of a charge and a refund, as many as there are of them, one round trip each.
 * @param read `Ledger.read`, or the read of a transaction
 * @param atMs when they are looked at, which says what is available by then
 */
export async function booksOf(
  read: (keys: ReadKeys) => Promise<FoundRows>,
  about: { readonly charge: Charge | null; readonly refund?: Refund },
  atMs: number,
): Promise<Books> {
  const ids = [
    about.charge === null ? null : bookingOfCharge(about.charge),
    ...(about.refund === undefined ? [] : bookingsOfRefund(about.refund)),
  ];
  const wanted = ids.filter((id) => id !== null);
  const found = await Promise.all(wanted.map((id) => read({ ledger_transactions: id })));
  const bookings = found.map(({ ledger_transactions: booking }, index) => {
    if (booking === undefined) throw new Error(`Balance transaction ${wanted[index]} is missing.`);
    return booking;
  });
  return { bookings, atMs };
}
