// Verifies a ledger on Google's Spanner emulator whose rows were changed by hand, past every check of ours.
// It must never repeat a case of the contract: pages and moments are shown there.
import type { Database } from "@google-cloud/spanner";
import { spannerBalances } from "../../functions/adapters/spanner-balances.ts";
import { spannerLedger } from "../../functions/adapters/spanner-ledger.ts";
import { spannerSeals } from "../../functions/adapters/spanner-seals.ts";
import { verifyLedger } from "../../functions/flows/verify-ledger.ts";
import { type EmulatorDatabase, openEmulatorDatabase } from "../support/emulator-database.ts";
import { bookingRow, chargeRow, insertOf, intentRow } from "../support/ledger-rows.ts";
import { manualClock } from "../support/manual-clock.ts";

let opened: EmulatorDatabase;
beforeAll(async () => {
  opened = await openEmulatorDatabase();
  await spannerLedger(opened).insert("given", [
    insertOf("payment_intents", intentRow({ ...paid, id: "pi_1", latestChargeId: "ch_1" })),
    insertOf("charges", chargeRow({ id: "ch_1", intentId: "pi_1" })),
    insertOf("ledger_transactions", bookingRow({ sourceId: "ch_1", intentId: "pi_1" })),
  ]);
});
afterAll(async () => {
  await opened?.close();
});

const paid = { status: "succeeded", amountReceivedMinor: 2_000n } as const;

const fault = async () =>
  (
    await verifyLedger({
      ledger: spannerLedger(opened),
      balances: spannerBalances(opened),
      seals: spannerSeals(opened),
      clock: manualClock(0),
      log: () => {},
    })
  ).fault;

test("a sound ledger passes, and rows changed by hand are named: an entry, a charge, an intent", async () => {
  expect(await fault()).toBeNull();

  const entry = { kind: "charge", source_id: "ch_1", entry_number: 1 };
  await byHand("ledger_entries", { ...entry, amount_minor: 2_001 });
  expect(await fault()).toMatchObject({ key: "charge/ch_1", problem: "debits and credits differ by 1" });
  await byHand("ledger_entries", { ...entry, amount_minor: 2_000 });

  await byHand("charges", { charge_id: "ch_1", refunded_minor: 1 });
  expect(await fault()).toMatchObject({ key: "ch_1", problem: "it counts 1 as refunded, its refunds are 0" });
  await byHand("charges", { charge_id: "ch_1", refunded_minor: 0 });

  await byHand("payment_intents", { intent_id: "pi_1", amount_received_minor: 1 });
  expect(await fault()).toMatchObject({ key: "pi_1", problem: "it received 1, its charge captured 2000" });
  await byHand("payment_intents", { intent_id: "pi_1", amount_received_minor: 2_000 });

  expect(await fault()).toBeNull();
});

async function byHand(table: string, row: object): Promise<void> {
  const database: Database = opened.database;
  await database.table(table).update(row);
}
