// Collections of Firestore's emulator with many keys in each, for the growth of latencies.
// It must never reach a real project: without the emulator's address it refuses to start.
import { fieldsOf } from "../../functions/adapters/firestore-claim-fields.ts";
import { openFirestore } from "../../functions/adapters/firestore-client.ts";
import { firestoreIdempotencyCache } from "../../functions/adapters/firestore-idempotency-cache.ts";
import { firestoreNames } from "../../functions/config.ts";
import type { CacheRecord, IdempotencyCache } from "../../functions/flows/ports.ts";

/** What is not loaded by then is left out. */
const loadMsMax = 90_000;
/** Documents of one commit: Firestore itself takes 500 at most. */
const batchSize = 500;

/**
 * Fills a collection for each size with the documents of the deployed adapter, in bulk; one that takes too long is left
 * out, and that is said.
 */
export async function fillFirestore(
  say: (line: string) => void,
  sizes: readonly number[],
  stored: (index: number) => { readonly keyHash: string; readonly record: CacheRecord },
) {
  if (!process.env["FIRESTORE_EMULATOR_HOST"]) throw new Error("FIRESTORE_EMULATOR_HOST is not set");
  const firestore = openFirestore({ projectId: "local-project", databaseId: "payments" });
  const filled: { keys: number; cache: IdempotencyCache }[] = [];
  const began = performance.now();
  for (const keys of sizes) {
    const collection = `growth-${process.pid}-${keys}`;
    const { database } = firestore;
    const cache = firestoreIdempotencyCache({ database, collection, deleteAfterField: firestoreNames.deleteAfter });
    let next = 0;
    while (next < keys && performance.now() - began < loadMsMax) {
      const batch = database.batch();
      for (const end = Math.min(keys, next + batchSize); next < end; next += 1) {
        const { keyHash, record } = stored(next);
        batch.create(database.collection(collection).doc(keyHash), await fieldsOf(record, firestoreNames.deleteAfter));
      }
      await batch.commit();
    }
    if (next === keys) filled.push({ keys, cache });
    else say(`LEFT OUT: ${keys} keys; ${next} were loaded in ${loadMsMax / 1_000} s, this machine is too busy`);
  }
  return { filled, close: () => firestore.close() };
}
