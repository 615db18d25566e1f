// Runs the contract of balances on the memory twin.
// It must never hold a case of its own about the port: those belong into the contract, for every kind of store.
import { memoryBalances } from "../../functions/adapters/memory/balances.ts";
import { memoryLedger } from "../../functions/adapters/memory/ledger.ts";
import { memoryTables } from "../../functions/adapters/memory/tables.ts";
import { describeBalances } from "./balances-contract.ts";

describeBalances("memory", async () => {
  const tables = memoryTables();
  return { ledger: memoryLedger(tables), balances: memoryBalances(tables), close: async () => {} };
});
