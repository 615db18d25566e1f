/**
 * The reconciliation: holds the acquirer's list, the attempts and the books against each other and keeps a table of breaks.
 * It must never repair what it finds, nor open a break that a second look at both sides does not show.
 */
import { lateVoidedAttempt, reversalId } from "../domain/attempt.ts";
import { refuse } from "../domain/errors.ts";
import {
  type AttemptInBooks,
  type Break,
  type BreakKind,
  findingsOf,
  type ListedOrder,
  listedKinds,
  openTooLongMs,
} from "../domain/reconcile.ts";
import type { Acquirer } from "./acquirer-ports.ts";
import { classifyLookup } from "./classify-lookup.ts";
import type { Clock, Ledger, Log } from "./ports.ts";
import type { AcquirerListing, ListedLine, ListPage, ReconciliationStore, Window } from "./reconciliation-ports.ts";

/** What reconciling needs. */
export interface ReconcileDependencies {
  readonly store: ReconciliationStore;
  readonly ledger: Pick<Ledger, "overdueAttempts">;
  readonly listing: AcquirerListing;
  readonly acquirer: Pick<Acquirer, "lookup">;
  readonly clock: Clock;
  readonly log: Log;
}

/** What is reconciled, and how long it may take. */
export interface ReconcileOptions {
  /** Attempts and orders that began within the last so many milliseconds. Default: two days. */
  readonly backMs?: number;
  /** Milliseconds after which it gives up; a person who waits for it gives Infinity. */
  readonly msMax?: number;
}

/** How a reconciliation went. */
export interface Reconciled {
  readonly orders: number;
  readonly attempts: number;
  /** Keys that were looked at a second time, on both sides. */
  readonly examined: number;
  readonly opened: number;
  readonly closed: number;
  /** Breaks that stand now and that nobody has accepted. */
  readonly open: number;
}

/**
 * One reconciliation. It goes through the window slice by slice; whatever does not match at once, and every break that
 * stands, is looked at again: first the attempt, then the acquirer, so that a change in between opens no break.
 * @throws DomainError `acquirer_unknown`, `store_unavailable`, also when it takes too long: what it found by then is kept
 */
export async function reconcile(deps: ReconcileDependencies, options: ReconcileOptions = {}): Promise<Reconciled> {
  const { backMs = backMsDefault, msMax = jobMsMax } = options;
  const startMs = deps.clock.now();
  const tick = () => {
    if (deps.clock.now() - startMs > msMax) throw refuse("store_unavailable", `It took longer than ${msMax} ms.`);
  };
  const counts = { orders: 0, attempts: 0, examined: 0, opened: 0, closed: 0 };
  const examined = new Set<string>();
  const look = async (key: string, listed: ListedOrder | null) => {
    tick();
    examined.add(key);
    counts.examined += 1;
    const changes = await examine(deps, key, listed);
    counts.opened += changes.opened.length;
    // One that was accepted was not open before.
    counts.closed += changes.closed.filter(({ acceptanceConfirmedBy }) => acceptanceConfirmedBy === null).length;
  };
  const standing = await openBreaks(deps.store);
  for (let fromMs = startMs - backMs; fromMs < startMs; fromMs += sliceMs) {
    const slice = await readSlice(deps, { fromMs, beforeMs: Math.min(fromMs + sliceMs, startMs) }, tick);
    counts.orders += slice.orders;
    counts.attempts += slice.attempts;
    for (const [key, listed] of slice.unmatched) await look(key, listed);
  }
  const underWay = await deps.ledger.overdueAttempts(startMs + leaseMsMax, underWayMax);
  const old = underWay.filter(({ createdAtMs }) => startMs - createdAtMs >= openTooLongMs).map(({ id }) => id);
  for (const key of [...standing.map(({ subject }) => subject), ...old]) if (!examined.has(key)) await look(key, null);
  return { ...counts, open: standing.length + counts.opened - counts.closed };
}

/** Two days: a run that was missed is made up by the next one. */
const backMsDefault = 2 * 24 * 60 * 60 * 1000;

/** Ten minutes of a day with ten million payments are 70,000 orders: some tens of megabytes. */
const sliceMs = 10 * 60 * 1000;

/** Orders and attempts of one slice that fit into the function's memory. */
const sliceRowsMax = 200_000;

/** Attempts and breaks of one page. */
const pageRows = 500;

