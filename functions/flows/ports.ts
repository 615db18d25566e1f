/**
 * What the flows need from the outside: types only, each with just the methods that a flow calls.
 * It never names a product; adapters satisfy these types and memory twins prove them.
 */
import type { Account, ApiKey } from "../domain/accounts.ts";
import type { Attempt } from "../domain/attempt.ts";
import type { Charge, ChargeFailure } from "../domain/charge.ts";
import type { ClaimRecord } from "../domain/claim-fields.ts";
import type { DomainError } from "../domain/errors.ts";
import type { EventDraft, PaymentEvent } from "../domain/events.ts";
import type { StoredOutcome } from "../domain/idempotency.ts";
import type { LedgerTransaction } from "../domain/ledger.ts";
import type { EventQuery, IntentPage, IntentQuery, RefundQuery } from "../domain/pages.ts";
import type { PaymentIntent } from "../domain/payment-intent.ts";
import type { Refund } from "../domain/refund.ts";
import type { Change, FoundRows, KeyRow, ReadKeys, Scan } from "../domain/rows.ts";

/** Time. `now` is milliseconds since the epoch; `sleep` and `after` follow the same clock, so that tests can move it. */
export interface Clock {
  now(): number;
  sleep(milliseconds: number): Promise<void>;
  /** Calls back once after a time; the returned function cancels it. */
  after(milliseconds: number, callback: () => void): () => void;
}

/** Randomness. */
export interface Random {
  /** An id with a prefix, for example `id("pi")` gives `pi_3f…` with at least 120 random bits. */
  id(prefix: string): string;
  /** A token that is never reused, for owners of leases and secrets. */
  token(): string;
}

/** One wide log line; ids, units and codes only, never bodies or secrets. */
export type Log = (
  severity: "INFO" | "WARNING" | "ERROR",
  message: string,
  fields?: Readonly<Record<string, unknown>>,
) => void;

/** One claim as the cache keeps it. */
export type CacheRecord = ClaimRecord;

/** A record with the opaque version under which it was read or written; a later write is conditional on it. */
export type VersionedRecord = { readonly record: CacheRecord; readonly version: string };

/**
 * The fast memory of keys. All writes are conditional; a lost reply of one's own write is recognised by its owner.
 * Every method may reject with `store_unavailable` or `permission_denied`, or never answer: see `CacheGuard`.
 */
export interface IdempotencyCache {
  /** Creates the record if there is none, else answers the one that stood there at a moment of this call (design section 4.2). */
  claim(keyHash: string, record: CacheRecord): Promise<Claimed>;
  /** The record, or undefined. */
  read(keyHash: string): Promise<VersionedRecord | undefined>;
  /** Replaces the record if its version is still `version`; otherwise touches nothing. */
  replace(keyHash: string, version: string, record: CacheRecord): Promise<Replaced>;
}

/** How a claim ended: ours, or somebody's record stands there. */
export type Claimed = { readonly kind: "claimed" | "exists" } & VersionedRecord;

/** How a conditional write ended. */
export type Replaced = { readonly kind: "replaced"; readonly version: string } | { readonly kind: "lost" };

/** The cache behind deadlines and a breaker: `unknown` means go on without it (design section 4.1). */
export interface GuardedCache {
  claim(keyHash: string, record: CacheRecord): Promise<Claimed | Unknown>;
  read(keyHash: string): Promise<({ readonly kind: "found" } & VersionedRecord) | { readonly kind: "none" } | Unknown>;
  replace(keyHash: string, version: string, record: CacheRecord): Promise<Replaced | Unknown>;
}

/** The cache did not answer in time, failed, or its breaker is open. */
export type Unknown = { readonly kind: "unknown" };

/** One serializable read-write transaction. Its body may run again: no side effects, no new ids in it. */
export interface LedgerTransactionScope {
  /** Reads rows under the transaction; one round trip. */
  read(keys: ReadKeys): Promise<FoundRows>;
  /** Buffers rows for the commit; nothing buffered commits nothing. */
  write(changes: readonly Change[]): void;
}

