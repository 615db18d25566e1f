// Runs the contract of consumers' stores on the real client library against Google's Firestore emulator.
// It must never reach a real project: the support file insists on the emulator.
import { firestoreConsumerStore } from "../../functions/adapters/firestore-consumer-store.ts";
import { openEmulatedFirestore } from "../support/firestore-emulator.ts";
import { consumerStoreContract } from "./consumer-store-contract.ts";

consumerStoreContract(async () => {
  const { database, collection, close } = await openEmulatedFirestore();
  const documents = `${collection}-documents`;
  return {
    store: firestoreConsumerStore({ database, collection, deleteAfterField: "deleteAfter" }),
    collection: documents,
    read: async (id) => {
      const fields = (await database.collection(documents).doc(id).get()).data();
      if (fields === undefined) return undefined;
      return { ...fields, bytes: new Uint8Array(fields["bytes"] as Uint8Array) };
    },
    close,
  };
});
