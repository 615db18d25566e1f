// Runs every planned function in this process, on stores in memory, behind its own address on loopback.
// It must never give a function a port, a variable or a secret that the plan does not give it.

import type { Server } from "node:http";
import { httpAcquirer } from "../functions/adapters/acquirer.ts";
import { memoryAccounts } from "../functions/adapters/memory/accounts.ts";
import { memoryAcquirerJournal } from "../functions/adapters/memory/acquirer-journal.ts";
import { memoryIdempotencyCache } from "../functions/adapters/memory/idempotency-cache.ts";
import { memoryLedger } from "../functions/adapters/memory/ledger.ts";
import { systemClock, systemRandom } from "../functions/adapters/system.ts";
import { environmentNames, type FunctionName, requiredVariable } from "../functions/config.ts";
import { createFrontDoorServer } from "../functions/edge/install-front-door.ts";
import { ledgerWriter } from "../functions/edge/ledger-writer.ts";
import { paymentsApi } from "../functions/edge/payments-api.ts";
import { testAcquirer } from "../functions/edge/test-acquirer.ts";
import type { WireHandler } from "../functions/edge/wire.ts";
import type { Log } from "../functions/flows/ports.ts";
import { environmentsAt } from "./environment.ts";
import type { Host } from "./host.ts";
import { identityOf } from "./identity.ts";
import { invokerGate } from "./invoker-gate.ts";
import { listenFrom } from "./listen.ts";
import type { Plan, PlannedFunction } from "./plan.ts";

/** Starts everything; `port` is where payments-api should be. `onRefusal` hears of rights that the plan does not give. */
export async function startEmbedded(options: {
  plan: Plan;
  port: number;
  log: Log;
  onRefusal: (message: string) => void;
}): Promise<Host> {
  const { plan } = options;
  const handlers = new Map<FunctionName, WireHandler>();
  const servers = new Map<FunctionName, Server>();
  const addresses = new Map<FunctionName, string>();
  const stop = async () => {
    await Promise.all([...servers.values()].map(close));
  };
  // Addresses first: a function's environment holds the addresses of others.
  for (const { name } of plan.functions) {
    const server = createFrontDoorServer(async (request) => await (handlers.get(name) ?? notYet)(request));
    servers.set(name, server);
    addresses.set(
      name,
      `http://127.0.0.1:${await listenFrom(server, name === "payments-api" ? options.port : undefined)}`,
    );
  }
  const stores = memoryStores();
  const environments = environmentsAt(plan, addresses);
  try {
    for (const planned of plan.functions) {
      const environment = environments.get(planned.name) ?? {};
      const made = makers[planned.name]({ planned, environment, stores, ...options });
      handlers.set(planned.name, invokerGate(plan, planned, made));
    }
  } catch (error) {
    await stop();
    throw error;
  }
  // Everything is in this process, so nothing can be lost without it.
  return { addresses, accounts: stores.accounts, lost: new Promise(() => {}), stop };
}

/** One set of stores for all functions, as in the cloud. */
function memoryStores() {
  return {
    ledger: memoryLedger(),
    accounts: memoryAccounts(),
    cache: memoryIdempotencyCache(),
    journal: memoryAcquirerJournal(),
  };
}

type Making = {
  plan: Plan;
  log: Log;
  planned: PlannedFunction;
  environment: Record<string, string>;
  stores: ReturnType<typeof memoryStores>;
  onRefusal: (message: string) => void;
};

const machine = { clock: systemClock, random: systemRandom };

/** How each function is put together, as its entry does it with the real adapters. */
const makers: Readonly<Record<FunctionName, (making: Making) => WireHandler>> = {
  "payments-api": ({ plan, planned, environment, stores, log, onRefusal }) => {
    const identity = identityOf(plan, planned, onRefusal);
    identity.mayMountSecrets();
    const acquirer = httpAcquirer({
      baseUrl: requiredVariable(environment, environmentNames.acquirerUrl),
      secret: requiredVariable(environment, environmentNames.acquirerSecret),
    });
    const ledger = identity.ledger(stores.ledger);
    const accounts = identity.accounts(stores.accounts);
    return paymentsApi({ ...machine, log, ledger, accounts, cache: identity.cache(stores.cache), acquirer });
  },
  "ledger-writer": ({ plan, planned, environment, stores, log, onRefusal }) => {
    const identity = identityOf(plan, planned, onRefusal);
    identity.mayMountSecrets();
    const acquirer = httpAcquirer({
      baseUrl: requiredVariable(environment, environmentNames.acquirerUrl),
      secret: requiredVariable(environment, environmentNames.acquirerSecret),
    });
    const callerAccount = requiredVariable(environment, environmentNames.callerAccount);
    return ledgerWriter({ ...machine, log, ledger: identity.ledger(stores.ledger), acquirer, callerAccount });
  },
  "test-acquirer": ({ plan, planned, environment, stores, log, onRefusal }) => {
    const identity = identityOf(plan, planned, onRefusal);
    identity.mayMountSecrets();
    const secret = requiredVariable(environment, environmentNames.acquirerSecret);
    return testAcquirer({ ...machine, log, journal: identity.journal(stores.journal), secret });
  },
};

const notYet: WireHandler = async () => {
  throw new Error("a request came before the functions were put together");
};

/** Ends a server with its connections: nothing here outlives the process anyway. */
async function close(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
