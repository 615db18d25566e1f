// A stage of real processes: the deployed bundles under functions-framework, on Google's emulators, with a store of its own.
// It must never outlive its test: whatever it started is ended by its process id.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import type { Firestore } from "@google-cloud/firestore";
import { openFirestore } from "../../../functions/adapters/firestore-client.ts";
import { spannerAccounts } from "../../../functions/adapters/spanner-accounts.ts";
import { systemClock, systemRandom } from "../../../functions/adapters/system.ts";
import { environmentNames, type FunctionName, firestoreNames } from "../../../functions/config.ts";
import { createApiKey } from "../../../functions/flows/manage-api-keys.ts";
import { bundleFunction } from "../../../scripts/build/bundle.ts";
import { type StartedBundle, startBundle } from "../../../scripts/build/start-bundle.ts";
import { type EmulatorDatabase, openEmulatorDatabase } from "../../support/emulator-database.ts";
import { type EmulatorTopic, openEmulatorTopic } from "../../support/pubsub-topic.ts";

/** A running stage. */
export type Stage = {
  readonly apiKey: string;
  readonly accountId: string;
  /** The Spanner emulator, directly: to see what was really written. */
  readonly database: EmulatorDatabase;
  /** The Firestore emulator, directly. */
  readonly firestore: Firestore;
  /** The topic on Google's Pub/Sub emulator; undefined where that is not installed, and nobody takes what is published. */
  readonly topic: EmulatorTopic | undefined;
  /** Base URL of the test acquirer's process. */
  readonly acquirerUrl: string;
  /** What its callers send; known to processes of this test alone. */
  readonly acquirerSecret: string;
  /** One more process of payments-api over the same stores; the named ones are reached through somebody else. */
  startApi(through?: Partial<Through>): Promise<StartedBundle>;
  /** The acquirer's journal of this amount: what really moved, by the word of somebody outside. */
  journalOf(amountMinor: number): Promise<readonly unknown[]>;
  close(): Promise<void>;
};

/** Where a process finds its stores (`host:port`) and its acquirer (base URL). */
type Through = { spannerHost: string; firestoreHost: string; acquirerUrl: string };

const root = path.join(import.meta.dirname, "..", "..", "..");
/** What a create+confirm runs through. */
const stagedFunctions = ["payments-api", "test-acquirer"] as const satisfies readonly FunctionName[];
const acquirerSecret = "only-for-processes-of-this-test";
/** More lines than any test here causes. */
const journalLinesMax = 1_000;

