// Runs the contract of dead letters on the memory twin.
// It must never need anything but this process.
import { memoryDeadLetters } from "../../functions/adapters/memory/dead-letters.ts";
import { deadLettersContract } from "./dead-letters-contract.ts";

deadLettersContract(async () => ({ deadLetters: memoryDeadLetters(), close: async () => {} }));