/** The ledger: the truth. `commit_unknown` means that a commit may or may not have been applied. */
export interface Ledger {
  /**
   * Inserts rows blindly in one round trip. `exists` says that a row was there: perhaps our own, from a lost reply.
   * @throws DomainError `commit_unknown`, `store_unavailable`, `permission_denied`; `internal` for a row that no table takes
   */
  insert(tag: string, changes: readonly Change[]): Promise<"inserted" | "exists">;
  /**
   * Runs the body in a transaction and commits what it wrote; runs it again when the store aborts.
   * @throws what the body throws; DomainError `commit_unknown`, `store_unavailable`, `permission_denied`; `internal` when
   *   a row exists or is missing against what the change says, so that the same business action is never booked twice
   */
  transact<Result>(tag: string, body: (scope: LedgerTransactionScope) => Promise<Result>): Promise<Result>;
  /** A strong read of one or more rows outside a transaction; one round trip. */
  read(keys: ReadKeys): Promise<FoundRows>;
  /** One page of an account's intents, newest first. */
  listIntents(query: IntentQuery): Promise<IntentPage>;
  /** One page of an account's refunds, newest first; `intentId` and `chargeId` narrow it when they are not null. */
  listRefunds(query: RefundQuery): Promise<{ readonly refunds: readonly Refund[]; readonly hasMore: boolean }>;
  /** One page of an account's events, newest first; `types` narrows it when it is not null. */
  listEvents(query: EventQuery): Promise<{ readonly events: readonly PaymentEvent[]; readonly hasMore: boolean }>;
  /** Holds that nobody captured before a time or works on now, longest overdue first: the expiry's work. */
  overdueHolds(captureBeforeMs: number, limit: number): Promise<readonly PaymentIntent[]>;
  /** Open attempts whose lease ended before a time, oldest lease first: the completer's work. */
  overdueAttempts(leaseUntilBeforeMs: number, limit: number): Promise<readonly Attempt[]>;
  /** Key rows that announce something, and whose lease ended before a time, oldest lease first: the completer's work too. */
  abandonedIntentions(leaseUntilBeforeMs: number, limit: number): Promise<readonly KeyRow[]>;
  /**
   * Lets a body read whole tables, page by page, all of them as they stood at one moment; later commits do not show.
   * @throws what the body throws; DomainError `store_unavailable`, `permission_denied`
   */
  scan<Result>(tag: string, body: (scan: Scan) => Promise<Result>): Promise<Result>;
}

/** Accounts and their keys. */
export interface Accounts {
  /** The key with this digest, revoked ones too; undefined when there is none. */
  findKey(digest: string): Promise<ApiKey | undefined>;
  /** The account with this name, made if there is none; two parallel calls make one. */
  ensureAccount(account: Account): Promise<Account>;
  /** A digest that is known already stays as it is, revoked or not. */
  addKey(key: ApiKey): Promise<void>;
  /** Keys of the account with this name, newest first. */
  listKeys(accountName: string): Promise<readonly ApiKey[]>;
  /** Marks every live key of the account whose last four characters match (or all of them when null); returns how many. */
  revokeKeys(accountName: string, lastFour: string | null, atMs: number): Promise<number>;
}

/** What an answer or an event shows. */
export interface PaymentView {
  readonly intent: PaymentIntent;
  /** The latest charge, when there is one and the view needs it. */
  readonly charge: Charge | null;
  /** The refund that the answer or the event is about. */
  readonly refund?: Refund;
  /** The bookings of charge and refund, where an expansion shows them. */
  readonly books?: Books;
}

/** Bookings, and when they are looked at: their money is available, or it is not yet. */
export interface Books {
  readonly bookings: readonly LedgerTransaction[];
  readonly atMs: number;
}

/**
 * Domain words to bytes. The deciding transaction stores the answer, so the flows need its bytes;
 * the edge gives them this, and no flow knows a wire name.
 */
export interface Renderer {
  /** A 200 answer with the intent. */
  intentAnswer(view: PaymentView, expand: readonly string[]): StoredOutcome;
  /** A 200 answer with the view's refund. */
  refundAnswer(view: PaymentView, expand: readonly string[]): StoredOutcome;
  /** A refusal or decline with the intent inside, when there is one. */
  errorAnswer(error: DomainError, view: PaymentView | null): StoredOutcome;
  /** A 402 answer for the view's failed charge, or for the acquirer's refusal to capture or void. */
  declineAnswer(view: PaymentView, refusal?: ChargeFailure): StoredOutcome;
  /** Bytes of an event's `data`. */
  eventData(draft: EventDraft, view: PaymentView): Uint8Array;
}
