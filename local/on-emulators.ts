// Runs every planned function from its bundle, each in a process of its own, on Google's emulators.
// It must never reach a real project: every client gets an emulator's address, and no credentials of this user.

import type { Firestore } from "@google-cloud/firestore";
import { openFirestore } from "../functions/adapters/firestore-client.ts";
import { firestoreDeadLetters } from "../functions/adapters/firestore-dead-letters.ts";
import { firestoreDeliveries } from "../functions/adapters/firestore-deliveries.ts";
import { firestoreDocuments } from "../functions/adapters/firestore-documents.ts";
import { firestoreIdempotencyCache } from "../functions/adapters/firestore-idempotency-cache.ts";
import { spannerAccounts } from "../functions/adapters/spanner-accounts.ts";
import { spannerBalances } from "../functions/adapters/spanner-balances.ts";
import { openSpanner } from "../functions/adapters/spanner-client.ts";
import { spannerLedger } from "../functions/adapters/spanner-ledger.ts";
import { spannerOperators } from "../functions/adapters/spanner-operators.ts";
import { spannerReconciliation } from "../functions/adapters/spanner-reconciliation.ts";
import { spannerSeals } from "../functions/adapters/spanner-seals.ts";
import { spannerStories } from "../functions/adapters/spanner-stories.ts";
import { environmentNames, firestoreNames } from "../functions/config.ts";
import type { IdempotencyCache } from "../functions/flows/ports.ts";
import { buildBundles } from "./bundles.ts";
import { callJob } from "./call-job.ts";
import { openCollector } from "./collector.ts";
import { type Doors, openDoors } from "./doors.ts";
import { openInboxFor, publisherOf } from "./effects.ts";
import { createDatabase } from "./emulated-database.ts";
import { type RunningEmulators, startEmulators } from "./emulators.ts";
import { environmentsAt } from "./environment.ts";
import { describeMissing, findEmulators } from "./find-emulators.ts";
import { forwardTo } from "./forward.ts";
import { type FunctionProcess, startFunction } from "./function-process.ts";
import type { Host } from "./host.ts";
import { identityOf } from "./identity.ts";
import { freePortFrom } from "./listen.ts";
import type { LogLine } from "./log-export.ts";
import { openMetadataEndpoint } from "./metadata-endpoint.ts";
import { documentsOf, type Plan, plannedFunction } from "./plan.ts";
import { openPlannedRedis } from "./planned-redis.ts";
import { openPlatform, type Platform, type PlatformOptions } from "./platform.ts";
import { openPublishEndpoint } from "./publish-endpoint.ts";
import { openQueryEndpoint } from "./query-endpoint.ts";
import { openSeen, type Seen } from "./seen.ts";
import { synthesize } from "./synthesize.ts";
import { openTaskEndpoint } from "./task-endpoint.ts";

