/**
 * What reading balances needs from the outside: types only. Checkpoints are rows that the ledger's port writes.
 * It never names a product; adapters satisfy these types and a memory twin proves them.
 */
import type { BalanceCheckpoint, BalanceMoment } from "../domain/balance.ts";
import type { ExactTime } from "../domain/exact-time.ts";
import type { LedgerTransaction } from "../domain/ledger.ts";
import type { BookingQuery } from "../domain/pages.ts";

/**
 * Bookings as lists and as sums. Every method may reject with DomainError `store_unavailable` or `permission_denied`.
 */
export interface Balances {
  /** One page of an account's bookings, newest first; of one time, by source and kind, descending. */
  list(query: BookingQuery): Promise<{ readonly bookings: readonly LedgerTransaction[]; readonly hasMore: boolean }>;
  /** An account's newest checkpoint and the sums of all bookings after it, both read at one moment. */
  moment(accountId: string): Promise<BalanceMoment>;
  /**
   * Accounts that lately had bookings which no checkpoint holds, most of them first; an account whose last booking is older
   * than an hour may be missing until its next one.
   */
  behind(limit: number): Promise<readonly string[]>;
  /** Checkpoints of all accounts behind one (from the first when that is null), in the order of their keys, at most `limit`. */
  checkpoints(after: BalanceCheckpoint | null, limit: number): Promise<readonly BalanceCheckpoint[]>;
  /** Deletes the checkpoints of an account that are older than a moment (see `BalanceCheckpoint.readAt`). */
  prune(accountId: string, olderThan: ExactTime): Promise<void>;
}
