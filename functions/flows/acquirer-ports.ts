/**
 * What the flows need of the card network, and what the test acquirer keeps: types only (design section 5, Acquirer).
 * It never names a product; a fork's processor is one adapter of `Acquirer`.
 */
import type { AcquirerResult, AttemptKind } from "../domain/attempt.ts";
import type { Currency } from "../domain/money.ts";

/** An order to the card network; repeating it with the same key changes nothing and gives the same answer. */
export interface AuthorizeOrder {
  /** The acquirer's idempotency key: the attempt's id. */
  readonly key: string;
  readonly amountMinor: bigint;
  readonly currency: Currency;
  readonly paymentMethodToken: string;
  /** Hold the money only; a capture takes it later. */
  readonly captureLater: boolean;
  /** Where the buyer comes back to from a challenge; null when nobody may be asked. */
  readonly challengeReturnUrl: string | null;
  /** The acquirer's name for a challenge that was passed; null without. */
  readonly authentication: string | null;
}

/** An order about an authorization: take what it holds, let it go, or give back what was taken. */
export interface FollowUpOrder {
  /** The acquirer's idempotency key: the attempt's id. */
  readonly key: string;
  /** The acquirer's name for the authorization. */
  readonly reference: string;
  readonly amountMinor: bigint;
  readonly currency: Currency;
}

/** The order that a key stood for, when it is to be undone by its key alone. */
export type KeyedOrder = Pick<FollowUpOrder, "key" | "amountMinor" | "currency">;

/**
 * The card network (design section 5, Acquirer). Keys live for days. Each verb rejects with `acquirer_unknown` when no
 * answer came: the money may or may not have moved.
 */
export interface Acquirer {
  authorize(order: AuthorizeOrder): Promise<AcquirerResult>;
  capture(order: FollowUpOrder): Promise<AcquirerResult>;
  void(order: FollowUpOrder): Promise<AcquirerResult>;
  refund(order: FollowUpOrder): Promise<AcquirerResult>;
  /** What became of an order, as it stands now; it sees every answered call. Nothing found is never proof of failure. */
  lookup(key: string): Promise<Lookup>;
  /** Lets go whatever was authorized under a key; an order that lands later may still take effect, so look again. */
  voidKey(order: KeyedOrder): Promise<void>;
}

/** What the network knows of a key. */
export type Lookup =
  | { readonly kind: "none" }
  /** A call is being worked on. */
  | { readonly kind: "running" }
  /** `isVoided`: it was authorized, and let go since. */
  | { readonly kind: "found"; readonly result: AcquirerResult; readonly isVoided: boolean };

/** The test acquirer's journal: one line per key, so that effects can be counted from outside the ledger. */
export interface AcquirerJournal {
  /** Writes the line if the key is new; returns the line that stands. Two parallel calls keep one line. */
  record(line: JournalLine): Promise<JournalLine>;
  read(key: string): Promise<JournalLine | undefined>;
  /** Newest first, at most `limit`. */
  list(limit: number): Promise<readonly JournalLine[]>;
  /**
   * Lines written from `fromMs` and before `beforeMs`, oldest first, at most `limit`, behind `after` when that is not null.
   */
  between(
    written: { readonly fromMs: number; readonly beforeMs: number },
    after: JournalLine | null,
    limit: number,
  ): Promise<readonly JournalLine[]>;
}

/** One effect at the test acquirer. */
export interface JournalLine extends JournalOrder {
  readonly result: AcquirerResult;
  readonly createdAtMs: number;
}

/**
 * What a line tells of: an order, the buyer's answer to a challenge, a void by key, or a first sight of an order that the
 * network pretends not to know for a time.
 */
export type JournalKind = AttemptKind | "challenge_answer" | "key_void" | "first_sight";

/** An order of any kind, as the journal keeps it. */
export interface JournalOrder {
  readonly kind: JournalKind;
  readonly key: string;
  readonly amountMinor: bigint;
  readonly currency: Currency;
  /** Of an authorization; null for what is about one. */
  readonly paymentMethodToken: string | null;
  /** The authorization that the order is about; null for an authorization. */
  readonly reference: string | null;
  readonly captureLater: boolean;
  readonly challengeReturnUrl: string | null;
  readonly authentication: string | null;
}
