/**
 * The chain over the books in Spanner: bookings by commit timestamp, and the seals, all at one read timestamp.
 * It must never round a time: Spanner's nanoseconds travel as text, in queries and out of them.
 */
import { type Database, type Snapshot, Spanner } from "@google-cloud/spanner";
import { type ExactTime, exactTime } from "../domain/exact-time.ts";
import type { CommittedBooking, LedgerSeal } from "../domain/seal.ts";
import type { CommitInterval, LedgerSeals, SealMoment } from "../flows/seal-ports.ts";
import { type FoundColumns, reader, type SentColumns } from "./spanner-columns.ts";
import { translate } from "./spanner-errors.ts";
import { insertBlindly } from "./spanner-insert.ts";
import { query, queryOptions, type Statement } from "./spanner-query.ts";
import { readBookingAsItIs } from "./spanner-record-rows.ts";

/** The chain of an open database (see `openSpanner`). */
export function spannerSeals(deps: { readonly database: Database }): LedgerSeals {
  const { database } = deps;
  return {
    atOneMoment: (tag, body) => atOneMoment({ database, tag }, body),
    append: (seal) => append(database, seal),
  };
}

async function atOneMoment<Result>(
  deps: { readonly database: Database; readonly tag: string },
  body: (moment: SealMoment) => Promise<Result>,
): Promise<Result> {
  // A strong read's timestamp: whatever commits after it was chosen gets a later one.
  const snapshot = await translated(async () => (await deps.database.getSnapshot({ strong: true }))[0]);
  const ask = async (statement: Statement): Promise<readonly FoundColumns[]> => {
    const requestOptions = { requestTag: deps.tag, priority: "PRIORITY_LOW" } as const;
    const [rows] = await translated(() => snapshot.run({ ...statement, ...queryOptions, requestOptions }));
    return rows as unknown as readonly FoundColumns[];
  };
  try {
    return await body({
      readAt: readTimestampOf(snapshot),
      last: async (shard) =>
        (await ask(selectSeals({ shard, afterNumber: 0, order: "DESC", limit: 1 }))).map(readSeal)[0],
      seals: async (shard, afterNumber, limit) =>
        (await ask(selectSeals({ shard, afterNumber, order: "ASC", limit }))).map(readSeal),
      bookings: async (interval, limit) => {
        const [{ page }] = (await ask(selectBookings(interval, limit))) as [{ readonly page: readonly FoundColumns[] }];
        return page.map(readCommitted);
      },
    });
  } finally {
    snapshot.end();
  }
}

async function append(database: Database, seal: LedgerSeal): Promise<"appended" | "exists"> {
  const inserted = await insertBlindly({ database, tag: "append-seal" }, (target) =>
    target.insert("ledger_seals", { ...sendSeal(seal), committed_at: Spanner.COMMIT_TIMESTAMP }),
  );
  if (inserted === "inserted") return "appended";
  const { shard, number } = seal;
  const standing = selectSeals({ shard, afterNumber: number - 1, order: "ASC", limit: 1 });
  const [row] = await query(database, "append-seal", standing);
  return row !== undefined && readSeal(row).root === seal.root ? "appended" : "exists";
}

/** The moment's own time; without it nothing may be sealed. */
function readTimestampOf(snapshot: Snapshot): ExactTime {
  const timestamp = snapshot.readTimestampProto;
  if (timestamp?.seconds == null) throw new Error("Spanner did not say at what time it reads.");
  return exactTime(Number(timestamp.seconds), timestamp.nanos ?? 0);
}

/** A TIMESTAMP as text with all its nanoseconds, whatever they are. */
const exactly = (column: string) => `FORMAT_TIMESTAMP('%Y-%m-%dT%H:%M:%E9SZ', ${column}, 'UTC')`;

function selectSeals(asked: {
  readonly shard: number;
  readonly afterNumber: number;
  readonly order: "ASC" | "DESC";
  readonly limit: number;
}): Statement {
  return {
    sql:
      `SELECT s.*, ${exactly("s.committed_after")} AS after_exactly, ${exactly("s.committed_until")} AS until_exactly ` +
      "FROM ledger_seals s WHERE s.seal_shard = @shard AND s.seal_number > @after_number " +
      `ORDER BY s.seal_number ${asked.order} LIMIT ${Math.trunc(asked.limit)}`,
    params: { shard: String(asked.shard), after_number: String(asked.afterNumber) },
    types: { shard: "int64", after_number: "int64" },
  };
}

