// Runs the journal's contract on the memory twin.
// It must never need anything but this process.
import { memoryAcquirerJournal } from "../../functions/adapters/memory/acquirer-journal.ts";
import { acquirerJournalContract } from "./acquirer-journal-contract.ts";

acquirerJournalContract(async () => ({ journal: memoryAcquirerJournal(), close: async () => {} }));
