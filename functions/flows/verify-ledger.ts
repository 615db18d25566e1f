/**
 * Verifies the ledger: reads the books and what they are about, page by page at one moment, sums the checkpoints of balances
 * up again, then hashes the sealed chain, and names the first bad row.
 * It must never write, nor call a ledger sound that it did not read to the end.
 */
import { auditBalances } from "../domain/audit-balances.ts";
import { type Audit, auditBooks, type Fault } from "../domain/audit-books.ts";
import type { BalanceCheckpoint } from "../domain/balance.ts";
import { refuse } from "../domain/errors.ts";
import { beforeAllCommits } from "../domain/exact-time.ts";
import type { Scan, ScannedTable, Tables } from "../domain/rows.ts";
import {
  anchorText,
  type CommittedBooking,
  type LedgerSeal,
  openSeal,
  type SealAnchor,
  sealProblem,
  sealShards,
} from "../domain/seal.ts";
import type { Balances } from "./balance-ports.ts";
import type { Clock, Ledger, Log } from "./ports.ts";
import type { CommitInterval, LedgerSeals, SealMoment } from "./seal-ports.ts";

/** What verifying needs. */
export interface VerifyDependencies {
  readonly ledger: Pick<Ledger, "scan">;
  readonly seals: Pick<LedgerSeals, "atOneMoment">;
  readonly balances: Pick<Balances, "checkpoints">;
  readonly clock: Clock;
  readonly log: Log;
}

/** How a verification went. */
export interface Verification {
  /** Rows that were looked at, by table. */
  readonly rows: Readonly<Record<ScannedTable | "balance_checkpoints" | "ledger_seals", number>>;
  /** The first bad row, also told by one ERROR line; null when the ledger is sound. */
  readonly fault: Fault | null;
}

/** What a verification is held to. */
export interface VerifyOptions {
  /** Milliseconds after which it gives up; a person who waits for it gives Infinity. */
  readonly msMax?: number;
  /** Bookings that it holds at most; what fits into its function unless it is given. */
  readonly bookingsMax?: number;
  /** Roots that stand outside the database; each must still be in its chain. */
  readonly anchors?: readonly SealAnchor[];
}

/**
 * One verification. A sound one tells the newest root of each chain to the log.
 * @throws DomainError `store_unavailable`, also when it takes too long; `internal` for more bookings than it can hold
 */
export async function verifyLedger(deps: VerifyDependencies, options: VerifyOptions = {}): Promise<Verification> {
  const { msMax = jobMsMax, anchors = [] } = options;
  const untilMs = deps.clock.now() + msMax;
  const tick = () => {
    if (deps.clock.now() > untilMs) throw refuse("store_unavailable", `It took longer than ${msMax} ms.`);
  };
  const books = await verifyBooks(deps, tick, options.bookingsMax ?? bookingsFitting);
  const balances = await verifyBalances(deps, tick);
  const chain = await verifyChains(deps, { anchors, tick });
  const fault = books.fault ?? balances.fault ?? chain.fault;
  if (fault !== null) deps.log("ERROR", "ledger has a bad row", { ...fault });
  else for (const head of chain.heads) deps.log("INFO", "ledger root verified", { anchor: anchorText(head) });
  return { rows: { ...books.rows, balance_checkpoints: balances.checkpoints, ledger_seals: chain.seals }, fault };
}

async function verifyBooks(deps: VerifyDependencies, tick: () => void, bookingsMax: number) {
  return await deps.ledger.scan("verify-ledger", async (scan) => {
    const audit = auditBooks();
    const rows = { ledger_transactions: 0, refunds: 0, charges: 0, payment_intents: 0 };
    for (const table of inOrder) {
      for await (const page of pagesOf(scan, table)) {
        rows[table] += page.length;
        if (rows.ledger_transactions > bookingsMax) throw refuse("internal", "There are more bookings than fit.");
        tick();
        const fault = firstFault(audit, table, page);
        if (fault !== undefined) return { rows, fault };
      }
    }
    return { rows, fault: audit.end() ?? null };
  });
}

/** Bookings first, because all others are held against them; intents last, against the charges. */
const inOrder = ["ledger_transactions", "refunds", "charges", "payment_intents"] as const satisfies ScannedTable[];

/** Rows of one page: a few hundred kilobytes, read in far less than a call may take. */
const pageRows = 500;

/** Most bookings of one verification: at some 350 bytes each, 175 MB of the 512 MiB that its function has. */
const bookingsFitting = 500_000;

/** A job's time: its function ends after 240 s, and whoever is ended cannot say that it did not finish. */
const jobMsMax = 200_000;

async function* pagesOf<T extends ScannedTable>(scan: Scan, table: T): AsyncGenerator<readonly Tables[T][]> {
  let after: Tables[T] | null = null;
  do {
    const page: readonly Tables[T][] = await scan(table, after, pageRows);
    yield page;
    after = page.length < pageRows ? null : (page.at(-1) ?? null);
  } while (after !== null);
}

