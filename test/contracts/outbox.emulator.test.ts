// Runs the outbox's contract on the real client against Google's Spanner emulator.
// It must never hold a case of its own about the port: those belong into the contract, for every kind of outbox.
import { spannerLedger } from "../../functions/adapters/spanner-ledger.ts";
import { spannerOutbox } from "../../functions/adapters/spanner-outbox.ts";
import { openEmulatorDatabase } from "../support/emulator-database.ts";
import { describeOutbox } from "./outbox-contract.ts";

describeOutbox("Spanner", async () => {
  const opened = await openEmulatorDatabase();
  return { outbox: spannerOutbox(opened), ledger: spannerLedger(opened), rows: opened.rows, close: opened.close };
});
