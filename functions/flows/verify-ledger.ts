/**
 * Verifies the ledger: reads the books and what they are about, page by page at one moment, and names the first bad row.
 * It must never write, nor call a ledger sound that it did not read to the end.
 */
import { type Audit, auditBooks, type Fault } from "../domain/audit-books.ts";
import { refuse } from "../domain/errors.ts";
import type { Scan, ScannedTable, Tables } from "../domain/rows.ts";
import type { Clock, Ledger, Log } from "./ports.ts";

/** What verifying needs. */
export interface VerifyDependencies {
  readonly ledger: Pick<Ledger, "scan">;
  readonly clock: Clock;
  readonly log: Log;
}

/** How a verification went. */
export interface Verification {
  /** Rows that were looked at, by table. */
  readonly rows: Readonly<Record<ScannedTable, number>>;
  /** The first bad row, also told by one ERROR line; null when the ledger is sound. */
  readonly fault: Fault | null;
}

/**
 * One verification.
 * @param msMax milliseconds after which it gives up; a person who waits for it gives Infinity
 * @throws DomainError `store_unavailable`, also when it takes too long; `internal` for more bookings than it can hold
 */
export async function verifyLedger(deps: VerifyDependencies, msMax: number = jobMsMax): Promise<Verification> {
  const untilMs = deps.clock.now() + msMax;
  const verification = await deps.ledger.scan("verify-ledger", async (scan) => {
    const audit = auditBooks();
    const rows = { ledger_transactions: 0, refunds: 0, charges: 0, payment_intents: 0 };
    for (const table of inOrder) {
      for await (const page of pagesOf(scan, table)) {
        rows[table] += page.length;
        if (rows.ledger_transactions > bookingsMax) throw refuse("internal", "There are more bookings than fit.");
        if (deps.clock.now() > untilMs) throw refuse("store_unavailable", `It took longer than ${msMax} ms.`);
        const fault = firstFault(audit, table, page);
        if (fault !== undefined) return { rows, fault };
      }
    }
    return { rows, fault: audit.end() ?? null };
  });
  if (verification.fault !== null) deps.log("ERROR", "ledger has a bad row", { ...verification.fault });
  return verification;
}

/** Bookings first, because all others are held against them; intents last, against the charges. */
const inOrder = ["ledger_transactions", "refunds", "charges", "payment_intents"] as const satisfies ScannedTable[];

/** Rows of one page: a few hundred kilobytes, read in far less than a call may take. */
const pageRows = 500;

/** Most bookings of one verification: at some 350 bytes each, 175 MB of the 512 MiB that its function has. */
const bookingsMax = 500_000;

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
