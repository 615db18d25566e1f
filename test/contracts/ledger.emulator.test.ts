// Runs the ledger's contracts on the real client against Google's Spanner emulator.
// It must never hold a case of its own about the port: those belong into the contract, for every kind of ledger.
import { spannerAccounts } from "../../functions/adapters/spanner-accounts.ts";
import { spannerLedger } from "../../functions/adapters/spanner-ledger.ts";
import { spannerOperators } from "../../functions/adapters/spanner-operators.ts";
import { spannerReconciliation } from "../../functions/adapters/spanner-reconciliation.ts";
import { spannerSeals } from "../../functions/adapters/spanner-seals.ts";
import { spannerStories } from "../../functions/adapters/spanner-stories.ts";
import { openEmulatorDatabase } from "../support/emulator-database.ts";
import { describeAccounts } from "./accounts-contract.ts";
import { describeLedger } from "./ledger-contract.ts";
import { describeLedgerEvents } from "./ledger-events-contract.ts";
import { describeLedgerLists } from "./ledger-lists-contract.ts";
import { describeLedgerRefunds } from "./ledger-refunds-contract.ts";
import { describeLedgerRows } from "./ledger-rows-contract.ts";
import { describeLedgerScan } from "./ledger-scan-contract.ts";
import { describeOperators } from "./operators-contract.ts";
import { describeReconciliation } from "./reconciliation-contract.ts";
import { describeSeals } from "./seals-contract.ts";
import { describeStories } from "./stories-contract.ts";

const open = async () => {
  const opened = await openEmulatorDatabase();
  return { ledger: spannerLedger(opened), rows: opened.rows, close: opened.close };
};

describeLedger("Spanner", open);
describeLedgerRows("Spanner", open);
describeLedgerLists("Spanner", open);
describeLedgerRefunds("Spanner", open);
describeLedgerEvents("Spanner", open);
describeLedgerScan("Spanner", open);
describeAccounts("Spanner", async () => {
  const opened = await openEmulatorDatabase();
  return { accounts: spannerAccounts(opened), close: opened.close };
});
describeSeals("Spanner", async () => {
  const opened = await openEmulatorDatabase();
  return { ledger: spannerLedger(opened), seals: spannerSeals(opened), close: opened.close };
});
describeReconciliation("Spanner", async () => {
  const opened = await openEmulatorDatabase();
  return { ledger: spannerLedger(opened), store: spannerReconciliation(opened), close: opened.close };
});
describeStories("Spanner", async () => {
  const opened = await openEmulatorDatabase();
  const stores = { ledger: spannerLedger(opened), seals: spannerSeals(opened), stories: spannerStories(opened) };
  return { ...stores, close: opened.close };
});

describeOperators("Spanner", async () => {
  const opened = await openEmulatorDatabase();
  return { operators: spannerOperators(opened), close: opened.close };
});
