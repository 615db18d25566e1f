/**
 * All that payments-api keeps in Spanner, over one open database.
 * It must never be used by a function that needs less: each takes only the ports that it calls.
 */
import type { Database } from "@google-cloud/spanner";
import type { Balances } from "../flows/balance-ports.ts";
import type { Accounts, Ledger } from "../flows/ports.ts";
import type { Stories } from "../flows/story-ports.ts";
import { spannerAccounts } from "./spanner-accounts.ts";
import { spannerBalances } from "./spanner-balances.ts";
import { spannerLedger } from "./spanner-ledger.ts";
import { spannerStories } from "./spanner-stories.ts";

/** The ports of an open database (see `openSpanner`). */
export function spannerPayments(deps: { readonly database: Database }): PaymentsStores {
  return {
    ledger: spannerLedger(deps),
    accounts: spannerAccounts(deps),
    balances: spannerBalances(deps),
    stories: spannerStories(deps),
  };
}

/** See `spannerPayments`. */
export interface PaymentsStores {
  readonly ledger: Ledger;
  readonly accounts: Accounts;
  readonly balances: Balances;
  readonly stories: Stories;
}
