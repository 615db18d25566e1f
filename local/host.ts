// What a running laptop is to the rest of `local/`, whatever its stores are.
// It holds a type and nothing else.

import type { FunctionName } from "../functions/config.ts";
import type { Balances } from "../functions/flows/balance-ports.ts";
import type { Publisher } from "../functions/flows/bus-ports.ts";
import type { DeadLetters } from "../functions/flows/dead-letter-ports.ts";
import type { Deliveries } from "../functions/flows/delivery-ports.ts";
import type { DocumentReader } from "../functions/flows/document-ports.ts";
import type { History } from "../functions/flows/history-ports.ts";
import type { OperatorStore } from "../functions/flows/operator-ports.ts";
import type { Accounts, IdempotencyCache, Ledger } from "../functions/flows/ports.ts";
import type { ReconciliationStore } from "../functions/flows/reconciliation-ports.ts";
import type { LedgerSeals } from "../functions/flows/seal-ports.ts";
import type { Stories } from "../functions/flows/story-ports.ts";
import type { Inbox } from "./inbox.ts";
import type { Platform } from "./platform.ts";
import type { Seen } from "./seen.ts";

/** Running functions. */
export type Host = {
  /** Base URL of each function, without a trailing slash. */
  addresses: ReadonlyMap<FunctionName, string>;
  /** What plays the platform around them. */
  platform: Platform;
  /** The accounts and keys that payments-api knows. */
  accounts: Accounts;
  /** What each function was started with, secrets too. */
  environments: ReadonlyMap<FunctionName, Readonly<Record<string, string>>>;
  /** The ledger beneath them, for verifying. */
  ledger: Ledger;
  /** The chain over it. */
  seals: LedgerSeals;
  /** Its balances, for verifying. */
  balances: Balances;
  /** Its breaks, and what persons said of its attempts. */
  reconciliation: ReconciliationStore;
  operators: OperatorStore;
  /** What stands around its keys and payments: in the ledger, in the cache, on the way to merchants. */
  stories: Stories;
  cache: IdempotencyCache;
  deliveries: Deliveries;
  /** Calls a job of the plan now and gives its answer; see `callJob`. */
  callJob(path: string): Promise<unknown>;
  /** Events that consumers gave up, and the topic on which they can be put again. */
  deadLetters: DeadLetters;
  publisher: Publisher;
  /** Spans and log lines by trace. */
  seen: Seen;
  /** What consumers wrote. */
  documents: DocumentReader;
  /** What the archive of events and log lines answers. */
  history: History;
  /** The mail server; undefined where the plan names none. */
  inbox: Inbox | undefined;
  /** Resolves, with the reason for people, when a part that nothing works without has ended by itself. */
  lost: Promise<string>;
  /** Ends everything that was started. May be called twice. */
  stop(): Promise<void>;
};
