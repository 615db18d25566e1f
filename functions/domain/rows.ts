/**
 * The rows of the ledger: what one transaction reads and writes, by table.
 * It holds types only; how a store keeps them is the adapters' business.
 */
import type { Attempt } from "./attempt.ts";
import type { BalanceCheckpoint } from "./balance.ts";
import type { Charge } from "./charge.ts";
import type { OutboxRow, PaymentEvent } from "./events.ts";
import type { Fence, StoredOutcome } from "./idempotency.ts";
import type { Intention } from "./intention.ts";
import type { LedgerTransaction } from "./ledger.ts";
import type { PaymentIntent } from "./payment-intent.ts";
import type { Refund } from "./refund.ts";

/** The key row: the truth about an idempotency key (design section 4.1). */
export interface KeyRow extends Fence {
  readonly keyHash: string;
  readonly accountId: string;
  /** The client's key as sent; null when it sent none and the identity was made by the server. */
  readonly idempotencyKey: string | null;
  readonly method: string;
  readonly path: string;
  readonly fingerprint: string;
  /** Id of the first request. */
  readonly requestId: string;
  /** Paths to expand in the answer, so that whoever seals it renders the same bytes. */
  readonly expand: readonly string[];
  /** The attempt that decides the outcome; null when the first transaction decided it. */
  readonly attemptId: string | null;
  /** The object that the request is about, once known. */
  readonly resourceId: string | null;
  /** What is wanted outside the ledger; null once the outcome stands, and where nothing is wanted there. */
  readonly intention: Intention | null;
  readonly createdAtMs: number;
  readonly outcome: StoredOutcome | null;
  readonly expiresAtMs: number | null;
}

/** The tables that flows write, and the row type of each. Primary keys: see `tableKey` in the memory adapter. */
export interface Tables {
  readonly idempotency_keys: KeyRow;
  readonly payment_intents: PaymentIntent;
  readonly attempts: Attempt;
  readonly charges: Charge;
  readonly refunds: Refund;
  readonly ledger_transactions: LedgerTransaction;
  readonly balance_checkpoints: BalanceCheckpoint;
  readonly events: PaymentEvent;
  readonly outbox: OutboxRow;
}

/**
 * One row to write. `insert` fails the commit when the row exists, `update` when it does not, and `delete`, which only the
 * outbox knows, never: its row may be gone already.
 */
export type Change =
  | {
      [T in keyof Tables]: { readonly op: "insert" | "update"; readonly table: T; readonly row: Tables[T] };
    }[keyof Tables]
  | { readonly op: "delete"; readonly table: "outbox"; readonly row: Pick<OutboxRow, "eventId"> };

/** Rows to read, by primary key; all of them in one round trip. */
export interface ReadKeys {
  readonly idempotency_keys?: string;
  readonly payment_intents?: string;
  readonly attempts?: string;
  readonly charges?: string;
  readonly refunds?: string;
  /** The id of a balance transaction (`txn_…`), see `balanceTransactionId`. */
  readonly ledger_transactions?: string;
  readonly events?: string;
}

/** What was found; a row that is not there is absent. */
export interface FoundRows {
  readonly idempotency_keys?: KeyRow;
  readonly payment_intents?: PaymentIntent;
  readonly attempts?: Attempt;
  readonly charges?: Charge;
  readonly refunds?: Refund;
  readonly ledger_transactions?: LedgerTransaction;
  readonly events?: PaymentEvent;
}

/** The tables that can be read whole: the books, and what they are about. */
export type ScannedTable = "payment_intents" | "charges" | "refunds" | "ledger_transactions";

/**
 * Reads a page of a table in the order of its primary key: at most `limit` rows after the row `after`, from the first when
 * that is null. A booking out of balance comes as it stands, because whoever scans looks for what is wrong.
 */
export type Scan = <T extends ScannedTable>(
  table: T,
  after: Tables[T] | null,
  limit: number,
) => Promise<readonly Tables[T][]>;
