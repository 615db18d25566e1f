// Puts spans around every port that a function's identity hands out, as its entry does with the real adapters.
// It must never give a port that the identity did not guard.

import type { Tracing } from "../functions/adapters/trace-open.ts";
import type { Identity } from "./identity.ts";

/** The same rights, with each port watched. */
export function watchedIdentity(identity: Identity, tracing: Tracing): Identity {
  const ways = Object.entries(identity).map(([way, open]) => {
    const port = ports[way];
    if (port === undefined) return [way, open];
    const watching = (store: never) => tracing.watch({ [port]: (open as (store: never) => object)(store) })[port];
    return [way, watching];
  });
  return Object.fromEntries(ways) as Identity;
}

/** Ways that give a port, and the name by which the flows know it (`Tracing.watch`). */
const ports: Readonly<Record<string, string>> = {
  ledger: "ledger",
  cache: "cache",
  publisher: "publisher",
  accounts: "accounts",
  balances: "balances",
  stories: "stories",
  seals: "seals",
  reconciliation: "reconciliation",
  operators: "operators",
  outbox: "outbox",
  journal: "journal",
  consumers: "store",
  mailbox: "mailer",
  observations: "observations",
  webhookEndpoints: "endpoints",
  deadLetters: "deadLetters",
  shopOrders: "orders",
  shopEndpoints: "endpoints",
  seenEvents: "seen",
};
