/**
 * How a booking is named outside the books: `txn_` + two letters for its kind + what its source's id has behind the prefix.
 * It never needs a lookup: the name is made from the primary key, and gives it back (contract section 2, Scalars).
 */
import type { Charge } from "./charge.ts";
import type { BookingKind, LedgerTransaction } from "./ledger.ts";
import type { Refund } from "./refund.ts";

/** Prefix of every such id. */
export const balanceTransactionPrefix = "txn_";

/**
 * The id of a booking: `txn_chX` for the charge `ch_X`, `txn_reX` for the refund `re_X`, `txn_rfX` for its failure.
 * @throws Error for a source that no booking of this kind has, which is a bug
 */
export function balanceTransactionId({ kind, sourceId }: BookingKey): string {
  const { letters, sourcePrefix } = kinds[kind];
  if (!sourceId.startsWith(sourcePrefix)) throw new Error(`${sourceId} is not the source of a ${kind}.`);
  return `${balanceTransactionPrefix}${letters}${sourceId.slice(sourcePrefix.length)}`;
}

/** The key of the booking that an id names; undefined for an id that no booking has. */
export function bookingKeyOf(id: string): BookingKey | undefined {
  if (!id.startsWith(balanceTransactionPrefix)) return undefined;
  const [letters, rest] = [id.slice(4, 6), id.slice(6)];
  const kind = bookingKinds.find((each) => kinds[each].letters === letters);
  return kind === undefined || rest === "" ? undefined : { kind, sourceId: `${kinds[kind].sourcePrefix}${rest}` };
}

/** The id of a charge's booking; null while nothing of it was captured. */
export function bookingOfCharge(charge: Charge): string | null {
  return charge.capturedMinor > 0n ? balanceTransactionId({ kind: "charge", sourceId: charge.id }) : null;
}

/** The ids of a refund's booking, null until the acquirer took it, and of its failure, null unless it failed after that. */
export function bookingsOfRefund({ id, status, acceptedAtMs }: Refund): readonly [string | null, string | null] {
  if (acceptedAtMs === null) return [null, null];
  const undone = status === "failed" ? balanceTransactionId({ kind: "refund_failure", sourceId: id }) : null;
  return [balanceTransactionId({ kind: "refund", sourceId: id }), undone];
}

/** Primary key of a booking. */
export type BookingKey = Pick<LedgerTransaction, "kind" | "sourceId">;

/** All kinds of bookings. */
export const bookingKinds = ["charge", "refund", "refund_failure"] as const satisfies readonly BookingKind[];

/** The letters are part of ids that clients keep: they never change, and a new kind takes new ones. */
const kinds: Readonly<Record<BookingKind, { readonly letters: string; readonly sourcePrefix: string }>> = {
  charge: { letters: "ch", sourcePrefix: "ch_" },
  refund: { letters: "re", sourcePrefix: "re_" },
  refund_failure: { letters: "rf", sourcePrefix: "re_" },
};