/** Starts everything; `port` is where payments-api should be, and `inspect` opens its process to a debugger. */
export async function startOnEmulators(options: Options): Promise<Host> {
  const search = await findEmulators();
  const missing = describeMissing(search);
  if (missing !== "") throw new Error(`--emulators needs Google's emulators; ${missing}`);
  const [plan, emulators] = await Promise.all([
    synthesize({ IDEMPOTENCY_CACHE: options.cache }),
    startEmulators({ search }),
    buildBundles(),
  ]);
  const platform = await openPlatform({ plan, ...options });
  const doors = await openDoors(plan, options.port);
  const processes: FunctionProcess[] = [];
  const endpoints: { close(): void }[] = [];
  const redis = await openPlannedRedis(plan);
  const { inbox, secrets } = await openInboxFor(plan);
  const seen = openSeen();
  const stop = async () => {
    inbox?.close();
    platform.stop();
    await Promise.all([doors.close(), ...processes.map((running) => running.stop())]);
    // Last: a function that ends publishes what it works on.
    for (const endpoint of endpoints) endpoint.close();
    await Promise.all([emulators.stop(), redis?.stop()]);
  };
  try {
    // The client of this process, for keys and verifying, has to find the emulator too.
    Object.assign(process.env, emulators.environment);
    await createDatabase(plan.ledger);
    const { projectId, instance, database } = plan.ledger;
    const spanner = openSpanner({ projectId, instance, database }, options.log);
    const firestore = openFirestore({ projectId, databaseId: storesOf(plan) });
    const given = new Map([...secrets, ...(redis?.secrets ?? [])]);
    const environments = environmentsAt(plan, doors.addresses, given, redis?.variables);
    const inspect = options.inspect;
    const starting = { plan, emulators, environments, doors, platform, processes, endpoints, inspect, seen };
    await Promise.all([startFunctions(starting), wakeFirestore(plan, emulators)]);
    platform.startCalling(doors.addresses);
    return {
      ...{ addresses: doors.addresses, environments, platform },
      accounts: spannerAccounts(spanner),
      ledger: spannerLedger(spanner),
      balances: spannerBalances(spanner),
      stories: spannerStories(spanner),
      cache: redis?.cache ?? cacheIn(firestore.database),
      deliveries: firestoreDeliveries({ database: firestore.database, names: firestoreNames }),
      seals: spannerSeals(spanner),
      reconciliation: spannerReconciliation(spanner),
      operators: spannerOperators(spanner),
      deadLetters: firestoreDeadLetters({
        database: firestore.database,
        letters: firestoreNames.deadLetters,
        redrives: firestoreNames.redrives,
        deleteAfterField: firestoreNames.deleteAfter,
      }),
      documents: firestoreDocuments(firestore.database),
      ...{ inbox, seen },
      history: platform.history,
      publisher: publisherOf(plan, platform),
      callJob: (path) => callJob({ plan, issuer: platform.issuer, addresses: doors.addresses }, path),
      lost: Promise.race(processes.map((running) => running.ended)),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function cacheIn(database: Firestore): IdempotencyCache {
  const { idempotencyKeys: collection, deleteAfter: deleteAfterField } = firestoreNames;
  return firestoreIdempotencyCache({ database, collection, deleteAfterField });
}

/** Id of the Firestore database of the plan. */
function storesOf(plan: Plan): string {
  return plannedFunction(plan, "payments-api").environment[environmentNames.firestoreDatabase] ?? "";
}

type Options = Omit<PlatformOptions, "plan" | "clock"> & { port: number; inspect: boolean; cache: string };

/** Asks for a document that is not there: the emulator's first answer takes seconds, and a request waits only 300 ms. */
async function wakeFirestore(plan: Plan, { firestoreHost }: RunningEmulators): Promise<void> {
  for (const planned of plan.functions) {
    const response = await fetch(`http://${firestoreHost}/v1/${documentsOf(planned)}/documents/wake/up`);
    await response.body?.cancel();
  }
}

/**
 * Starts each function on a port of its own behind its door, with addresses of its own at the bus and the queues, because
 * that is how one knows who publishes and enqueues; waits until all answer, and fills `processes` and `endpoints` as it goes.
 */
async function startFunctions(starting: {
  plan: Plan;
  emulators: RunningEmulators;
  environments: Host["environments"];
  doors: Doors;
  platform: Platform;
  processes: FunctionProcess[];
  endpoints: { close(): void }[];
  inspect: boolean;
  seen: Seen;
}): Promise<void> {
  const { plan, emulators, environments, doors, platform, processes, endpoints, inspect, seen } = starting;
  const collector = await openCollector(seen.span);
  endpoints.push(collector);
  for (const planned of plan.functions) {
    const { name } = planned;
    const port = await freePortFrom(undefined);
    const identity = identityOf(platform.rights, planned);
    const bus = await openPublishEndpoint(identity.publish(platform.bus));
    const tasks = await openTaskEndpoint(identity.tasks(platform.tasks));
    const history = await openQueryEndpoint(identity.ask(platform.askHistory));
    const metadata = await openMetadataEndpoint((audience) => platform.identityToken(planned, audience));
    endpoints.push(bus, tasks, history, metadata);
    const hosts = {
      PUBSUB_EMULATOR_HOST: bus.host,
      CLOUD_TASKS_EMULATOR_HOST: tasks.host,
      BIGQUERY_EMULATOR_HOST: history.url,
      [environmentNames.traceCollectorUrl]: collector.url,
      [environmentNames.metadataUrl]: metadata.url,
    };
    const environment = { ...environments.get(name), ...emulators.environment, ...hosts };
    const onLine = (line: LogLine) => {
      seen.line(line);
      platform.exportLine(planned.deployedName, line);
    };
    processes.push(startFunction({ name, port, inspect: inspect && name === "payments-api", environment, onLine }));
    doors.lead(name, platform.front(planned, forwardTo(port)));
  }
  await Promise.all(processes.map((running) => running.ready));
}
