// Runs every planned function in this process, on stores in memory, behind its own address on loopback.
// It must never give a function a port, a variable or a secret that the plan does not give it.

import { httpAcquirer } from "../functions/adapters/acquirer.ts";
import { cloudTaskQueues, type TaskCreator } from "../functions/adapters/cloud-tasks.ts";
import { memoryAccounts } from "../functions/adapters/memory/accounts.ts";
import { memoryAcquirerJournal } from "../functions/adapters/memory/acquirer-journal.ts";
import { memoryBalances } from "../functions/adapters/memory/balances.ts";
import { memoryIdempotencyCache } from "../functions/adapters/memory/idempotency-cache.ts";
import { memoryLedger } from "../functions/adapters/memory/ledger.ts";
import { memoryOperators } from "../functions/adapters/memory/operators.ts";
import { memoryOutbox } from "../functions/adapters/memory/outbox.ts";
import { memoryReconciliation } from "../functions/adapters/memory/reconciliation.ts";
import { memorySeals } from "../functions/adapters/memory/seals.ts";
import { memoryStories } from "../functions/adapters/memory/stories.ts";
import { memoryTables } from "../functions/adapters/memory/tables.ts";
import { systemRandom } from "../functions/adapters/system.ts";
import type { Tracing } from "../functions/adapters/trace-open.ts";
import { environmentNames, type FunctionName, requiredVariable } from "../functions/config.ts";
import {
  acquirerNamesIn,
  crashTourIn,
  ledgerTermsOf,
  rateLimitOf,
  settlementsIn,
} from "../functions/config-readers.ts";
import { busMessageOf } from "../functions/edge/bus-message.ts";
import { crashTour } from "../functions/edge/crash-tour.ts";
import { ledgerWriter } from "../functions/edge/ledger-writer.ts";
import { testAcquirer } from "../functions/edge/test-acquirer.ts";
import { tracedHandler } from "../functions/edge/traced-handler.ts";
import type { WireHandler } from "../functions/edge/wire.ts";
import type { AcquirerJournal } from "../functions/flows/acquirer-ports.ts";
import type { Balances } from "../functions/flows/balance-ports.ts";
import type { Outbox, Publisher } from "../functions/flows/bus-ports.ts";
import type { History } from "../functions/flows/history-ports.ts";
import type { OperatorStore } from "../functions/flows/operator-ports.ts";
import type { Accounts, Clock, IdempotencyCache, Ledger, Log, Random } from "../functions/flows/ports.ts";
import { eventOutlet } from "../functions/flows/publish-commits.ts";
import type { ReconciliationStore } from "../functions/flows/reconciliation-ports.ts";
import type { LedgerSeals } from "../functions/flows/seal-ports.ts";
import type { Stories } from "../functions/flows/story-ports.ts";
import type { Tracer } from "../functions/flows/trace-ports.ts";
import { callJob } from "./call-job.ts";
import { type ConsumerStores, consumerMakers, memoryConsumerStores } from "./consumers.ts";
import { dashboardMakers } from "./dashboard.ts";
import { openDoors } from "./doors.ts";
import { openInboxFor, publisherOf } from "./effects.ts";
import { environmentsAt } from "./environment.ts";
import type { Host } from "./host.ts";
import { type Identity, identityOf } from "./identity.ts";
import type { PlannedFunction } from "./plan.ts";
import { openPlannedRedis } from "./planned-redis.ts";
import { openPlatform, type Platform, type PlatformOptions } from "./platform.ts";
import { openSeen } from "./seen.ts";
import { memoryShopStores, type ShopStores, shopMakers } from "./shop.ts";
import { tracingOf } from "./tracing.ts";
import { watchedIdentity } from "./watched-identity.ts";
import { memoryWebhookStores, openIntentions, type WebhookStores, webhookApiIn, webhookMakers } from "./webhooks.ts";

/** Starts everything; `port` is where payments-api should be. The stores are empty ones unless a test brings its own. */
export async function startEmbedded(options: PlatformOptions & { port: number; stores?: Stores }): Promise<Host> {
  const { plan, log, port } = options;
  const platform = await openPlatform(options);
  // Addresses first: a function's environment holds the addresses of others.
  const doors = await openDoors(plan, port);
  const { addresses } = doors;
  const redis = await openPlannedRedis(plan);
  const { inbox, secrets } = await openInboxFor(plan);
  const stop = async () => {
    inbox?.close();
    await redis?.stop();
    platform.stop();
    await doors.close();
  };
  const stores = { ...(options.stores ?? memoryStores()), ...(redis && { cache: redis.cache }) };
  const given = new Map([...secrets, ...(redis?.secrets ?? [])]);
  const environments = environmentsAt(plan, addresses, given, redis?.variables);
  const seen = openSeen();
  try {
    for (const planned of plan.functions) {
      const environment = environments.get(planned.name) ?? {};
      const tracing = tracingOf({
        ...{ planned, environment, seen, log: exported(platform, planned, log) },
        clock: platform.clock,
        rights: platform.rights,
      });
      const identity = watchedIdentity(identityOf(platform.rights, planned), tracing);
      // Before anything else: in the cloud an instance starts with its secrets, or not at all.
      identity.mayMountSecrets();
      const { tracer } = tracing;
      const machine = { clock: platform.clock, random: systemRandom, log: tracing.log, tracer };
      const identityToken = (audience: string) => platform.identityToken(planned, audience);
      const take = identity.tasks(platform.tasks);
      const taskClient: TaskCreator = { createTask: async (request) => take(request) };
      const publisher = identity.publisher(platform.bus);
      const history = identity.history(platform.history);
      const made = makers[planned.name]({
        ...{ history, identity, identityToken, environment, stores, publisher, taskClient, machine, tracing },
      });
      doors.lead(planned.name, platform.front(planned, tracedHandler(tracer, made)));
    }
    platform.startCalling(addresses);
  } catch (error) {
    await stop();
    throw error;
  }
  // Everything is in this process, so nothing can be lost without it.
  return {
    ...{ ...stores, seen },
    ...{ addresses, environments, platform },
    inbox,
    history: platform.history,
    publisher: publisherOf(plan, platform),
    callJob: (path) => callJob({ plan, issuer: platform.issuer, addresses }, path),
    lost: new Promise(() => {}),
    stop,
  };
}

