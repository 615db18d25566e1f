// Shows that no statement on the path of a payment looks at more rows than it asks for: each names a whole primary key.
// It must never need a server: Spanner's emulator scans where the real one would use a key, so it could not tell.
import { readFileSync } from "node:fs";
import path from "node:path";
import type { Database } from "@google-cloud/spanner";
import { spannerAccounts } from "../../functions/adapters/spanner-accounts.ts";
import { spannerLedger } from "../../functions/adapters/spanner-ledger.ts";

const schema = readFileSync(path.join(import.meta.dirname, "../../infra/schema.sql"), "utf8");

/** The primary key's columns by table. */
const keysOf = new Map(
  [...schema.matchAll(/CREATE TABLE (\w+) \(.*?\)\s*PRIMARY KEY \(([^)]+)\)/gs)].map(([, table = "", columns = ""]) => [
    table,
    columns.split(",").map((column) => column.trim().split(" ")[0] ?? ""),
  ]),
);

/** A database that keeps what it is asked, and finds nothing. */
function asked() {
  const statements: string[] = [];
  const run = async ({ sql }: { sql: string }) => {
    statements.push(sql);
    const names = [...sql.matchAll(/\) AS (\w+)/g)].map(([, name = ""]) => [name, []]);
    return [[Object.fromEntries(names)]];
  };
  const database = { run } as unknown as Database;
  return { statements, opened: { database, close: async () => {} } };
}

/** Tables that a statement reads, each with the columns that it compares with a parameter or with the row around it. */
function looksOf(sql: string): { table: string; compared: string[]; isForced: boolean }[] {
  return [...sql.matchAll(/FROM (\w+)(@\{FORCE_INDEX=\w+\})?(?: \w)? WHERE ([^()]*?)(?= ORDER BY|\)|$)/g)].map(
    ([, table = "", index, conditions = ""]) => ({
      table,
      isForced: index !== undefined,
      compared: conditions
        .split(" AND ")
        .map((condition) => /^(?:\w\.)?(\w+) = (?:@\w+|\w\.\w+)$/.exec(condition.trim())?.[1] ?? condition),
    }),
  );
}

const keys = {
  idempotency_keys: "k",
  payment_intents: "pi_1",
  attempts: "att_1",
  charges: "ch_1",
  refunds: "re_1",
  events: "evt_1",
} as const;

test("every row that a request reads is found by its whole primary key, all in one statement", async () => {
  const { statements, opened } = asked();

  await spannerLedger(opened).read(keys);

  expect(statements).toHaveLength(1);
  const looks = looksOf(statements[0] ?? "");
  expect(looks.map(({ table }) => table).sort()).toEqual(Object.keys(keys).sort());
  for (const { table, compared } of looks) expect([table, compared]).toEqual([table, keysOf.get(table)]);
});

test("a booking is found by its kind and source, and its entries by the key that they begin with", async () => {
  const { statements, opened } = asked();

  await spannerLedger(opened).read({ ledger_transactions: "txn_1" });

  const looks = Object.fromEntries(looksOf(statements[0] ?? "").map(({ table, compared }) => [table, compared]));
  expect(looks["ledger_transactions"]).toEqual(keysOf.get("ledger_transactions"));
  expect(looks["ledger_entries"]).toEqual(keysOf.get("ledger_entries")?.slice(0, 2));
});

test("an account is found by its API key's digest, which is a primary key", async () => {
  const { statements, opened } = asked();

  await spannerAccounts(opened)
    .findKey("d")
    .catch(() => {});

  expect(looksOf(statements[0] ?? "")).toEqual([
    { table: "api_keys", compared: keysOf.get("api_keys"), isForced: false },
  ]);
});
