// Runs the contract of observations on the memory twin.
// It must never need anything but this process.
import { memoryObservations } from "../../functions/adapters/memory/observations.ts";
import { observationsContract } from "./observations-contract.ts";

observationsContract(async () => ({ observations: memoryObservations(), close: async () => {} }));