/** Prints a function's lines, and exports them as Logging does. */
function exported({ exportLine }: Platform, { deployedName }: PlannedFunction, log: Log): Log {
  return (severity, message, fields) => {
    log(severity, message, fields);
    exportLine(deployedName, { severity, message, ...fields });
  };
}

/** One set of stores for all functions, as in the cloud. */
export type Stores = ConsumerStores &
  ShopStores &
  WebhookStores & {
    ledger: Ledger;
    balances: Balances;
    stories: Stories;
    seals: LedgerSeals;
    reconciliation: ReconciliationStore;
    operators: OperatorStore;
    outbox: Outbox;
    accounts: Accounts;
    cache: IdempotencyCache;
    journal: AcquirerJournal;
  };

/** Empty stores in memory. */
export function memoryStores(): Stores {
  const tables = memoryTables();
  const seals = memorySeals(tables);
  return {
    ledger: memoryLedger(tables),
    balances: memoryBalances(tables),
    stories: memoryStories(tables, seals),
    seals,
    reconciliation: memoryReconciliation(tables),
    operators: memoryOperators(),
    outbox: memoryOutbox(tables),
    accounts: memoryAccounts(),
    cache: memoryIdempotencyCache(),
    journal: memoryAcquirerJournal(),
    ...memoryConsumerStores(),
    ...memoryWebhookStores(),
    ...memoryShopStores(),
  };
}

type Making = {
  /** What the archive of events and log lines answers, as far as the function may ask. */
  history: History;
  identity: Identity;
  /** A token of the function's own account. */
  identityToken: (audience: string) => string;
  /** Cloud Tasks as the function's account may use it. */
  taskClient: TaskCreator;
  environment: Record<string, string>;
  stores: Stores;
  /** The bus, as far as the function may publish. */
  publisher: Publisher;
  machine: { clock: Clock; random: Random; log: Log; tracer: Tracer };
  tracing: Tracing;
};

/** How each function is put together, as its entry does it with the real adapters. */
const makers: Readonly<Record<FunctionName, (making: Making) => WireHandler>> = {
  "payments-api": ({ identity, identityToken, environment, stores, publisher, taskClient, machine, tracing }) => {
    const ledger = identity.ledger(stores.ledger);
    return crashTour(crashTourIn(environment), {
      ...machine,
      ledger,
      balances: identity.balances(stores.balances),
      stories: identity.stories(stores.stories),
      outlet: eventOutlet({ ...machine, ledger, publisher, render: busMessageOf }),
      accounts: identity.accounts(stores.accounts),
      cache: identity.cache(stores.cache),
      ...tracing.watch({
        acquirer: openAcquirer(environment, identityToken, tracing),
        tasks: cloudTaskQueues({ ...machine, client: taskClient, ...settlementsIn(environment) })(
          requiredVariable(environment, environmentNames.settlementsTarget),
        ),
      }),
      webhooks: webhookApiIn({ identity, environment, stores, taskClient, machine, tracing }),
      rateLimit: rateLimitOf(environment),
      terms: ledgerTermsOf(environment),
    });
  },
  "ledger-writer": ({ identity, identityToken, environment, stores, publisher, taskClient, machine, tracing }) => {
    const ledger = identity.ledger(stores.ledger);
    return ledgerWriter({
      ...machine,
      ledger,
      balances: identity.balances(stores.balances),
      seals: identity.seals(stores.seals),
      reconciliation: identity.reconciliation(stores.reconciliation),
      operators: identity.operators(stores.operators),
      outbox: identity.outbox(stores.outbox),
      publisher,
      outlet: eventOutlet({ ...machine, ledger, publisher, render: busMessageOf }),
      ...tracing.watch({
        acquirer: openAcquirer(environment, identityToken, tracing),
        intentions: openIntentions({ environment, identityToken, tracing }),
        tasks: cloudTaskQueues({ ...machine, client: taskClient, ...settlementsIn(environment) }),
      }),
      callerAccount: requiredVariable(environment, environmentNames.callerAccount),
      settlementsCaller: requiredVariable(environment, environmentNames.settlementsCaller),
      terms: ledgerTermsOf(environment),
    });
  },
  "test-acquirer": ({ identity, environment, stores, machine }) =>
    testAcquirer({
      ...machine,
      journal: identity.journal(stores.journal),
      secret: requiredVariable(environment, environmentNames.acquirerSecret),
    }),
  ...consumerMakers,
  ...shopMakers,
  ...webhookMakers,
  ...dashboardMakers,
};

function openAcquirer(environment: Record<string, string>, identityToken: Making["identityToken"], tracing: Tracing) {
  const { audience, ...acquirer } = acquirerNamesIn(environment);
  return httpAcquirer({
    ...{ ...acquirer, ...tracing.onward },
    identityToken: audience === undefined ? undefined : async () => identityToken(audience),
  });
}
