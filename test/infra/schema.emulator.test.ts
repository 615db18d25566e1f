// Runs the list of statements that the stack synthesizes on Google's Spanner emulator, and tries what it must refuse.
// It must never test the adapter's way with rows: that is the contract's part.
import { Spanner } from "@google-cloud/spanner";
import { sendAttempt } from "../../functions/adapters/spanner-attempt-rows.ts";
import { sendCharge, sendIntent } from "../../functions/adapters/spanner-payment-rows.ts";
import { sendBooking, sendKey } from "../../functions/adapters/spanner-record-rows.ts";
import { readDdl } from "../../infra/ddl.ts";
import { type EmulatorDatabase, openEmulatorDatabase } from "../support/emulator-database.ts";
import { atMs, attemptRow, bookingRow, chargeRow, intentRow, keyRow } from "../support/ledger-rows.ts";

const booking = sendBooking(bookingRow());

let opened: EmulatorDatabase;
beforeAll(async () => {
  opened = await openEmulatorDatabase();
  // Entries lie inside their booking.
  await insert("ledger_transactions", booking.row);
});
afterAll(async () => {
  await opened?.close();
});

/** gRPC code of a violated CHECK: OUT_OF_RANGE. */
const OUT_OF_RANGE = 11;

const insert = (table: string, columns: object) =>
  opened.database.table(table).insert({ ...columns, committed_at: Spanner.COMMIT_TIMESTAMP });

test.each([
  ["payment_intents", sendIntent(intentRow()), { amount_minor: "0" }],
  ["payment_intents", sendIntent(intentRow()), { status: "paid" }],
  ["payment_intents", sendIntent(intentRow()), { amount_received_minor: "2001" }],
  ["payment_intents", sendIntent(intentRow()), { payment_method_token: null }],
  ["attempts", sendAttempt(attemptRow()), { amount_minor: "-1" }],
  ["attempts", sendAttempt(attemptRow()), { state: "succeeded" }],
  ["charges", sendCharge(chargeRow()), { captured_minor: "2001" }],
  ["charges", sendCharge(chargeRow()), { refunded_minor: "2001" }],
  ["charges", sendCharge(chargeRow()), { status: "failed" }],
  ["ledger_entries", { ...booking.entries[0] }, { amount_minor: "0" }],
  ["ledger_entries", { ...booking.entries[1] }, { direction: "both" }],
  ["idempotency_keys", sendKey(keyRow()), { generation: "0" }],
  ["idempotency_keys", sendKey(keyRow()), { outcome_status: "200" }],
])("%s refuses a row with an impossible value, and takes it without", async (table, columns, wrong) => {
  await expect(insert(table, { ...columns, ...wrong })).rejects.toMatchObject({ code: OUT_OF_RANGE });
  await insert(table, columns);
});

test("a key may be deleted by age once it has an outcome, and never before", async () => {
  const open = keyRow();
  const sealed = keyRow({ outcome: { status: 200, body: null }, expiresAtMs: atMs + 1 });
  await insert("idempotency_keys", sendKey(open));
  await insert("idempotency_keys", sendKey(sealed));

  const [rows] = await opened.database.run({
    sql: "SELECT key_hash, UNIX_MILLIS(delete_after) AS delete_after_ms FROM idempotency_keys",
    json: true,
  });

  expect(rows).toContainEqual({ key_hash: open.keyHash, delete_after_ms: null });
  expect(rows).toContainEqual({ key_hash: sealed.keyHash, delete_after_ms: atMs + 1 });
  expect(readDdl().join()).toContain("ROW DELETION POLICY (OLDER_THAN(delete_after, INTERVAL 1 DAY))");
});

test("a statement appended to the list runs on a database that has the others", async () => {
  const [running] = await opened.database.updateSchema(["ALTER TABLE charges ADD COLUMN later STRING(64)"]);
  await running.promise();
});