function firstFault(audit: Audit, table: ScannedTable, page: readonly Tables[ScannedTable][]): Fault | undefined {
  const step = steps(audit)[table] as (row: Tables[ScannedTable]) => Fault | undefined;
  for (const row of page) {
    const fault = step(row);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function steps(audit: Audit): { readonly [T in ScannedTable]: (row: Tables[T]) => Fault | undefined } {
  return {
    ledger_transactions: audit.booking,
    refunds: audit.refund,
    charges: audit.charge,
    payment_intents: audit.intent,
  };
}

/**
 * Sums every checkpoint up again. One moment is not needed: a checkpoint is about bookings that were committed before it,
 * and no later commit can come between them.
 */
async function verifyBalances(deps: VerifyDependencies, tick: () => void) {
  const audit = auditBalances();
  let checkpoints = 0;
  for (let after: BalanceCheckpoint | null = null; ; ) {
    tick();
    const page: readonly BalanceCheckpoint[] = await deps.balances.checkpoints(after, pageRows);
    for (const row of page) audit.checkpoint(row);
    checkpoints += page.length;
    if (checkpoints > checkpointsMax) throw refuse("internal", "There are more checkpoints than fit.");
    after = page.at(-1) ?? null;
    if (page.length < pageRows) break;
  }
  const until = audit.until();
  if (until === null) return { checkpoints, fault: null };
  await deps.seals.atOneMoment("verify-balances", async (moment) => {
    for (let shard = 0; shard < sealShards; shard += 1) {
      const add = ({ booking, committedAt }: CommittedBooking) => audit.booking(booking, committedAt);
      await eachBooking(moment, { shard, after: beforeAllCommits, until }, tick, add);
    }
  });
  const fault = audit.end();
  return { checkpoints, fault: fault === undefined ? null : ({ table: "balance_checkpoints", ...fault } as const) };
}

/** Most checkpoints of one verification: at some 500 bytes with their sums, 100 MB. */
const checkpointsMax = 200_000;

interface ChainInput {
  readonly anchors: readonly SealAnchor[];
  readonly tick: () => void;
}

/** Hashes every chain again; `heads` are the newest seals, `seals` how many were looked at. */
async function verifyChains(deps: VerifyDependencies, { anchors, tick }: ChainInput) {
  return await deps.seals.atOneMoment("verify-seals", async (moment) => {
    const heads: LedgerSeal[] = [];
    let seals = 0;
    for (let shard = 0; shard < sealShards; shard += 1) {
      const own = anchors.filter((anchor) => anchor.shard === shard);
      let previous: LedgerSeal | undefined;
      for (;;) {
        const page = await moment.seals(shard, previous?.number ?? 0, sealPageRows);
        for (const seal of page) {
          seals += 1;
          const problem = sealProblem(previous, seal, await sealAgain(moment, seal, tick)) ?? anchorProblem(own, seal);
          if (problem !== undefined) return { heads, seals, fault: sealFault(shard, seal.number, problem) };
          previous = seal;
        }
        if (page.length < sealPageRows) break;
      }
      const ends = previous?.number ?? 0;
      const lost = own.find(({ number }) => number > ends);
      if (lost !== undefined) {
        const problem = `it was anchored outside the database and is gone: its chain ends at ${ends}`;
        return { heads, seals, fault: sealFault(shard, ends + 1, problem) };
      }
      if (previous !== undefined) heads.push(previous);
    }
    return { heads, seals, fault: null };
  });
}

/** Seals of one page: a few tens of kilobytes. */
const sealPageRows = 100;

/** The seal that the bookings of today give for its interval. */
async function sealAgain(moment: SealMoment, seal: LedgerSeal, tick: () => void): Promise<LedgerSeal> {
  const open = openSeal(seal);
  await eachBooking(moment, seal, tick, open.add);
  return open.close();
}

async function eachBooking(
  moment: SealMoment,
  interval: Omit<CommitInterval, "cursor">,
  tick: () => void,
  add: (committed: CommittedBooking) => void,
): Promise<void> {
  for (let cursor: CommittedBooking | null = null; ; ) {
    tick();
    const page: readonly CommittedBooking[] = await moment.bookings({ ...interval, cursor }, pageRows);
    for (const committed of page) add(committed);
    cursor = page.at(-1) ?? null;
    if (page.length < pageRows) return;
  }
}

function anchorProblem(anchors: readonly SealAnchor[], seal: LedgerSeal): string | undefined {
  const different = anchors.some(({ number, root }) => number === seal.number && root !== seal.root);
  return different ? "its root is not the one that was anchored outside the database" : undefined;
}

function sealFault(shard: number, number: number, problem: string): Fault {
  return { table: "ledger_seals", key: `${shard}/${number}`, problem };
}
