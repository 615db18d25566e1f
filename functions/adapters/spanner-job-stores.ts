/**
 * The stores that ledger-writer's jobs have in Spanner beside the ledger itself, all in one database.
 * It must never open a connection of its own.
 */
import { spannerBalances } from "./spanner-balances.ts";
import { spannerOperators } from "./spanner-operators.ts";
import { spannerOutbox } from "./spanner-outbox.ts";
import { spannerReconciliation } from "./spanner-reconciliation.ts";
import { spannerSeals } from "./spanner-seals.ts";

/** Each of them by the name of its port, over an open database (see `openSpanner`). */
export function spannerJobStores(spanner: Parameters<typeof spannerBalances>[0]) {
  return {
    balances: spannerBalances(spanner),
    seals: spannerSeals(spanner),
    reconciliation: spannerReconciliation(spanner),
    operators: spannerOperators(spanner),
    outbox: spannerOutbox(spanner),
  };
}
