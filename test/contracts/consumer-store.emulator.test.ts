// Runs the contract of consumers' stores on the real client library against Google's Firestore emulator.
// It must never reach a real project: the support file insists on the emulator.
import { firestoreConsumerStore } from "../../functions/adapters/firestore-consumer-store.ts";
import { firestoreDocuments } from "../../functions/adapters/firestore-documents.ts";
import { openEmulatedFirestore } from "../support/firestore-emulator.ts";
import { consumerStoreContract } from "./consumer-store-contract.ts";

consumerStoreContract(async () => {
  const { database, collection, close } = await openEmulatedFirestore();
  return {
    store: firestoreConsumerStore({ database, collection, deleteAfterField: "deleteAfter" }),
    collection: `${collection}-documents`,
    documents: firestoreDocuments(database),
    close,
  };
});
