// Everything that outlives a process: the memory stores, the acquirer behind them, the mail server.
// It must never fail or wait by itself: faults are between a process and these.
import { memoryAccounts } from "../../functions/adapters/memory/accounts.ts";
import { memoryAcquirerJournal } from "../../functions/adapters/memory/acquirer-journal.ts";
import { memoryBalances } from "../../functions/adapters/memory/balances.ts";
import { memoryConsumerStore } from "../../functions/adapters/memory/consumer-store.ts";
import { memoryDeadLetters } from "../../functions/adapters/memory/dead-letters.ts";
import { memoryDeliveries, memoryEndpointHealth } from "../../functions/adapters/memory/deliveries.ts";
import { memoryDocuments } from "../../functions/adapters/memory/documents.ts";
import { memoryIdempotencyCache } from "../../functions/adapters/memory/idempotency-cache.ts";
import { memoryLedger } from "../../functions/adapters/memory/ledger.ts";
import { memoryObservations } from "../../functions/adapters/memory/observations.ts";
import { memoryOperators } from "../../functions/adapters/memory/operators.ts";
import { memoryOutbox } from "../../functions/adapters/memory/outbox.ts";
import { memoryReconciliation } from "../../functions/adapters/memory/reconciliation.ts";
import { memorySeals } from "../../functions/adapters/memory/seals.ts";
import { memoryStories } from "../../functions/adapters/memory/stories.ts";
import { memoryTables } from "../../functions/adapters/memory/tables.ts";
import { memoryTaskQueues } from "../../functions/adapters/memory/task-queues.ts";
import { memoryWebhookEndpoints } from "../../functions/adapters/memory/webhook-endpoints.ts";
import { aesSecretBox } from "../../functions/adapters/secret-box.ts";
import type { Mail } from "../../functions/domain/receipt.ts";
import { networkOver } from "../../functions/edge/test-network.ts";
import type { Mailer } from "../../functions/flows/mail-ports.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** The stores of one simulation. */
export type Stores = ReturnType<typeof openStores>;

/** Empty ones. */
export function openStores(time: Parameters<typeof outsideClock>[0]) {
  const tables = memoryTables();
  const documents = memoryDocuments();
  const journal = memoryAcquirerJournal();
  /** What the mail server took, in order, copies too. */
  const mails: Mail[] = [];
  const mailer: Mailer = {
    send: async (mail) => {
      mails.push(structuredClone(mail));
      return "handed_over";
    },
  };
  const clock = outsideClock(time);
  const seals = memorySeals(tables);
  return {
    tables,
    documents,
    journal,
    mails,
    mailer,
    ledger: memoryLedger(tables),
    balances: memoryBalances(tables),
    seals,
    stories: memoryStories(tables, seals),
    outbox: memoryOutbox(tables),
    reconciliation: memoryReconciliation(tables),
    operators: memoryOperators(),
    accounts: memoryAccounts(),
    cache: memoryIdempotencyCache(),
    endpoints: memoryWebhookEndpoints(),
    deliveries: memoryDeliveries(),
    health: memoryEndpointHealth(),
    consumers: memoryConsumerStore(documents),
    observations: memoryObservations(),
    deadLetters: memoryDeadLetters(),
    tasks: memoryTaskQueues({ clock }),
    acquirer: networkOver({ journal, clock, log: () => {} }),
    box: aesSecretBox("a key for simulations which is not a secret at all"),
  };
}

/** The clock of whoever is outside: a call that sleeps there lets all others go on. */
export function outsideClock(time: Pick<VirtualTime, "now" | "at" | "suspended" | "resumed">) {
  return {
    now: () => time.now(),
    after: (milliseconds: number, callback: () => void) => time.at(time.now() + milliseconds, callback),
    sleep: (milliseconds: number) => {
      time.suspended();
      return new Promise<void>((resolve) => {
        time.at(time.now() + milliseconds, () => {
          time.resumed();
          resolve();
        });
      });
    },
  };
}
