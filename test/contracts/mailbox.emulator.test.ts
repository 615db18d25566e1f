// Runs the mailbox's contract on the real client library against Google's Firestore emulator.
// It must never reach a real project: the support file insists on the emulator.
import { firestoreDocuments } from "../../functions/adapters/firestore-documents.ts";
import { firestoreMailbox } from "../../functions/adapters/firestore-mailbox.ts";
import { openEmulatedFirestore } from "../support/firestore-emulator.ts";
import { mailboxContract } from "./mailbox-contract.ts";

mailboxContract(async () => {
  const { database, collection, close } = await openEmulatedFirestore();
  const mailbox = firestoreMailbox({ database, collection, deleteAfterField: "deleteAfter" });
  return { mailbox, documents: firestoreDocuments(database), collection, close };
});
