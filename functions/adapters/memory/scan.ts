/**
 * One moment of the memory ledger's tables, to be read page by page.
 * It must never show a commit that came after that moment.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Change, Scan, ScannedTable, Tables } from "../../domain/rows.ts";
import { type MemoryTables, tableKey } from "./tables.ts";

/** Reads the tables as they are now. */
export function scanOf(tables: MemoryTables): Scan {
  const moment: { readonly [T in ScannedTable]: readonly Tables[T][] } = {
    payment_intents: tables.rows("payment_intents"),
    charges: tables.rows("charges"),
    refunds: tables.rows("refunds"),
    ledger_transactions: tables.rows("ledger_transactions"),
  };
  return async (table, after, limit) => {
    await nextTurn();
    const rows = moment[table].map((row) => ({ row, key: keyOf(table, row) }));
    const rest = after === null ? rows : rows.filter(({ key }) => key > keyOf(table, after));
    rest.sort((one, other) => (one.key < other.key ? -1 : Number(one.key > other.key)));
    return rest.slice(0, limit).map(({ row }) => row);
  };
}

/** Keys compare by code unit, as Spanner's do for the characters of ids. */
function keyOf<T extends ScannedTable>(table: T, row: Tables[T]): string {
  return tableKey({ op: "insert", table, row } as Change);
}
