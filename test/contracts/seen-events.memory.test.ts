// Runs the contract of seen events on the memory twin.
// It must never need anything but this process.
import { memorySeenEvents } from "../../functions/adapters/memory/seen-events.ts";
import { seenEventsContract } from "./seen-events-contract.ts";

seenEventsContract(async () => ({ seen: memorySeenEvents(), close: async () => {} }));
