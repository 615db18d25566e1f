/**
 * The ledger in Spanner: blind inserts, guarded transactions and strong reads, each in as few round trips as there are.
 * It must never retry a commit of unknown outcome: the flow knows how to look for its own rows, this adapter does not.
 */
import type { Database } from "@google-cloud/spanner";
import type { Ledger } from "../flows/ports.ts";
import type { FoundColumns } from "./spanner-columns.ts";
import { insertBlindly } from "./spanner-insert.ts";
import {
  abandonedIntentions,
  listEvents,
  listIntents,
  listRefunds,
  overdueAttempts,
  overdueHolds,
} from "./spanner-lists.ts";
import { query } from "./spanner-query.ts";
import { addChanges, foundRows, selectByKeys } from "./spanner-rows.ts";
import { scanAtOneMoment } from "./spanner-scan.ts";
import { inTransaction } from "./spanner-transaction.ts";

/** The ledger of an open database (see `openSpanner`). */
export function spannerLedger(deps: { readonly database: Database }): Ledger {
  const { database } = deps;
  return {
    insert: (tag, changes) => insertBlindly({ database, tag }, (target) => addChanges(target, changes)),
    transact: (tag, body) =>
      inTransaction({ database, tag }, (open) =>
        body({
          read: async (keys) => foundRows(keys, only(await open.query(selectByKeys(keys)))),
          write: (changes) => addChanges(open, changes),
        }),
      ),
    read: async (keys) => foundRows(keys, only(await query(database, "read", selectByKeys(keys)))),
    listIntents: (asked) => listIntents(database, asked),
    listRefunds: (asked) => listRefunds(database, asked),
    listEvents: (asked) => listEvents(database, asked),
    overdueHolds: (captureBeforeMs, limit) => overdueHolds(database, captureBeforeMs, limit),
    overdueAttempts: (leaseUntilBeforeMs, limit) => overdueAttempts(database, leaseUntilBeforeMs, limit),
    abandonedIntentions: (leaseUntilBeforeMs, limit) => abandonedIntentions(database, leaseUntilBeforeMs, limit),
    scan: (tag, body) => scanAtOneMoment({ database, tag }, body),
  };
}

function only(rows: readonly FoundColumns[]): FoundColumns {
  const [row] = rows;
  if (row === undefined || rows.length > 1) throw new Error(`A query for one row found ${rows.length}.`);
  return row;
}
