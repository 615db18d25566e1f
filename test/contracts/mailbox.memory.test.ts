// Runs the mailbox's contract on the memory twin.
// It must never need anything but this process.
import { memoryDocuments } from "../../functions/adapters/memory/documents.ts";
import { memoryMailbox } from "../../functions/adapters/memory/mailbox.ts";
import { mailboxContract } from "./mailbox-contract.ts";

mailboxContract(async () => {
  const documents = memoryDocuments();
  return { mailbox: memoryMailbox(documents, "mails"), documents, collection: "mails", close: async () => {} };
});
