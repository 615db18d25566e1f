// A ledger that notes which rows a request reads and writes, so that a test can tell whether two payments ever meet in one.
// It must never change what the ledger answers, nor leave out a row that a transaction only read.
import { tableKey } from "../../functions/adapters/memory/tables.ts";
import { bookingKeyOf } from "../../functions/domain/balance-transaction.ts";
import type { Change, ReadKeys } from "../../functions/domain/rows.ts";
import type { Ledger } from "../../functions/flows/ports.ts";

/** The ledger, and the rows touched through it, each as `table/key`. */
export function touching(ledger: Ledger): { readonly ledger: Ledger; readonly touched: ReadonlySet<string> } {
  const touched = new Set<string>();
  const noteRead = (keys: ReadKeys) => {
    for (const [table, key] of Object.entries(keys))
      if (key !== undefined) touched.add(`${table}/${rowKey(table, key)}`);
  };
  const noteWrite = (changes: readonly Change[]) => {
    for (const change of changes) touched.add(`${change.table}/${tableKey(change)}`);
  };
  const noting: Ledger = {
    ...ledger,
    insert: async (tag, changes) => {
      noteWrite(changes);
      return await ledger.insert(tag, changes);
    },
    transact: async (tag, body) =>
      await ledger.transact(tag, (scope) =>
        body({
          read: async (keys) => {
            noteRead(keys);
            return await scope.read(keys);
          },
          write: (changes) => {
            noteWrite(changes);
            scope.write(changes);
          },
        }),
      ),
  };
  return { ledger: noting, touched };
}

/** Rows that more than one of the sets holds, sorted. */
export function sharedRows(sets: readonly ReadonlySet<string>[]): string[] {
  const counts = new Map<string, number>();
  for (const row of sets.flatMap((set) => [...set])) counts.set(row, (counts.get(row) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count > 1)
    .map(([row]) => row)
    .sort();
}

/** A booking is read by the id that clients see, and written under its kind and source. */
function rowKey(table: string, key: string): string {
  const booking = table === "ledger_transactions" ? bookingKeyOf(key) : undefined;
  return booking === undefined ? key : `${booking.kind}/${booking.sourceId}`;
}
