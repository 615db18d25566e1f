// The ledger's schema as a list of statements: how the file is split, and what no key or index may do.
// It must never need a database; test/infra/schema.emulator.test.ts runs the same list on Google's emulator.
import { readDdl, splitStatements } from "../../infra/ddl.ts";

const ddl = readDdl();

/** Names of the columns of a type, per table: `{ accounts: ["created_at", …] }`. */
function columnsOfType(type: string): Map<string, string[]> {
  const tables = ddl.flatMap((statement) => /^CREATE TABLE (\w+) \((.*)\) PRIMARY KEY/.exec(statement) ?? []);
  const found = new Map<string, string[]>();
  for (let index = 0; index < tables.length; index += 3) {
    const columns = [...(tables[index + 2] ?? "").matchAll(new RegExp(`(\\w+) ${type}\\b`, "g"))];
    found.set(
      tables[index + 1] ?? "",
      columns.map((match) => match[1] ?? ""),
    );
  }
  return found;
}

/** Every primary key and index: its table and its columns in order, without their direction. */
function keys(): { name: string; table: string; columns: string[] }[] {
  const columnsIn = (list = "") => list.split(",").map((column) => column.trim().split(" ")[0] ?? "");
  return ddl.flatMap((statement) => {
    const table = /^CREATE TABLE (\w+) \(.*\) PRIMARY KEY \(([^)]*)\)/.exec(statement);
    if (table !== null) return [{ name: "the key", table: table[1] ?? "", columns: columnsIn(table[2]) }];
    const index = /^CREATE (?:UNIQUE )?(?:NULL_FILTERED )?INDEX (\w+) ON (\w+) \(([^)]*)\)/.exec(statement);
    return index === null ? [] : [{ name: index[1] ?? "", table: index[2] ?? "", columns: columnsIn(index[3]) }];
  });
}

describe("the schema", () => {
  test("has the tables of the ledger, each with a commit timestamp that leads no index, and that only sealing and balances look for", () => {
    const tables = columnsOfType("TIMESTAMP");
    expect([...tables.keys()].sort()).toEqual([
      "accounts",
      "api_keys",
      "attempts",
      "balance_checkpoints",
      "breaks",
      "charges",
      "events",
      "idempotency_keys",
      "ledger_entries",
      "ledger_seals",
      "ledger_transactions",
      "operator_actions",
      "outbox",
      "payment_intents",
      "refunds",
    ]);
    const options = "committed_at TIMESTAMP NOT NULL OPTIONS (allow_commit_timestamp = true)";
    expect(ddl.filter((statement) => statement.includes(options))).toHaveLength(tables.size);
    expect(keys().filter(({ columns }) => columns.includes("committed_at"))).toEqual([
      { name: "ledger_transactions_committed", table: "ledger_transactions", columns: ["seal_shard", "committed_at"] },
      {
        name: "ledger_transactions_tail",
        table: "ledger_transactions",
        columns: ["account_id", "seal_shard", "committed_at"],
      },
    ]);
  });

  test("has no key and no index that starts with a time or with a number that only grows", () => {
    const times = columnsOfType("TIMESTAMP");
    const starts = keys().map(({ name, table, columns }) => ({ name, table, first: columns[0] ?? "" }));

    expect(starts).toHaveLength(ddl.length);
    expect(starts.filter(({ table, first }) => times.get(table)?.includes(first))).toEqual([]);
    const numbers = columnsOfType("INT64");
    const startsWithNumber = starts.filter(({ table, first }) => numbers.get(table)?.includes(first));
    expect(startsWithNumber.map(({ first }) => first)).toEqual([
      "intention_shard",
      "hold_shard",
      "open_shard",
      "list_shard",
      "seal_shard",
      "seal_shard",
      "outbox_shard",
    ]);
  });

  test("constrains every amount, and every state to the ones it knows", () => {
    for (const [table, columns] of columnsOfType("INT64")) {
      const statement = ddl.find((text) => text.startsWith(`CREATE TABLE ${table} `)) ?? "";
      const checks = statement.slice(statement.indexOf("CONSTRAINT"));
      for (const column of columns.filter((name) => name.endsWith("_minor"))) expect(checks).toContain(column);
      if (/\bstat(?:us|e) STRING/.test(statement)) expect(checks).toMatch(/CHECK \(stat(?:us|e) IN \('/);
    }
  });
});

describe("splitting SQL into statements", () => {
  test("leaves out comments and line breaks, so that editing them changes no statement", () => {
    const before =
      "-- what for\nCREATE TABLE a (\n  b INT64, -- units; why\n) PRIMARY KEY (b);\n\nCREATE INDEX c ON a (b);\n";
    const after = "CREATE TABLE a (  b INT64,\n\n-- new words\n) PRIMARY KEY (b); CREATE INDEX c ON a (b)";

    expect(splitStatements(before)).toEqual(["CREATE TABLE a ( b INT64, ) PRIMARY KEY (b)", "CREATE INDEX c ON a (b)"]);
    expect(splitStatements(after)).toEqual(splitStatements(before));
  });

  test("keeps quoted text as it is, whatever it holds", () => {
    const statement = `SELECT 'a;  b -- c', "it's;", \`odd  name\`, 'it\\'s;', 3 - 2`;
    expect(splitStatements(`${statement};`)).toEqual([statement]);
  });
});
