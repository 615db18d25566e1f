/**
 * The health of one account's books in the words of the API: an object of ours, amounts in minor units.
 * It never tells how much others have booked: of a seal it shows place, root and time.
 */
import type { CurrencyBalance } from "../domain/balance.ts";
import type { AccountBooks } from "../domain/story.ts";
import { wireAmount } from "./wire-scalars.ts";

/** `GET /v1/ledger_health`. */
export function serializeLedgerHealth(
  books: AccountBooks & { readonly readAtMs: number },
  balances: readonly CurrencyBalance[],
) {
  return {
    object: "ledger_health",
    livemode: false,
    read_at_ms: books.readAtMs,
    balanced: books.sums.every(({ debitMinor, creditMinor }) => debitMinor === creditMinor),
    bookings: books.bookings,
    complete: !books.hasMore,
    sums: books.sums.map(({ currency, debitMinor, creditMinor }) => ({
      currency,
      debit: wireAmount(debitMinor),
      credit: wireAmount(creditMinor),
      difference: wireAmount(debitMinor - creditMinor),
    })),
    balances: balances.map(({ currency, availableMinor, pendingMinor }) => {
      return { currency, available: wireAmount(availableMinor), pending: wireAmount(pendingMinor) };
    }),
    seals: books.seals.map(({ shard, number, root, until }) => ({ shard, number, root, until })),
    unsealed: { bookings: books.unsealed, since_ms: books.unsealedSinceMs },
  } as const;
}

/** The health as it goes over the wire. */
export type WireLedgerHealth = ReturnType<typeof serializeLedgerHealth>;
