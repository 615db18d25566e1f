// Runs the journal's contract on the real client library against Google's Firestore emulator.
// It must never reach a real project: the support file insists on the emulator.
import { firestoreAcquirerJournal } from "../../functions/adapters/firestore-acquirer-journal.ts";
import { openEmulatedFirestore } from "../support/firestore-emulator.ts";
import { acquirerJournalContract } from "./acquirer-journal-contract.ts";

acquirerJournalContract(async () => {
  const { database, collection, close } = await openEmulatedFirestore();
  return { journal: firestoreAcquirerJournal({ database, collection }), close };
});
