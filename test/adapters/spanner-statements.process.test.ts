// Shows that no statement on the path of a payment looks at more rows than it asks for: each names a whole primary key.
// It must never need a server: Spanner's emulator scans where the real one would use a key, so it could not tell.
import { readFileSync } from "node:fs";
import path from "node:path";
import type { Database } from "@google-cloud/spanner";
import { spannerAccounts } from "../../functions/adapters/spanner-accounts.ts";
import { spannerLedger } from "../../functions/adapters/spanner-ledger.ts";
import type { Change } from "../../functions/domain/rows.ts";
import { openWorld, payForm } from "../support/world.ts";

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
  const transaction = { run, insert: () => {}, commit: async () => {}, begin: async () => {} };
  const database = {
    run,
    writeAtLeastOnce: async () => {},
    runTransactionAsync: async (_options: object, body: (open: object) => Promise<unknown>) => await body(transaction),
  } as unknown as Database;
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

test("a transaction reads by the same statement, and writing asks nothing", async () => {
  const { statements, opened } = asked();
  const ledger = spannerLedger(opened);

  await ledger.read(keys);
  await ledger.transact("test", (scope) => scope.read(keys));
  await ledger.transact("test", async (scope) => scope.write([aRow]));
  await ledger.insert("test", [aRow]);

  expect(statements).toHaveLength(2);
  expect(statements[1]).toBe(statements[0]);
});

const aRow: Change = { op: "insert", table: "outbox", row: { eventId: "evt_1", createdAtMs: 1, leaseUntilMs: null } };

test("payments and refunds, their twins and repetitions ask the ledger by nothing else", async () => {
  const world = await openWorld();
  const { post, ports, outlet } = world.startServer({ publishes: true });
  const intents = "/v1/payment_intents";
  const hold = `${payForm}&capture_method=manual`;
  // a payment and its twin, its repetition warm and cold, another request under its key
  const impatient = { key: "pay", headers: { prefer: "wait=0" } };
  const [paid, twin] = await Promise.all([post(intents, payForm, { key: "pay" }), post(intents, payForm, impatient)]);
  const replayed = await post(intents, payForm, { key: "pay" });
  world.cache.wipe();
  const cold = await post(intents, payForm, { key: "pay" });
  const mismatch = await post(intents, hold, { key: "pay" });
  // a decline, a capture, a cancellation, a refund
  const declined = await post(intents, `${payForm}_chargeDeclined`, { key: "decline" });
  const [one, other] = [await post(intents, hold, { key: "one" }), await post(intents, hold, { key: "other" })];
  const captured = await post(`${intents}/${one.json.id}/capture`, "", { key: "capture" });
  const canceled = await post(`${intents}/${other.json.id}/cancel`, "", { key: "cancel" });
  const refunded = await post("/v1/refunds", `payment_intent=${paid.json.id}`, { key: "refund" });
  await outlet.close();

  const replies = [paid, twin, replayed, cold, mismatch, declined, captured, canceled, refunded];
  expect(replies.map(({ status }) => status)).toEqual([200, 409, 200, 200, 400, 402, 200, 200, 200]);
  const { ledger, accounts, balances, stories } = ports;
  expect([...new Set(ledger.calls)].sort()).toEqual(["insert", "read", "transact"]);
  expect([...new Set(accounts.calls)]).toEqual(["findKey"]);
  expect([...balances.calls, ...stories.calls]).toEqual([]);
});
