/**
 * Opens one named Firestore database over gRPC; `FIRESTORE_EMULATOR_HOST` in the environment sends it to an emulator.
 * It must never be opened per request: an entry holds one for the life of its instance.
 */
import { Firestore } from "@google-cloud/firestore";

/** Opens the database; nothing is sent before the first call. */
export function openFirestore(names: { readonly projectId: string; readonly databaseId: string }): OpenFirestore {
  // The project id is given so that the client never asks the metadata server or gcloud for one, and REST is refused
  // even when FIRESTORE_PREFER_REST is set: it loads slower and cannot reach an emulator.
  const database = new Firestore({ ...names, preferRest: false });
  return { database, close: () => database.terminate() };
}

/** A database that can be closed. */
export interface OpenFirestore {
  readonly database: Firestore;
  /** Closes all channels; without it the process does not end by itself. */
  close(): Promise<void>;
}
