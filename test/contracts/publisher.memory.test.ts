// Runs the publisher's contract on the memory twin.
// It must never hold a case of its own about the port: those belong into the contract, for every kind of publisher.
import { memoryPublisher } from "../../functions/adapters/memory/publisher.ts";
import { describePublisher } from "./publisher-contract.ts";

describePublisher("memory", async () => {
  const publisher = memoryPublisher();
  let seen = 0;
  return {
    publisher,
    received: async () => {
      const fresh = publisher.messages().slice(seen);
      seen += fresh.length;
      return fresh;
    },
    close: async () => {},
  };
});
