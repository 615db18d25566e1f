// Runs the contract of observations on the real client library against Google's Firestore emulator.
// It must never reach a real project: the support file insists on the emulator.
import { firestoreObservations } from "../../functions/adapters/firestore-observations.ts";
import { openEmulatedFirestore } from "../support/firestore-emulator.ts";
import { observationsContract } from "./observations-contract.ts";

observationsContract(async () => {
  const { database, collection, close } = await openEmulatedFirestore();
  return { observations: firestoreObservations({ database, collection, deleteAfterField: "deleteAfter" }), close };
});
