// The stores of one payments API in this process's memory, with an account, its key and a card network behind them.
// It must never be shared by two demonstrations: whoever counts rows counts those of one run.
import { randomBytes } from "node:crypto";
import { memoryAccounts } from "../functions/adapters/memory/accounts.ts";
import { memoryAcquirerJournal } from "../functions/adapters/memory/acquirer-journal.ts";
import { memoryBalances } from "../functions/adapters/memory/balances.ts";
import { memoryDeliveries } from "../functions/adapters/memory/deliveries.ts";
import { memoryIdempotencyCache } from "../functions/adapters/memory/idempotency-cache.ts";
import { memoryLedger } from "../functions/adapters/memory/ledger.ts";
import { memoryStories } from "../functions/adapters/memory/stories.ts";
import { memoryTables } from "../functions/adapters/memory/tables.ts";
import { memoryTaskQueues } from "../functions/adapters/memory/task-queues.ts";
import { memoryWebhookEndpoints } from "../functions/adapters/memory/webhook-endpoints.ts";
import { aesSecretBox } from "../functions/adapters/secret-box.ts";
import { systemClock, systemRandom } from "../functions/adapters/system.ts";
import { apiKeyDigest } from "../functions/domain/accounts.ts";
import { strictUrls } from "../functions/domain/webhook-url.ts";
import type { WebhookApiPorts } from "../functions/edge/endpoint.ts";
import { networkOver as testNetwork } from "../functions/edge/test-network.ts";
import type { Acquirer, AcquirerJournal } from "../functions/flows/acquirer-ports.ts";
import type { Accounts } from "../functions/flows/ports.ts";

/** Empty stores, except for one account with one API key. */
export async function openEmbeddedStores() {
  const accounts = memoryAccounts();
  const journal = memoryAcquirerJournal();
  const { accountId, apiKey } = await openAccount(accounts);
  const acquirer = networkOver(journal);
  const tables = memoryTables();
  const [ledger, balances] = [memoryLedger(tables), memoryBalances(tables)];
  const stories = memoryStories(tables);
  const stores = { ledger, balances, stories, cache: memoryIdempotencyCache(), accounts, journal };
  return { ...stores, acquirer, webhooks: embeddedWebhooks(), accountId, apiKey };
}

/** No webhook endpoints, under a key of their own. */
export function embeddedWebhooks(): WebhookApiPorts {
  const box = aesSecretBox(randomBytes(32).toString("hex"));
  const stores = { endpoints: memoryWebhookEndpoints(), deliveries: memoryDeliveries() };
  return { ...stores, tasks: memoryTaskQueues({ clock: systemClock }), box, urlRules: strictUrls };
}

/** The stores of one run. */
export type EmbeddedStores = Awaited<ReturnType<typeof openEmbeddedStores>>;

/** Makes an account with a fresh key. */
export async function openAccount(accounts: Accounts): Promise<{ accountId: string; apiKey: string }> {
  const apiKey = systemRandom.id("sk_test");
  const createdAtMs = systemClock.now();
  const account = await accounts.ensureAccount({ id: systemRandom.id("acct"), name: "shop", createdAtMs });
  const digest = apiKeyDigest(apiKey);
  await accounts.addKey({ digest, accountId: account.id, lastFour: apiKey.slice(-4), createdAtMs, revokedAtMs: null });
  return { accountId: account.id, apiKey };
}

/** The test acquirer without HTTP in between; each answer takes `answerMs`, as a card network's does. */
export function networkOver(journal: AcquirerJournal, answerMs = 0): Acquirer {
  const network = testNetwork({ journal, clock: systemClock, log: () => {} });
  return {
    ...network,
    authorize: async (order) => {
      const result = await network.authorize(order);
      if (answerMs > 0) await systemClock.sleep(answerMs);
      return result;
    },
  };
}
