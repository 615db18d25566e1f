// The stores of one bench on Google's emulators, through the adapters and clients that are deployed.
// It must never reach a real project: without an emulator's address it refuses to start.
import { Spanner } from "@google-cloud/spanner";
import { openFirestore } from "../../functions/adapters/firestore-client.ts";
import { firestoreIdempotencyCache } from "../../functions/adapters/firestore-idempotency-cache.ts";
import { memoryAcquirerJournal } from "../../functions/adapters/memory/acquirer-journal.ts";
import { spannerAccounts } from "../../functions/adapters/spanner-accounts.ts";
import { spannerBalances } from "../../functions/adapters/spanner-balances.ts";
import { openSpanner } from "../../functions/adapters/spanner-client.ts";
import { spannerLedger } from "../../functions/adapters/spanner-ledger.ts";
import { spannerStories } from "../../functions/adapters/spanner-stories.ts";
import { firestoreNames } from "../../functions/config.ts";
import { readDdl } from "../../infra/ddl.ts";
import { embeddedWebhooks, networkOver, openAccount } from "../embedded-stores.ts";

/** Opens them on an empty database of their own. */
export async function openEmulatorStores() {
  for (const name of ["SPANNER_EMULATOR_HOST", "FIRESTORE_EMULATOR_HOST"]) {
    if (!process.env[name]) throw new Error(`${name} is not set; run npm run bench -- --only requests-on-emulators.`);
  }
  const names = { projectId: "local-project", instance: `bench-${process.pid}`, database: "bench" };
  await createDatabase(names);
  const spanner = openSpanner(names, () => {});
  const firestore = openFirestore({ projectId: names.projectId, databaseId: "payments" });
  const accounts = spannerAccounts(spanner);
  const { accountId, apiKey } = await openAccount(accounts);
  return {
    names: { ...names, firestoreDatabase: "payments" },
    /** The Firestore emulator, to put documents into it. */
    documents: firestore.database,
    ledger: spannerLedger(spanner),
    balances: spannerBalances(spanner),
    stories: spannerStories(spanner),
    cache: firestoreIdempotencyCache({
      database: firestore.database,
      collection: `bench-${process.pid}-${Date.now()}`,
      deleteAfterField: firestoreNames.deleteAfter,
    }),
    accounts,
    acquirer: networkOver(memoryAcquirerJournal()),
    webhooks: embeddedWebhooks(),
    accountId,
    apiKey,
    close: async () => {
      await Promise.all([spanner.close(), firestore.close()]);
    },
  };
}

/** Through the admin clients, which open no sessions. */
async function createDatabase(names: { projectId: string; instance: string; database: string }): Promise<void> {
  const spanner = new Spanner({ projectId: names.projectId, disableBuiltInMetrics: true });
  const project = `projects/${names.projectId}`;
  const [instance] = await spanner.getInstanceAdminClient().createInstance({
    parent: project,
    instanceId: names.instance,
    instance: { config: `${project}/instanceConfigs/emulator-config`, displayName: names.instance, nodeCount: 1 },
  });
  await instance.promise();
  const [database] = await spanner.getDatabaseAdminClient().createDatabase({
    parent: `${project}/instances/${names.instance}`,
    createStatement: `CREATE DATABASE \`${names.database}\``,
    extraStatements: readDdl(),
  });
  await database.promise();
  await spanner.close();
}
