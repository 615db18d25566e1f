// The chain on Google's Spanner emulator: payments go on while it is sealed, and a hand in the database is named.
// It must never repeat the contract, nor the cases that need no database: test/flows/verify-seals.test.ts has them.
import { spannerBalances } from "../../functions/adapters/spanner-balances.ts";
import { spannerLedger } from "../../functions/adapters/spanner-ledger.ts";
import { spannerSeals } from "../../functions/adapters/spanner-seals.ts";
import { parseAnchor, type SealAnchor } from "../../functions/domain/seal.ts";
import type { Log } from "../../functions/flows/ports.ts";
import { sealLedger } from "../../functions/flows/seal-ledger.ts";
import { verifyLedger } from "../../functions/flows/verify-ledger.ts";
import { type EmulatorDatabase, openEmulatorDatabase } from "../support/emulator-database.ts";
import { bookingRow, chargeRow, insertOf, intentRow } from "../support/ledger-rows.ts";
import { manualClock } from "../support/manual-clock.ts";

let opened: EmulatorDatabase;
beforeEach(async () => {
  opened = await openEmulatorDatabase();
});
afterEach(async () => {
  await opened?.close();
});

const deps = () => ({
  ...{ ledger: spannerLedger(opened), balances: spannerBalances(opened), seals: spannerSeals(opened) },
  clock: manualClock(0),
});

async function pay(number: number): Promise<void> {
  const [id, intentId] = [`ch_${number}`, `pi_${number}`];
  const received = { status: "succeeded", amountReceivedMinor: 2_000n, latestChargeId: id } as const;
  await deps().ledger.insert("pay", [
    insertOf("payment_intents", intentRow({ id: intentId, ...received })),
    insertOf("charges", chargeRow({ id, intentId })),
    insertOf("ledger_transactions", bookingRow({ sourceId: id, intentId })),
  ]);
}

/** Seals, and gives what the log was told. */
async function seal(): Promise<{ bookings: number; anchors: SealAnchor[] }> {
  const anchors: SealAnchor[] = [];
  const log: Log = (_severity, _message, fields) => void anchors.push(...read(fields?.["anchor"]));
  const { bookings } = await sealLedger({ ...deps(), log });
  return { bookings, anchors };
}

const read = (anchor: unknown) => {
  const parsed = parseAnchor(String(anchor));
  return parsed === undefined ? [] : [parsed];
};

const verify = async (anchors: readonly SealAnchor[] = []) =>
  (await verifyLedger({ ...deps(), log: () => {} }, { anchors })).fault;

async function byHand(sql: string): Promise<void> {
  await opened.database.runTransactionAsync(async (transaction) => {
    await transaction.runUpdate({ sql });
    await transaction.commit();
  });
}

async function bookingOf(id: string): Promise<{ shard: string; committedAt: string }> {
  const sql = `SELECT CAST(seal_shard AS STRING) AS shard, FORMAT_TIMESTAMP('%Y-%m-%dT%H:%M:%E9SZ', committed_at, 'UTC') AS committedAt FROM ledger_transactions WHERE source_id = '${id}'`;
  const [rows] = await opened.database.run({ sql, json: true });
  return (rows as unknown as [{ shard: string; committedAt: string }])[0];
}

test("of payments that go on while two jobs seal, each is sealed once, and the chain is sound", async () => {
  let sealed = 0;
  const paying = (async () => {
    for (let number = 0; number < 30; number += 1) await pay(number);
  })();
  for (let round = 0; round < 4; round += 1) {
    for (const { bookings } of await Promise.all([seal(), seal()])) sealed += bookings;
  }
  await paying;
  sealed += (await seal()).bookings;

  expect(sealed).toBe(30);
  expect(await verify()).toBeNull();
}, 60_000);

test("rows changed, deleted, swapped or cut off by hand are named by their seal", async () => {
  for (let number = 0; number < 10; number += 1) await pay(number);
  const first = await seal();
  for (let number = 10; number < 20; number += 1) await pay(number);
  const { anchors } = await seal();
  expect(await verify([...first.anchors, ...anchors])).toBeNull();

  // A nanosecond is what a client's Date cannot see.
  const three = await bookingOf("ch_3");
  await byHand("UPDATE ledger_transactions SET created_at = '2026-01-15T12:00:00.007000001Z' WHERE source_id = 'ch_3'");
  expect(await verify()).toMatchObject({
    key: `${three.shard}/1`,
    problem: "its bookings are not what was sealed",
  });
  await byHand("UPDATE ledger_transactions SET created_at = '2026-01-15T12:00:00.007Z' WHERE source_id = 'ch_3'");
  expect(await verify()).toBeNull();

  // Its place in the order: as if it had been committed before all others.
  const four = await bookingOf("ch_4");
  await byHand("UPDATE ledger_transactions SET committed_at = '2026-01-01T00:00:00Z' WHERE source_id = 'ch_4'");
  expect(await verify()).toMatchObject({ key: `${four.shard}/1` });
  await byHand(`UPDATE ledger_transactions SET committed_at = '${four.committedAt}' WHERE source_id = 'ch_4'`);
  expect(await verify()).toBeNull();

  // The end of one chain, with everything that belongs to it: only a root from outside tells.
  const [lost] = anchors;
  const tail = `seal_shard = ${lost?.shard} AND committed_at > (SELECT committed_after FROM ledger_seals WHERE seal_shard = ${lost?.shard} AND seal_number = ${lost?.number})`;
  const ids = `SELECT source_id FROM ledger_transactions WHERE ${tail}`;
  await byHand(`DELETE FROM payment_intents WHERE latest_charge_id IN (${ids})`);
  await byHand(`DELETE FROM charges WHERE charge_id IN (${ids})`);
  await byHand(`DELETE FROM ledger_entries WHERE source_id IN (${ids})`);
  await byHand(`DELETE FROM ledger_transactions WHERE ${tail}`);
  await byHand(`DELETE FROM ledger_seals WHERE seal_shard = ${lost?.shard} AND seal_number >= ${lost?.number}`);
  expect(await verify()).toBeNull();
  expect(await verify(anchors)).toMatchObject({
    table: "ledger_seals",
    key: `${lost?.shard}/${lost?.number}`,
    problem: expect.stringContaining("is gone"),
  });
}, 60_000);
