// Runs the contract of balances on the real client against Google's Spanner emulator.
// It must never hold a case of its own about the port: those belong into the contract, for every kind of store.
import { spannerBalances } from "../../functions/adapters/spanner-balances.ts";
import { spannerLedger } from "../../functions/adapters/spanner-ledger.ts";
import { openEmulatorDatabase } from "../support/emulator-database.ts";
import { describeBalances } from "./balances-contract.ts";

describeBalances("Spanner", async () => {
  const opened = await openEmulatorDatabase();
  return { ledger: spannerLedger(opened), balances: spannerBalances(opened), close: opened.close };
});
