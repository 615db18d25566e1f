// Runs the contract of consumers' stores on the memory twin.
// It must never need anything but this process.
import { memoryConsumerStore } from "../../functions/adapters/memory/consumer-store.ts";
import { memoryDocuments } from "../../functions/adapters/memory/documents.ts";
import { consumerStoreContract } from "./consumer-store-contract.ts";

consumerStoreContract(async () => {
  const documents = memoryDocuments();
  return {
    store: memoryConsumerStore(documents),
    collection: "effects",
    documents,
    close: async () => {},
  };
});
