// Runs the outbox's contract on the memory twin.
// It must never hold a case of its own about the port: those belong into the contract, for every kind of outbox.
import { memoryLedger } from "../../functions/adapters/memory/ledger.ts";
import { memoryOutbox } from "../../functions/adapters/memory/outbox.ts";
import { memoryTables } from "../../functions/adapters/memory/tables.ts";
import { describeOutbox } from "./outbox-contract.ts";

describeOutbox("memory", async () => {
  const tables = memoryTables();
  return {
    outbox: memoryOutbox(tables),
    ledger: memoryLedger(tables),
    rows: async (table) => tables.rows(table),
    close: async () => {},
  };
});