function selectBookings({ shard, after, until, cursor }: CommitInterval, limit: number): Statement {
  // The first line of the condition is what the index seeks by; the second leaves out what the last page had.
  const behind =
    "AND (t.committed_at > @at OR (t.committed_at = @at AND (t.kind > @kind OR (t.kind = @kind AND t.source_id > @source_id))))";
  const entries =
    `ARRAY(SELECT AS STRUCT e.*, ${exactly("e.committed_at")} AS committed_exactly FROM ledger_entries e ` +
    "WHERE e.kind = t.kind AND e.source_id = t.source_id ORDER BY e.entry_number) AS entries";
  const times = ["created_at", "available_on", "committed_at"]
    .map((column) => `${exactly(`t.${column}`)} AS ${column}_exactly`)
    .join(", ");
  const place = cursor === null ? {} : { kind: cursor.booking.kind, source_id: cursor.booking.sourceId };
  return {
    sql:
      `SELECT ARRAY(SELECT AS STRUCT t.*, ${times}, ${entries} ` +
      "FROM ledger_transactions@{FORCE_INDEX=ledger_transactions_committed} t WHERE t.seal_shard = @shard " +
      `AND t.committed_at ${cursor === null ? ">" : ">="} @at AND t.committed_at <= @until ${cursor === null ? "" : behind} ` +
      `ORDER BY t.committed_at, t.kind, t.source_id LIMIT ${Math.trunc(limit)}) AS page`,
    params: { shard: String(shard), at: cursor?.committedAt ?? after, until, ...place },
    types: {
      shard: "int64",
      at: "timestamp",
      until: "timestamp",
      ...(cursor === null ? {} : { kind: "string" as const, source_id: "string" as const }),
    },
  };
}

/** The newest seal of each shard that has one, as structs by shard; `readSeal` reads them. */
export function selectNewestSeals(shards: readonly number[]): string {
  const parts = shards.map(
    (shard) => `(SELECT * FROM ledger_seals WHERE seal_shard = ${shard} ORDER BY seal_number DESC LIMIT 1)`,
  );
  return (
    `SELECT AS STRUCT s.*, ${exactly("s.committed_after")} AS after_exactly, ${exactly("s.committed_until")} AS until_exactly ` +
    `FROM (${parts.join(" UNION ALL ")}) s ORDER BY s.seal_shard`
  );
}

function sendSeal(seal: LedgerSeal): SentColumns {
  return {
    seal_shard: String(seal.shard),
    seal_number: String(seal.number),
    encoding: String(seal.encoding),
    previous_root: seal.previousRoot,
    root: seal.root,
    booking_count: String(seal.bookings),
    committed_after: seal.after,
    committed_until: seal.until,
  };
}

/** The seal of a found row with its exact times. */
export function readSeal(columns: FoundColumns): LedgerSeal {
  const read = reader(columns);
  return {
    shard: read.count("seal_shard"),
    number: read.count("seal_number"),
    encoding: read.count("encoding"),
    previousRoot: read.textOrNull("previous_root"),
    root: read.text("root"),
    bookings: read.count("booking_count"),
    after: read.text("after_exactly"),
    until: read.text("until_exactly"),
  };
}

function readCommitted(columns: FoundColumns): CommittedBooking {
  const read = reader(columns);
  const entries = read.json<readonly FoundColumns[]>("entries").map(reader);
  return {
    booking: readBookingAsItIs(columns),
    createdAt: read.text("created_at_exactly"),
    availableOn: read.text("available_on_exactly"),
    committedAt: read.text("committed_at_exactly"),
    entries: entries.map((entry) => ({
      number: entry.count("entry_number"),
      committedAt: entry.text("committed_exactly"),
    })),
  };
}

async function translated<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    throw translate("before", error);
  }
}
