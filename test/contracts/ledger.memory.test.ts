// Runs the ledger's contracts on the memory twin.
// It must never hold a case of its own about the port: those belong into the contract, for every kind of ledger.
import { memoryAccounts } from "../../functions/adapters/memory/accounts.ts";
import { memoryLedger } from "../../functions/adapters/memory/ledger.ts";
import { memoryOperators } from "../../functions/adapters/memory/operators.ts";
import { memoryReconciliation } from "../../functions/adapters/memory/reconciliation.ts";
import { memorySeals } from "../../functions/adapters/memory/seals.ts";
import { memoryStories } from "../../functions/adapters/memory/stories.ts";
import { memoryTables } from "../../functions/adapters/memory/tables.ts";
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
  const ledger = memoryLedger();
  return {
    ledger,
    rows: async <T extends Parameters<typeof ledger.rows>[0]>(table: T) => ledger.rows(table),
    close: async () => {},
  };
};

describeLedger("memory", open);
describeLedgerRows("memory", open);
describeLedgerLists("memory", open);
describeLedgerRefunds("memory", open);
describeLedgerEvents("memory", open);
describeLedgerScan("memory", open);
describeAccounts("memory", async () => ({ accounts: memoryAccounts(), close: async () => {} }));
describeSeals("memory", async () => {
  const tables = memoryTables();
  return { ledger: memoryLedger(tables), seals: memorySeals(tables), close: async () => {} };
});
describeReconciliation("memory", async () => {
  const tables = memoryTables();
  return { ledger: memoryLedger(tables), store: memoryReconciliation(tables), close: async () => {} };
});
describeStories("memory", async () => {
  const tables = memoryTables();
  const seals = memorySeals(tables);
  return { ledger: memoryLedger(tables), seals, stories: memoryStories(tables, seals), close: async () => {} };
});

describeOperators("memory", async () => ({ operators: memoryOperators(), close: async () => {} }));
