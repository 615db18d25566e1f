// How scripts reach the stores of the project: through the laptop that runs on this machine, or in a deployed stage.
// It must never load a cloud client for the laptop, nor fall back from one place to the other.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { OpenSpanner } from "../functions/adapters/spanner-client.ts";
import { firestoreNames } from "../functions/config.ts";
import { isPlaceholder, named, readSettings, type Settings, storeNames } from "../infra/settings.ts";
import { withStageFile } from "../infra/stage-file.ts";

/**
 * A way to ask the laptop that `npm start` runs; it says in a file of this user where it listens.
 * @throws Error for people when none is running
 */
export function laptopCall(environment: NodeJS.ProcessEnv): <Answer>(path: string, request: object) => Promise<Answer> {
  const folder = environment["LAPTOP_FOLDER"] ?? join(import.meta.dirname, "..", ".laptop");
  const control = readControl(join(folder, "control.json"));
  return async <Answer>(path: string, request: object) => {
    const response = await fetch(`${control.url}${path}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${control.token}` },
      body: JSON.stringify(request),
    }).catch(() => {
      throw new Error(NOT_RUNNING);
    });
    if (!response.ok) throw new Error(`the laptop answered with status ${response.status}`);
    return (await response.json()) as Answer;
  };
}

/**
 * The ledger's database of a deployed stage, with the application-default credentials of this user.
 * @throws Error for people when no project is named
 */
export async function openStageLedger(environment: NodeJS.ProcessEnv): Promise<OpenSpanner> {
  const settings = stageSettings(environment);
  const { openSpanner } = await import("../functions/adapters/spanner-client.ts");
  const { spannerInstance: instance, spannerDatabase: database } = storeNames(settings);
  return openSpanner({ projectId: settings.projectId, instance, database }, () => {});
}

/**
 * The dead letters of a deployed stage and its topic of events; `kept` is the subscription that holds a copy of each letter.
 * @throws Error for people when no project is named
 */
export async function openStageBus(environment: NodeJS.ProcessEnv) {
  const settings = stageSettings(environment);
  const { projectId } = settings;
  const [{ openFirestore }, { firestoreDeadLetters }, { openPubsub }] = await Promise.all([
    import("../functions/adapters/firestore-client.ts"),
    import("../functions/adapters/firestore-dead-letters.ts"),
    import("../functions/adapters/pubsub.ts"),
  ]);
  const firestore = openFirestore({ projectId, databaseId: storeNames(settings).firestoreDatabase });
  const publisher = openPubsub({
    projectId,
    topic: `projects/${projectId}/topics/${named(settings, "payment-events")}`,
  });
  const { deadLetters: letters, redrives, deleteAfter } = firestoreNames;
  return {
    deadLetters: firestoreDeadLetters({
      database: firestore.database,
      letters,
      redrives,
      deleteAfterField: deleteAfter,
    }),
    publisher,
    kept: named(settings, "payment-events-dead-kept"),
    close: async () => void (await Promise.all([firestore.close(), publisher.close()])),
  };
}

/**
 * Where keys are known in a deployed stage: the ledger, the cache, the deliveries and the history.
 * @throws Error for people when no project is named
 */
export async function openStageKeys(environment: NodeJS.ProcessEnv) {
  const settings = stageSettings(environment);
  const { projectId, idempotencyCache, region: location } = settings;
  const [ledger, { spannerPayments }, { openFirestore }, { firestoreDeliveries }, { firestoreIdempotencyCache }] =
    await Promise.all([
      openStageLedger(environment),
      import("../functions/adapters/spanner-payments.ts"),
      import("../functions/adapters/firestore-client.ts"),
      import("../functions/adapters/firestore-deliveries.ts"),
      import("../functions/adapters/firestore-idempotency-cache.ts"),
    ]);
  const { firestoreDatabase: databaseId, historyDataset: dataset } = storeNames(settings);
  const { bigqueryHistory } = await import("../functions/adapters/bigquery-history.ts");
  const { database, close } = openFirestore({ projectId, databaseId });
  const { idempotencyKeys: collection, deleteAfter: deleteAfterField } = firestoreNames;
  return {
    projectId,
    ...spannerPayments(ledger),
    // Memorystore has no address outside its network.
    cache:
      idempotencyCache === "firestore" ? firestoreIdempotencyCache({ database, collection, deleteAfterField }) : null,
    deliveries: firestoreDeliveries({ database, names: firestoreNames }),
    history: bigqueryHistory({ projectId, dataset, location }),
    close: async () => void (await Promise.all([ledger.close(), close()])),
  };
}

function stageSettings(environment: NodeJS.ProcessEnv): Settings {
  const settings = readSettings(withStageFile(environment), null);
  if (!isPlaceholder(settings)) return settings;
  throw new Error("--stage needs PROJECT_ID, the project of the stage, or the file that npm run bootstrap writes");
}

const NOT_RUNNING = "no laptop is running here: `npm start` first, or --stage for a deployed stage";

function readControl(file: string): { url: string; token: string } {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as { url: string; token: string };
  } catch {
    throw new Error(NOT_RUNNING);
  }
}
