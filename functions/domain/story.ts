/**
 * What the ledger has of one payment and of one key, and which of a payment's records a key has caused.
 * It never guesses a cause: a record that names no request belongs to a key only through the key's own attempts.
 */
import { type Attempt, automaticKey } from "./attempt.ts";
import type { Charge } from "./charge.ts";
import type { PaymentEvent } from "./events.ts";
import type { LedgerTransaction } from "./ledger.ts";
import type { Currency } from "./money.ts";
import type { PaymentIntent } from "./payment-intent.ts";
import type { Refund } from "./refund.ts";
import type { KeyRow } from "./rows.ts";
import type { LedgerSeal } from "./seal.ts";

/** A key row without the answer's bytes: how many there are, and whether they are encrypted. */
export interface KeyRecord extends Omit<KeyRow, "outcome"> {
  readonly outcome: KeptOutcome | null;
}

/** What is told of a stored answer. */
export interface KeptOutcome {
  readonly status: number;
  /** Bytes that are kept; null when they were too many to keep (design section 4.7). */
  readonly bytes: number | null;
  /** True for an answer that holds a secret and is kept encrypted. */
  readonly encrypted: boolean;
}

/** Everything of one payment at one moment, each list oldest first and cut to its newest `recordsMax`. */
export interface PaymentRecords {
  readonly intent: PaymentIntent;
  readonly attempts: readonly Attempt[];
  readonly charges: readonly Charge[];
  readonly refunds: readonly Refund[];
  readonly bookings: readonly LedgerTransaction[];
  readonly events: readonly PaymentEvent[];
}

/** A hundred of a kind: a payment has about ten, and one that was retried for days still tells its end. */
export const recordsMax = 100;

/** The part of a payment's records that a key caused. */
export type CausedRecords = Pick<PaymentRecords, "attempts" | "bookings" | "events">;

/** Nothing: of a key whose resource is no payment. */
export const nothingCaused: CausedRecords = { attempts: [], bookings: [], events: [] };

/**
 * What of a payment a key caused: its own attempts and those that went on from them (after a challenge, or to take back a
 * late effect), what these booked, and the events of its request or of these attempts' ends.
 */
export function causedBy(row: Pick<KeyRow, "keyHash" | "requestId" | "attemptId">, all: PaymentRecords): CausedRecords {
  const own = new Map<string, Attempt>();
  for (const attempt of all.attempts) if (isOwn(row, attempt, [...own.values()])) own.set(attempt.id, attempt);
  const attempts = all.attempts.filter(({ id }) => own.has(id));
  return {
    attempts,
    bookings: all.bookings.filter((booking) => attempts.some((attempt) => booksFor(attempt, booking))),
    events: inOrder(all.events.filter((event) => isCausedBy(row, attempts, event))),
  };
}

/** Events oldest first; of one millisecond by the version of their object, which two commits in a row raise. */
export function inOrder(events: readonly PaymentEvent[]): readonly PaymentEvent[] {
  return events.toSorted(
    (one, other) => one.createdAtMs - other.createdAtMs || one.objectVersion - other.objectVersion,
  );
}

/** Oldest first, so whatever an attempt goes on from was looked at before it. */
function isOwn(row: Pick<KeyRow, "keyHash" | "attemptId">, attempt: Attempt, earlier: readonly Attempt[]): boolean {
  if (attempt.keyHash === row.keyHash || attempt.id === row.attemptId) return true;
  // Another key's attempt, which may carry the same authentication when the merchant confirms once more.
  if (attempt.keyHash !== automaticKey(attempt.id)) return false;
  const { reversesAttemptId, authentication } = attempt;
  return earlier.some(
    (before) =>
      before.id === reversesAttemptId ||
      (authentication !== null && before.authentication === authentication && before.challenge !== null),
  );
}

function booksFor(attempt: Attempt, { kind, sourceId }: LedgerTransaction): boolean {
  if (kind === "charge") return attempt.chargeId === sourceId && takesMoney(attempt);
  return attempt.refundId === sourceId;
}

function takesMoney({ kind, captureLater }: Attempt): boolean {
  return kind === "capture" || (kind === "authorize" && !captureLater);
}

/** An end that no request asked for names none; it has the time at which its attempt closed, to the millisecond. */
function isCausedBy(row: Pick<KeyRow, "requestId">, attempts: readonly Attempt[], event: PaymentEvent): boolean {
  if (event.requestId !== "") return event.requestId === row.requestId;
  return attempts.some(({ closedAtMs }) => closedAtMs === event.createdAtMs);
}

/** The books of one account as far as one look goes, and how far they are sealed. */
export interface AccountBooks {
  /** Entries of the newest bookings, by currency. */
  readonly sums: readonly BookSum[];
  /** How many bookings were summed, and whether there are older ones. */
  readonly bookings: number;
  readonly hasMore: boolean;
  /** The newest seal of each shard that has one, by shard. */
  readonly seals: readonly LedgerSeal[];
  /** Own bookings behind the newest seals, at most `unsealedMax`, and when the oldest of them was made; null without one. */
  readonly unsealed: number;
  readonly unsealedSinceMs: number | null;
}

/** Debits and credits of one currency, minor units; they are equal, or the books are wrong. */
export interface BookSum {
  readonly currency: Currency;
  readonly debitMinor: bigint;
  readonly creditMinor: bigint;
}

/** The newest thousand bookings are summed in one look, in well under a second; the nightly verifier sums them all. */
export const summedBookingsMax = 1_000;

/** The window is minutes, so more than a thousand mean that sealing stands still, and how many more says nothing. */
export const unsealedMax = 1_000;

/**
 * When a key was last taken over, in milliseconds; null when it was not. The row keeps the end of a lease, not its begin:
 * a lease that ends later than one from the first commit on could was begun by a takeover (design section 4.3).
 */
export function takenOverAtMs(
  { generation, createdAtMs, leaseUntilMs }: Pick<KeyRow, "generation" | "createdAtMs" | "leaseUntilMs">,
  leaseMs: number,
): number | null {
  const beganAtMs = leaseUntilMs - leaseMs;
  return generation > 1 && beganAtMs > createdAtMs ? beganAtMs : null;
}