/** Builds the bundles, makes the stores and one API key, and starts the test acquirer. */
export async function openStage(): Promise<Stage> {
  const bundles = mkdtempSync(path.join(tmpdir(), "stage-"));
  const started: StartedBundle[] = [];
  const database = await openEmulatorDatabase();
  const databaseId = database.names.database;
  const topic = process.env["PUBSUB_EMULATOR_HOST"] === undefined ? undefined : await openEmulatorTopic();
  const { database: firestore, close: closeFirestore } = openFirestore({
    projectId: database.names.projectId,
    databaseId,
  });
  const close = async () => {
    for (const { kill } of started) kill();
    await Promise.all(started.map(({ stop }) => stop()));
    await Promise.all([closeFirestore(), database.close(), topic?.close()]);
    rmSync(bundles, { recursive: true, force: true });
  };
  const start = async (name: FunctionName, settings: Record<string, string>): Promise<StartedBundle> => {
    const bundle = await startBundle({ name, folder: path.join(bundles, name), environment: settings });
    started.push(bundle);
    return bundle;
  };
  const shared = {
    // The port of "discard", where nobody listens: without an emulator no publish may go anywhere else.
    ...{ PUBSUB_EMULATOR_HOST: "127.0.0.1:9", ...emulatorSettings() },
    [environmentNames.eventsTopic]: topic?.topic ?? "projects/local-project/topics/nobody",
    [environmentNames.project]: database.names.projectId,
    [environmentNames.firestoreDatabase]: databaseId,
    [environmentNames.acquirerSecret]: acquirerSecret,
  };
  try {
    await build(bundles);
    // The emulator's first answer takes seconds, and a request waits for its cache only 300 ms.
    await firestore.collection(firestoreNames.idempotencyKeys).get();
    const { secret, key } = await createApiKey(
      { accounts: spannerAccounts(database), clock: systemClock, random: systemRandom },
      "processes",
    );
    const acquirer = await start("test-acquirer", shared);
    return {
      apiKey: secret,
      accountId: key.accountId,
      database,
      firestore,
      topic,
      acquirerUrl: acquirer.baseUrl,
      acquirerSecret,
      startApi: ({ spannerHost, firestoreHost, acquirerUrl } = {}) =>
        start("payments-api", {
          ...shared,
          ...(spannerHost === undefined ? {} : { SPANNER_EMULATOR_HOST: spannerHost }),
          ...(firestoreHost === undefined ? {} : { FIRESTORE_EMULATOR_HOST: firestoreHost }),
          [environmentNames.spannerInstance]: database.names.instance,
          [environmentNames.spannerDatabase]: databaseId,
          [environmentNames.acquirerUrl]: acquirerUrl ?? acquirer.baseUrl,
          [environmentNames.endpointSecretKey]: "only-for-processes-of-this-test-too",
          [environmentNames.webhookHttpAllowed]: "true",
          [environmentNames.webhookFastQueues]: "projects/p/locations/l/queues/webhook-fast",
          [environmentNames.webhookSlowQueues]: "projects/p/locations/l/queues/webhook-slow",
          [environmentNames.webhookCaller]: "webhook-caller@p.iam.gserviceaccount.com",
          [environmentNames.webhookTarget]: "https://webhook-dispatcher.invalid",
          ...settlementSettings,
        }),
      journalOf: (amountMinor) => journalOf(acquirer.baseUrl, amountMinor),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Nothing here is settled later, so the queue is never called. */
const settlementSettings = {
  [environmentNames.settlementsQueue]: "projects/local-project/locations/l/queues/settlements",
  [environmentNames.settlementsCaller]: "tasks@local-project.iam.gserviceaccount.com",
  [environmentNames.settlementsTarget]: "https://ledger-writer.invalid",
};

/** A request under the idempotency key `key`: a create+confirm of `amountMinor` US cents, unless it says otherwise. */
export type Order = {
  readonly apiKey: string;
  readonly key: string;
  readonly amountMinor: number;
  readonly path?: string;
  readonly form?: string;
};

/** What a client got. */
export type Reply = { status: number; text: string; replayed: boolean };

/** Sends the order; rejects when the connection breaks. */
export async function pay(baseUrl: string, order: Order): Promise<Reply> {
  const create = `amount=${order.amountMinor}&currency=usd&confirm=true&payment_method=pm_card_visa`;
  const response = await fetch(`${baseUrl}${order.path ?? "/v1/payment_intents"}`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${order.apiKey}`,
      "Content-Type": "application/x-www-form-urlencoded",
      "Idempotency-Key": order.key,
    },
    body: order.form ?? create,
  });
  const replayed = response.headers.get("Idempotent-Replayed") === "true";
  return { status: response.status, text: await response.text(), replayed };
}

/** Rows of this amount in the tables of money, and lines in the acquirer's journal. */
export async function effectsOf(stage: Stage, amountMinor: number) {
  const isOurs = (row: { amountMinor: bigint }) => row.amountMinor === BigInt(amountMinor);
  const charges = (await stage.database.rows("charges")).filter(isOurs);
  const booked = await stage.database.rows("ledger_transactions");
  return {
    intents: (await stage.database.rows("payment_intents")).filter(isOurs).length,
    charges: charges.length,
    bookings: booked.filter(({ sourceId }) => charges.some(({ id }) => id === sourceId)).length,
    authorizations: (await stage.journalOf(amountMinor)).length,
  };
}

/** A folder of this stage, not dist/: other builds may run beside this test. */
async function build(folder: string): Promise<void> {
  const lockfile = JSON.parse(readFileSync(path.join(root, "package-lock.json"), "utf8"));
  const bundles = stagedFunctions.map((name) =>
    bundleFunction({
      name,
      entry: path.join(root, "functions", `${name}.ts`),
      out: path.join(folder, name),
      lockfile,
    }),
  );
  await Promise.all(bundles);
}

async function journalOf(acquirerUrl: string, amountMinor: number): Promise<readonly unknown[]> {
  const response = await fetch(`${acquirerUrl}/journal?limit=${journalLinesMax}`, {
    headers: { Authorization: `Bearer ${acquirerSecret}` },
  });
  const { data } = (await response.json()) as { data: { amount_minor: string }[] };
  return data.filter((line) => line.amount_minor === String(amountMinor));
}

/** What makes Google's clients use the emulators, from this process's own environment. */
function emulatorSettings(): Record<string, string> {
  const isForClients = (name: string) => /EMULATOR_HOST$|^GOOGLE_CLOUD_|^METADATA_/.test(name);
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => isForClients(name))) as Record<
    string,
    string
  >;
}
