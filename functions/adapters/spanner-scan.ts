/**
 * Whole tables of the ledger page by page, all pages from one read-only transaction, which sees one moment and locks nothing.
 * It must never leave that transaction open, nor stand in the way of payments.
 */
import type { Database, Snapshot } from "@google-cloud/spanner";
import type { LedgerTransaction } from "../domain/ledger.ts";
import type { Scan, ScannedTable, Tables } from "../domain/rows.ts";
import { translate } from "./spanner-errors.ts";
import { queryOptions, type Statement } from "./spanner-query.ts";
import { readBookingAsItIs } from "./spanner-record-rows.ts";
import { rowCodecs } from "./spanner-rows.ts";

/**
 * Runs the body with a way to read pages.
 * @throws what the body throws; DomainError as `translate` says
 */
export async function scanAtOneMoment<Result>(
  deps: { readonly database: Database; readonly tag: string },
  body: (scan: Scan) => Promise<Result>,
): Promise<Result> {
  const snapshot = await translated(async () => (await deps.database.getSnapshot({ strong: true }))[0]);
  try {
    return await body((table, after, limit) => readPage({ snapshot, tag: deps.tag }, table, after, limit));
  } finally {
    snapshot.end();
  }
}

async function readPage<T extends ScannedTable>(
  { snapshot, tag }: { readonly snapshot: Snapshot; readonly tag: string },
  table: T,
  after: Tables[T] | null,
  limit: number,
): Promise<readonly Tables[T][]> {
  const { select, read } = scanCodecs[table];
  const { condition, ...values } = afterKey(keysOf[table](after));
  const sql = `SELECT ARRAY(${select} ${condition} LIMIT ${Math.trunc(limit)}) AS page`;
  // Whatever else has to be done goes first.
  const requestOptions = { requestTag: tag, priority: "PRIORITY_LOW" } as const;
  const [rows] = await translated(() => snapshot.run({ sql, ...values, ...queryOptions, requestOptions }));
  const [{ page }] = rows as unknown as [{ readonly page: readonly Parameters<typeof read>[0][] }];
  return page.map(read);
}

/** As everywhere, but for bookings: one out of balance is what a scan looks for. */
const scanCodecs: Pick<typeof rowCodecs, ScannedTable> = {
  ...rowCodecs,
  ledger_transactions: { ...rowCodecs.ledger_transactions, read: readBookingAsItIs },
};

/** Columns of the primary keys with the values of a row, or with null for the beginning. */
const keysOf: { readonly [T in ScannedTable]: (after: Tables[T] | null) => readonly KeyColumn[] } = {
  payment_intents: (after) => [["intent_id", after?.id ?? null]],
  charges: (after) => [["charge_id", after?.id ?? null]],
  refunds: (after) => [["refund_id", after?.id ?? null]],
  ledger_transactions: (after: LedgerTransaction | null) => [
    ["kind", after?.kind ?? null],
    ["source_id", after?.sourceId ?? null],
  ],
};

type KeyColumn = readonly [column: string, value: string | null];

/** Rows behind a key, in its order: for two columns `a > @a OR (a = @a AND b > @b)`. */
function afterKey(key: readonly KeyColumn[]): Pick<Statement, "params" | "types"> & { readonly condition: string } {
  const order = `ORDER BY ${key.map(([column]) => `t.${column}`).join(", ")}`;
  const values = key.flatMap(([column, value]) => (value === null ? [] : [[column, value] as const]));
  const behind = values.map(([column], index) => {
    const equal = values.slice(0, index).map(([outer]) => `t.${outer} = @${outer} AND `);
    return `(${equal.join("")}t.${column} > @${column})`;
  });
  return {
    condition: behind.length === 0 ? order : `WHERE ${behind.join(" OR ")} ${order}`,
    params: Object.fromEntries(values),
    types: Object.fromEntries(values.map(([column]) => [column, "string" as const])),
  };
}

async function translated<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    throw translate("before", error);
  }
}
