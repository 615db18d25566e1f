// Runs the contract of dead letters on the real client library against Google's Firestore emulator.
// It must never reach a real project: the support file insists on the emulator.
import { firestoreDeadLetters } from "../../functions/adapters/firestore-dead-letters.ts";
import { openEmulatedFirestore } from "../support/firestore-emulator.ts";
import { deadLettersContract } from "./dead-letters-contract.ts";

deadLettersContract(async () => {
  const { database, collection, close } = await openEmulatedFirestore();
  const collections = { letters: `${collection}-letters`, redrives: `${collection}-redrives` };
  return {
    deadLetters: firestoreDeadLetters({ database, ...collections, deleteAfterField: "deleteAfter" }),
    close,
  };
});
