/**
 * What reconciling needs: the acquirer's own list, and our attempts with their bookings beside the breaks (types only).
 * It never names a product; the memory twin and the real store meet one contract.
 */

import type { AttemptInBooks, Break, BreakKind, Finding, ListedOrder } from "../domain/reconcile.ts";
import type { Lookup } from "./acquirer-ports.ts";

/** A span of time: from `fromMs`, before `beforeMs`; milliseconds since the epoch. */
export interface Window {
  readonly fromMs: number;
  readonly beforeMs: number;
}

/** A page of a list; `next` goes on behind it and is null for the last one. */
export interface ListPage<Row> {
  readonly rows: readonly Row[];
  readonly next: string | null;
}

/** The acquirer's list of what it was asked to do. */
export interface AcquirerListing {
  /**
   * Orders by the acquirer's time of their beginning, oldest first, at most `limit`.
   * @param cursor null for the first page, else the `next` of the one before
   * @throws DomainError `acquirer_unknown` when no answer came
   */
  list(window: Window, cursor: string | null, limit: number): Promise<ListPage<ListedLine>>;
}

/** An order, and what the acquirer knew of it when it was listed. */
export interface ListedLine {
  readonly order: ListedOrder;
  readonly found: Lookup;
}

/** Attempts as they stand in the books, and the table of breaks. */
export interface ReconciliationStore {
  /** Attempts created in a window, each once, in an order of the store's own, at most `limit`. */
  attempts(window: Window, cursor: string | null, limit: number): Promise<ListPage<AttemptInBooks>>;
  attempt(id: string): Promise<AttemptInBooks | undefined>;
  /** Breaks that stand and are not accepted, by subject and kind, behind `after`, at most `limit`. */
  openBreaks(after: Pick<Break, "subject" | "kind"> | null, limit: number): Promise<readonly Break[]>;
  /**
   * Makes the open breaks of a subject exactly these: opens what is new, closes what is gone, and leaves the rest alone.
   * @throws DomainError `commit_unknown`, `store_unavailable`, `permission_denied`
   */
  record(about: BreakSubject, found: Found): Promise<BreakChanges>;
  /**
   * Changes a break that stands in one transaction, whose body may run again; undefined when none stands.
   * @throws what `change` throws; DomainError `commit_unknown`, `store_unavailable`, `permission_denied`
   */
  change(key: Pick<Break, "subject" | "kind">, change: (standing: Break) => Break): Promise<Break | undefined>;
}

/** What a look at a subject found. */
export interface Found {
  readonly findings: readonly Finding[];
  /** Kinds that this look could not tell of: breaks of these stay as they are. */
  readonly untold: ReadonlySet<BreakKind>;
  readonly atMs: number;
}

/** Whose break it is. */
export type BreakSubject = Pick<Break, "subject" | "accountId" | "intentId">;

/** What recording changed. */
export interface BreakChanges {
  readonly opened: readonly Break[];
  readonly closed: readonly Break[];
}
