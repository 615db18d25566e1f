/**
 * What a dashboard asks of the history of events and log lines: types only, always for one account.
 * It never names a product; memory, the laptop's SQL and BigQuery answer the same under one contract suite.
 */
import type { HistoryRange } from "../domain/history-bounds.ts";

/** What every question says: whose history, from when until when, and how many rows at most (1 to 1,000). */
export interface HistoryQuery {
  readonly accountId: string;
  /** At most 400 days. */
  readonly range: HistoryRange;
  readonly limit: number;
}

/**
 * The history. It is minutes behind in the cloud, and no truth about money: that is the ledger. Days are days in UTC,
 * given as the milliseconds of their beginning, newest first, and a day that is partly in the range is not in the answer
 * unless its beginning is. Every method throws DomainError `parameter_invalid` with param `account`, `from`, `until`,
 * `limit`, `endpoint`, `key` or `before` for what it does not take, and may reject with `store_unavailable`, `permission_denied`, or
 * `internal` for a question that the store cannot read.
 */
export interface History {
  /** Payments by the day of their creation and their currency. */
  paymentDays(query: HistoryQuery): Promise<readonly PaymentDay[]>;
  /** Why tries to pay failed on the days of the range, most frequent first. */
  declineReasons(query: HistoryQuery): Promise<readonly DeclineReason[]>;
  /** Charges by the day of their creation and their currency, and what went back of them by now. */
  refundDays(query: HistoryQuery): Promise<readonly RefundDay[]>;
  /** Attempts to deliver webhooks by day and endpoint; `endpointId` null for all endpoints. */
  deliveryDays(query: HistoryQuery & { readonly endpointId: string | null }): Promise<readonly DeliveryDay[]>;
  /** How long after an event each consumer had dealt with it, by day and consumer. */
  consumerLags(query: HistoryQuery): Promise<readonly ConsumerLag[]>;
  /** What keyed requests came to, by day: work done, and work that a replay saved. */
  replayDays(query: HistoryQuery): Promise<readonly ReplayDay[]>;
  /** The lines of one key's life, newest first; `keyId` as `keyIdentity` makes it, `before` the `next` of the page before. */
  keyLines(query: HistoryQuery & { readonly keyId: string; readonly before: string | null }): Promise<LinePage>;
  /** Runs of the jobs that guard the ledger, newest first: facts of the whole system, which name no account. */
  ledgerRuns(query: Omit<HistoryQuery, "accountId">): Promise<readonly LedgerRun[]>;
}

/** Payments of one day and currency; conversion is `succeeded` of `payments`. */
export interface PaymentDay {
  readonly dayMs: number;
  /** Lower case, `usd`. */
  readonly currency: string;
  readonly payments: number;
  readonly succeeded: number;
  readonly canceled: number;
  /** Payments with at least one failed try, whatever became of them. */
  readonly declined: number;
  readonly receivedMinor: bigint;
}

/** One reason for failed tries. */
export interface DeclineReason {
  /** Code of the error, `card_declined`. */
  readonly code: string;
  /** The issuer's own reason, `insufficient_funds`; null when it gave none. */
  readonly declineCode: string | null;
  readonly declines: number;
}

/** Charges of one day and currency; the rate of refunds is `refunded` of `charges`, or the two amounts. */
export interface RefundDay {
  readonly dayMs: number;
  readonly currency: string;
  /** Charges whose money was captured. */
  readonly charges: number;
  /** Those of them of which something went back. */
  readonly refunded: number;
  readonly capturedMinor: bigint;
  readonly refundedMinor: bigint;
}

/** Attempts of one day to one endpoint. */
export interface DeliveryDay {
  readonly dayMs: number;
  readonly endpointId: string;
  readonly attempts: number;
  readonly succeeded: number;
  /** Of all attempts, failed ones too; whole milliseconds. */
  readonly durationAverageMs: number;
  readonly durationMaxMs: number;
  /** How many attempts took at most so long; each number holds the one before. */
  readonly within100Ms: number;
  readonly within500Ms: number;
  readonly within1000Ms: number;
  readonly within5000Ms: number;
}

/** What one consumer did with the events of one day (the day on which it dealt with them). */
export interface ConsumerLag {
  readonly dayMs: number;
  /** The function's name, `invoice`. */
  readonly consumer: string;
  /** Events that it dealt with, each once. */
  readonly events: number;
  /** From the event's first publication to the consumer's answer; whole milliseconds, never negative. */
  readonly lagAverageMs: number;
  readonly lagMaxMs: number;
}

/** How the keyed requests of one day ended; a request is in exactly one of the counts. */
export interface ReplayDay {
  readonly dayMs: number;
  /** Did the work. */
  readonly executed: number;
  /** Got the stored answer. */
  readonly replayed: number;
  /** Came while the first one ran, waited, and got its answer. */
  readonly waited: number;
  /** 409: came while the first one ran, for too long. */
  readonly inUse: number;
  /** 400: the key was used for something else. */
  readonly mismatch: number;
  /** Finished what another worker had begun. */
  readonly adopted: number;
  /** Gave the key free again, so that a retry does the work. */
  readonly released: number;
}

/** A page of lines, newest first. */
export interface LinePage {
  readonly lines: readonly KeyLine[];
  /** For the next page; null when this was the last one. */
  readonly next: string | null;
}

/** One log line about a key. What the line does not say is null. */
export interface KeyLine {
  readonly lineId: string;
  readonly atMs: number;
  readonly severity: string;
  /** What happened, `request`. */
  readonly message: string;
  /** The function that wrote it, `payments-api`. */
  readonly service: string;
  readonly requestId: string | null;
  /** Of a replay: the request whose answer was given again. */
  readonly originalRequestId: string | null;
  /** `executed`, `replayed`, `waited`, `in_use`, `mismatch`, `adopted` or `released`. */
  readonly keyOutcome: string | null;
  readonly generation: number | null;
  readonly method: string | null;
  readonly path: string | null;
  /** HTTP status of the answer. */
  readonly status: number | null;
  /** Code of the error. */
  readonly code: string | null;
  /** Whole milliseconds. */
  readonly durationMs: number | null;
  readonly attemptId: string | null;
  readonly paymentIntentId: string | null;
  readonly eventId: string | null;
  readonly deliveryId: string | null;
  /** 32 hexadecimal digits, without the project in front. */
  readonly traceId: string | null;
  readonly spanId: string | null;
}

/** One run of a job that guards the ledger. */
export interface LedgerRun {
  readonly job: "verify" | "seal" | "reconcile";
  readonly atMs: number;
  /** False for a run that did not end: nobody knows what it would have found. */
  readonly hasEnded: boolean;
  /** Bad rows, or breaks that stand; null for a run that did not end. */
  readonly faults: number | null;
  /** Bookings that were sealed, attempts that were matched; null for a verification, and for a run that did not end. */
  readonly items: number | null;
}

/** Where the history comes from: what Pub/Sub writes into its tables, by way of the two subscriptions. */
export interface HistoryArchive {
  /** One delivery of an event, `data` its JSON; duplicates are normal. */
  event(delivery: ArchivedMessage): void;
  /** One log line, `data` the JSON of its LogEntry; duplicates are normal. */
  line(delivery: ArchivedMessage): void;
}

/** One row of either table. */
export interface ArchivedMessage {
  readonly messageId: string;
  readonly publishedAtMs: number;
  readonly data: string;
  readonly attributes: Readonly<Record<string, string>>;
}
