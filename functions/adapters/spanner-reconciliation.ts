/**
 * Attempts beside their bookings, and the table of breaks, in Spanner.
 * It must never open a break twice: what stands is read and changed in one transaction.
 */
import { type Database, Spanner } from "@google-cloud/spanner";
import { type AttemptInBooks, type Break, openedBreak } from "../domain/reconcile.ts";
import type {
  BreakChanges,
  BreakSubject,
  Found,
  ListPage,
  ReconciliationStore,
  Window,
} from "../flows/reconciliation-ports.ts";
import { type FoundColumns, reader, type SentColumns, sendTime } from "./spanner-columns.ts";
import { query, type Statement } from "./spanner-query.ts";
import { readBookingAsItIs } from "./spanner-record-rows.ts";
import { rowCodecs } from "./spanner-rows.ts";
import { inTransaction } from "./spanner-transaction.ts";

/** The store of an open database (see `openSpanner`). */
export function spannerReconciliation(deps: { readonly database: Database }): ReconciliationStore {
  const { database } = deps;
  return {
    attempts: (window, cursor, limit) => attempts(database, window, cursor, limit),
    attempt: async (id) => {
      const sql = `SELECT ${attemptInBooks} FROM attempts a WHERE a.attempt_id = @id`;
      const [row] = await query(database, "reconcile-attempt", { sql, params: { id }, types: { id: "string" } });
      return row && readAttemptInBooks(row);
    },
    openBreaks: async (after, limit) =>
      (await query(database, "open-breaks", selectOpenBreaks(after, limit))).map(readBreak),
    record: (about, found) => record(database, about, found),
    change: (key, change) => changeBreak(database, key, change),
  };
}

/** Whole rows of the attempt and of every booking of what it makes or changes. */
const attemptInBooks =
  "ARRAY(SELECT AS STRUCT a.*) AS attempt, " +
  `ARRAY(${rowCodecs.ledger_transactions.select} WHERE a.refund_id IS NULL AND t.kind = 'charge' AND t.source_id = a.charge_id) AS charged, ` +
  `ARRAY(${rowCodecs.ledger_transactions.select} WHERE t.kind IN ('refund', 'refund_failure') AND t.source_id = a.refund_id) AS refunded`;

function readAttemptInBooks(columns: FoundColumns): AttemptInBooks {
  const { attempt, charged, refunded } = columns as Readonly<Record<string, readonly FoundColumns[]>>;
  const [found] = attempt ?? [];
  if (found === undefined) throw new Error("A row of an attempt holds none.");
  return {
    attempt: rowCodecs.attempts.read(found),
    bookings: [...(charged ?? []), ...(refunded ?? [])].map(readBookingAsItIs),
  };
}

/** All shards in one query: each is sought in the index, and what a window holds is sorted. The cursor is the last row's place. */
async function attempts(
  database: Database,
  { fromMs, beforeMs }: Window,
  cursor: string | null,
  limit: number,
): Promise<ListPage<AttemptInBooks>> {
  const place: Place = cursor === null ? { createdAtMs: fromMs, id: "" } : JSON.parse(cursor);
  const rows = await query(database, "reconcile-attempts", {
    sql:
      `SELECT ${attemptInBooks} FROM attempts@{FORCE_INDEX=attempts_created} a ` +
      "WHERE a.list_shard IN (0, 1, 2, 3, 4, 5, 6, 7) AND a.created_at >= @from AND a.created_at < @before " +
      "AND (a.created_at > @from OR a.attempt_id > @id) " +
      `ORDER BY a.created_at, a.attempt_id LIMIT ${Math.trunc(limit)}`,
    params: { from: sendTime(place.createdAtMs), before: sendTime(beforeMs), id: place.id },
    types: { from: "timestamp", before: "timestamp", id: "string" },
  });
  const page = rows.map(readAttemptInBooks);
  const last = page.at(-1)?.attempt;
  const isLast = page.length < limit || last === undefined;
  return { rows: page, next: isLast ? null : JSON.stringify({ createdAtMs: last.createdAtMs, id: last.id }) };
}

