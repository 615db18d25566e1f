// Runs the contract of seen events on the real client library against Google's Firestore emulator.
// It must never reach a real project: the support file insists on the emulator.
import { firestoreSeenEvents } from "../../functions/adapters/firestore-seen-events.ts";
import { openEmulatedFirestore } from "../support/firestore-emulator.ts";
import { seenEventsContract } from "./seen-events-contract.ts";

seenEventsContract(async () => {
  const { database, collection, close } = await openEmulatedFirestore();
  return { seen: firestoreSeenEvents({ database, collection }), close };
});
