// Collections of Firestore's emulator with many keys in each, for the growth of latencies.
// It must never reach a real project: without the emulator's address it refuses to start.
import { openFirestore } from "../../functions/adapters/firestore-client.ts";
import { firestoreIdempotencyCache } from "../../functions/adapters/firestore-idempotency-cache.ts";
import { firestoreNames } from "../../functions/config.ts";
import type { CacheRecord, IdempotencyCache } from "../../functions/flows/ports.ts";

/** A document of the emulator takes a millisecond or two of a quiet machine; what is not loaded by then is left out. */
const loadMsMax = 60_000;
/** Writes on their way at once. */
const atOnce = 100;

/** Fills a collection for each size through the deployed adapter; one that takes too long is left out, and that is said. */
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
    const isLate = () => performance.now() - began > loadMsMax;
    const loader = async () => {
      while (next < keys && !isLate()) {
        const { keyHash, record } = stored(next);
        next += 1;
        await cache.claim(keyHash, record);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, loader));
    if (next === keys) filled.push({ keys, cache });
    else say(`LEFT OUT: ${keys} keys; ${next} were loaded in ${loadMsMax / 1_000} s, this machine is too busy`);
  }
  return { filled, close: () => firestore.close() };
}