/** Behind which row a page begins. */
interface Place {
  readonly createdAtMs: number;
  readonly id: string;
}

function selectOpenBreaks(after: Pick<Break, "subject" | "kind"> | null, limit: number): Statement {
  return {
    sql:
      "SELECT b.* FROM breaks b WHERE b.closed_at IS NULL AND b.acceptance_confirmed_by IS NULL " +
      "AND (b.subject > @subject OR (b.subject = @subject AND b.kind > @kind)) " +
      `ORDER BY b.subject, b.kind LIMIT ${Math.trunc(limit)}`,
    params: { subject: after?.subject ?? "", kind: after?.kind ?? "" },
    types: { subject: "string", kind: "string" },
  };
}

async function record(
  database: Database,
  about: BreakSubject,
  { findings, untold, atMs }: Found,
): Promise<BreakChanges> {
  return await inTransaction({ database, tag: "record-breaks" }, async (open) => {
    const { subject } = about;
    const sql = "SELECT b.* FROM breaks b WHERE b.subject = @subject";
    const known = (await open.query({ sql, params: { subject }, types: { subject: "string" } })).map(readBreak);
    const standing = known.filter(({ closedAtMs }) => closedAtMs === null);
    const opened = findings
      .filter(({ kind }) => !standing.some((each) => each.kind === kind))
      .map((finding) => openedBreak(about, finding, atMs));
    const closed = standing
      .filter(({ kind }) => !untold.has(kind) && !findings.some((finding) => finding.kind === kind))
      .map((gone) => ({ ...gone, closedAtMs: atMs }));
    for (const each of [...opened, ...closed]) {
      const op = known.some(({ kind }) => kind === each.kind) ? "update" : "insert";
      open[op]("breaks", { ...sendBreak(each), committed_at: Spanner.COMMIT_TIMESTAMP });
    }
    return { opened, closed };
  });
}

async function changeBreak(
  database: Database,
  { subject, kind }: Pick<Break, "subject" | "kind">,
  change: (standing: Break) => Break,
): Promise<Break | undefined> {
  return await inTransaction({ database, tag: "change-break" }, async (open) => {
    const sql = "SELECT b.* FROM breaks b WHERE b.subject = @subject AND b.kind = @kind AND b.closed_at IS NULL";
    const types = { subject: "string", kind: "string" } as const;
    const [standing] = (await open.query({ sql, params: { subject, kind }, types })).map(readBreak);
    if (standing === undefined) return undefined;
    const changed = change(standing);
    open.update("breaks", { ...sendBreak(changed), committed_at: Spanner.COMMIT_TIMESTAMP });
    return changed;
  });
}

function sendBreak(each: Break): SentColumns {
  return {
    subject: each.subject,
    kind: each.kind,
    account_id: each.accountId,
    intent_id: each.intentId,
    detail: each.detail,
    opened_at: sendTime(each.openedAtMs),
    closed_at: sendTime(each.closedAtMs),
    accepted_by: each.acceptedBy,
    accepted_reason: each.acceptedReason,
    acceptance_confirmed_by: each.acceptanceConfirmedBy,
  };
}

function readBreak(columns: FoundColumns): Break {
  const read = reader(columns);
  return {
    subject: read.text("subject"),
    kind: read.text("kind"),
    accountId: read.textOrNull("account_id"),
    intentId: read.textOrNull("intent_id"),
    detail: read.text("detail"),
    openedAtMs: read.time("opened_at"),
    closedAtMs: read.timeOrNull("closed_at"),
    acceptedBy: read.textOrNull("accepted_by"),
    acceptedReason: read.textOrNull("accepted_reason"),
    acceptanceConfirmedBy: read.textOrNull("acceptance_confirmed_by"),
  };
}
