/**
 * Opens one named Firestore database over gRPC; `FIRESTORE_EMULATOR_HOST` in the environment sends it to an emulator.
 * It must never be opened per request: an entry holds one for the life of its instance.
 */
import { setTimeout as waitMs } from "node:timers/promises";
import { Firestore } from "@google-cloud/firestore";

/** Opens the database; nothing is sent before the first call. */
export function openFirestore(names: { readonly projectId: string; readonly databaseId: string }): OpenFirestore {
  // The project id is given so that the client never asks the metadata server or gcloud for one, and REST is refused
  // even when FIRESTORE_PREFER_REST is set: it loads slower and cannot reach an emulator.
  const database = new Firestore({ ...names, preferRest: false });
  return { database, close: () => Promise.race([database.terminate(), waitMs(closeMsMax, undefined, { ref: false })]) };
}

/**
 * 1 s: the client closes only when its last call has ended, and one that nobody waits for any more may hang for a minute,
 * longer than a function has after SIGTERM.
 */
const closeMsMax = 1_000;

/** A database that can be closed. */
export interface OpenFirestore {
  readonly database: Firestore;
  /** Closes all channels, in `closeMsMax` at the latest; without it the process does not end by itself. */
  close(): Promise<void>;
}
