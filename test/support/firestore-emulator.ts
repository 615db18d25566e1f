// Firestore's emulator for one suite: a client through the fault proxy, and a collection of its own.
// It must never fall back to anything else when the emulator is absent.
import { randomUUID } from "node:crypto";
import type { Firestore } from "@google-cloud/firestore";
import { openFirestore } from "../../functions/adapters/firestore-client.ts";
import { type GrpcProxy, startGrpcProxy } from "./grpc-proxy.ts";

/** The emulator as a suite uses it. */
export type EmulatedFirestore = {
  readonly database: Firestore;
  readonly collection: string;
  readonly proxy: GrpcProxy;
  /** Deletes every document of the collection. */
  wipe(): Promise<void>;
  close(): Promise<void>;
};

/** Opens a named database of the emulator that FIRESTORE_EMULATOR_HOST names. */
export async function openEmulatedFirestore(): Promise<EmulatedFirestore> {
  const emulator = process.env["FIRESTORE_EMULATOR_HOST"];
  if (emulator === undefined) throw new Error("FIRESTORE_EMULATOR_HOST is not set; run npm run test:emulators.");
  const proxy = await startGrpcProxy({ target: emulator });
  // The client reads the variable once, when it is made.
  process.env["FIRESTORE_EMULATOR_HOST"] = proxy.host;
  const { database, close } = openFirestore({ projectId: "local-project", databaseId: "payments" });
  process.env["FIRESTORE_EMULATOR_HOST"] = emulator;
  const collection = `suite-${randomUUID()}`;
  return {
    database,
    collection,
    proxy,
    wipe: async () => {
      const { docs } = await database.collection(collection).get();
      await Promise.all(docs.map(({ ref }) => ref.delete()));
    },
    close: async () => {
      await close();
      await proxy.close();
    },
  };
}
