/**
 * What sealing the ledger needs of its store: types only (design section 5, Hash chain off the path).
 * It never names a product; the memory twin and the real store meet one contract.
 */
import type { ExactTime } from "../domain/exact-time.ts";
import type { CommittedBooking, LedgerSeal } from "../domain/seal.ts";

/** The seals, and the bookings by the time of their commit. */
export interface LedgerSeals {
  /**
   * Lets a body read as of one moment: every commit up to `moment.readAt` shows, and no later one can ever get such a time.
   * @throws what the body throws; DomainError `store_unavailable`, `permission_denied`
   */
  atOneMoment<Result>(tag: string, body: (moment: SealMoment) => Promise<Result>): Promise<Result>;
  /**
   * Adds a seal. `exists` says that another one stands under its number; one's own, from a lost reply, counts as added.
   * @throws DomainError `commit_unknown`, `store_unavailable`, `permission_denied`
   */
  append(seal: LedgerSeal): Promise<"appended" | "exists">;
}

/** One moment of the chain. */
export interface SealMoment {
  readonly readAt: ExactTime;
  /** The newest seal of a shard; undefined when it has none. */
  last(shard: number): Promise<LedgerSeal | undefined>;
  /** Seals of a shard with a number above `afterNumber`, in order, at most `limit`. */
  seals(shard: number, afterNumber: number, limit: number): Promise<readonly LedgerSeal[]>;
  /** Bookings of an interval, ordered by commit, kind and source id, at most `limit`. */
  bookings(interval: CommitInterval, limit: number): Promise<readonly CommittedBooking[]>;
}

/** Bookings of a shard committed later than `after`, up to and with `until`. */
export interface CommitInterval {
  readonly shard: number;
  readonly after: ExactTime;
  readonly until: ExactTime;
  /** The last booking of the page before; null for the first page. */
  readonly cursor: CommittedBooking | null;
}