/** Orders of one page of the acquirer's: it may have to look each of them up. */
const listedPageRows = 100;

/** Attempts under way that a run looks through for old ones. */
const underWayMax = 5_000;

/** Longer than the completer leaves any of them alone, so that all are seen but those that the acquirer settles in days. */
const leaseMsMax = 2 * 60 * 60 * 1000;

/** Breaks that a run looks at again; with more of them something is wrong at large, and the alert has said so. */
const openBreaksMax = 5_000;

/** A job's time: its function ends after 240 s. */
const jobMsMax = 200_000;

/** One slice of both sides, and the keys that do not match at once, with what the acquirer lists. */
async function readSlice(deps: ReconcileDependencies, window: Window, tick: () => void) {
  const lines = new Map<string, ListedLine>();
  for await (const page of pages((cursor) => deps.listing.list(window, cursor, listedPageRows))) {
    tick();
    for (const line of page) lines.set(line.order.key, line);
    refuseMoreThan(lines.size, sliceRowsMax);
  }
  const unmatched = new Map<string, ListedOrder | null>([...lines].map(([key, { order }]) => [key, order]));
  let attempts = 0;
  for await (const page of pages((cursor) => deps.store.attempts(window, cursor, pageRows))) {
    tick();
    attempts += page.length;
    refuseMoreThan(attempts, sliceRowsMax);
    for (const ours of page) {
      const key = ours.attempt.id;
      const line = lines.get(key);
      if (line === undefined) unmatched.set(key, null);
      else if (isMatch(ours, line, deps.clock.now())) unmatched.delete(key);
    }
  }
  return { orders: lines.size, attempts, unmatched };
}

function isMatch(ours: AttemptInBooks, { order, found }: ListedLine, nowMs: number): boolean {
  return findingsOf({ key: order.key, listed: order, ours, ...classifyLookup(found) }, nowMs).length === 0;
}

/** The second look at one key, and what it means for the table. */
async function examine(deps: ReconcileDependencies, key: string, listed: ListedOrder | null) {
  const ours = (await deps.store.attempt(key)) ?? null;
  const { standing, endsAtMs } = classifyLookup(await deps.acquirer.lookup(key));
  const isTakenBack = await isReversed(deps.store, key, ours);
  const match = { key, listed, ours, standing: isTakenBack ? "without_effect" : standing, endsAtMs } as const;
  const { accountId = null, intentId = null } = ours?.attempt ?? {};
  const about = { subject: key, accountId, intentId };
  const atMs = deps.clock.now();
  const untold = listed === null ? listedKinds : new Set<BreakKind>();
  const changes = await deps.store.record(about, { findings: findingsOf(match, atMs), untold, atMs });
  for (const { subject, kind, detail } of changes.opened) deps.log("ERROR", "break found", { subject, kind, detail });
  for (const { subject, kind } of changes.closed) deps.log("INFO", "break gone", { subject, kind });
  return changes;
}

/**
 * True for an effect that the completer has taken back, or is taking back: the late void of an attempt's key is an order
 * of its own there, and a late authorization has an attempt here that reverses it.
 */
async function isReversed(store: ReconciliationStore, key: string, ours: AttemptInBooks | null): Promise<boolean> {
  if (ours === null) {
    const voided = lateVoidedAttempt(key);
    return voided !== undefined && (await store.attempt(voided)) !== undefined;
  }
  if (ours.attempt.state !== "voided") return false;
  const reversal = await store.attempt(reversalId(key));
  return reversal !== undefined && reversal.attempt.state !== "declined";
}

async function openBreaks(store: ReconciliationStore): Promise<readonly Break[]> {
  const all: Break[] = [];
  for (;;) {
    const page = await store.openBreaks(all.at(-1) ?? null, pageRows);
    all.push(...page);
    refuseMoreThan(all.length, openBreaksMax);
    if (page.length < pageRows) return all;
  }
}

async function* pages<Row>(read: (cursor: string | null) => Promise<ListPage<Row>>): AsyncGenerator<readonly Row[]> {
  let cursor: string | null = null;
  do {
    const page: ListPage<Row> = await read(cursor);
    yield page.rows;
    cursor = page.next;
  } while (cursor !== null);
}

function refuseMoreThan(rows: number, rowsMax: number): void {
  if (rows > rowsMax) throw refuse("internal", `There are more than ${rowsMax} rows to reconcile at once.`);
}
