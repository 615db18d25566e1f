// The verification: a sound ledger passes whatever goes on meanwhile, a bad row is told, and nothing is passed unread.
// It must never repeat the audit's own cases: test/domain/audit-books.test.ts has a bad row of every kind.
import { memoryBalances } from "../../functions/adapters/memory/balances.ts";
import { memorySeals } from "../../functions/adapters/memory/seals.ts";
import { memoryTables } from "../../functions/adapters/memory/tables.ts";
import { defaultTimings } from "../../functions/domain/idempotency.ts";
import type { PaymentIntent } from "../../functions/domain/payment-intent.ts";
import { testSettlementMs } from "../../functions/domain/payment-methods.ts";
import type { Scan, ScannedTable, Tables } from "../../functions/domain/rows.ts";
import type { Ledger } from "../../functions/flows/ports.ts";
import { type Verification, verifyLedger } from "../../functions/flows/verify-ledger.ts";
import { sweep } from "../support/completer.ts";
import { bookingRow, chargeRow, intentRow } from "../support/ledger-rows.ts";
import { manualClock } from "../support/manual-clock.ts";
import { openWorld, payForm, type World } from "../support/world.ts";

/** The chains are the business of test/flows/verify-seals.test.ts. */
const noSeals = memorySeals(memoryTables());
/** And checkpoints that of test/flows/checkpoint-balances.test.ts. */
const balances = memoryBalances(memoryTables());

type Rows = { [T in ScannedTable]: Tables[T][] };

describe("a sound ledger", () => {
  test("passes, with payments of every kind in it", async () => {
    const world = await livelyWorld();
    const { verification, logged } = await verify(world.ledger);
    expect(verification).toEqual({
      rows: {
        ledger_transactions: 8,
        refunds: 4,
        charges: 5,
        payment_intents: 6,
        balance_checkpoints: 0,
        ledger_seals: 0,
      },
      fault: null,
    });
    expect(logged).toEqual([]);
  });

  test("passes when it is empty", async () => {
    expect((await verify(ledgerOf(noRows()))).verification.fault).toBeNull();
  });

  test("passes while payments go on: all of it is read at one moment", async () => {
    const world = await livelyWorld();
    const results: Promise<{ verification: Verification }>[] = [];
    for (let payment = 0; payment < 20; payment += 1) {
      results.push(verify(world.ledger));
      const { json } = await world.post("/v1/payment_intents", payForm);
      await world.post("/v1/refunds", `payment_intent=${json.id}&amount=500`);
    }
    for (const { verification } of await Promise.all(results)) expect(verification.fault).toBeNull();
  });

  test("passes in many pages, and a bad row far behind the first page is found", async () => {
    const rows = manyRows(1_200);
    const sound = await verify(ledgerOf(rows));
    expect(sound.verification).toEqual({
      rows: expect.objectContaining({ ledger_transactions: 1_200, charges: 1_200, payment_intents: 1_200 }),
      fault: null,
    });
    rows.payment_intents[1_100] = { ...(rows.payment_intents[1_100] as PaymentIntent), amountReceivedMinor: 1n };
    expect((await verify(ledgerOf(rows))).verification.fault?.key).toBe("pi_001100");
  });
});

test("a bad row is named by the answer and by one line of the log", async () => {
  const world = await livelyWorld();
  const [paid] = world.ledger.rows("charges").filter(({ refundedMinor }) => refundedMinor > 0n);
  const tampered = intercepted(world.ledger, (row) => (row.id === paid?.id ? { ...row, refundedMinor: 1n } : row));
  const { verification, logged } = await verify(tampered);
  const fault = { table: "charges", key: paid?.id, problem: "it counts 1 as refunded, its refunds are 2000" };
  expect(verification.fault).toEqual(fault);
  expect(logged).toEqual([["ERROR", "ledger has a bad row", fault]]);
});

test("a verification that takes too long, or has too much to hold, says so instead of calling the ledger sound", async () => {
  const clock = manualClock(0);
  const slow: Pick<Ledger, "scan"> = {
    scan: (tag, body) =>
      ledgerOf(noRows()).scan(tag, (scan) =>
        body(async (...asked) => {
          await clock.advance(100_000);
          return await scan(...asked);
        }),
      ),
  };
  const deps = { clock, balances, seals: noSeals, log: () => {} };
  await expect(verifyLedger({ ...deps, ledger: slow })).rejects.toMatchObject({ code: "store_unavailable" });
  expect((await verifyLedger({ ...deps, ledger: slow }, { msMax: Number.POSITIVE_INFINITY })).fault).toBeNull();

  const endless: Scan = async (table, _after, limit) =>
    Array.from({ length: table === "ledger_transactions" ? limit : 0 }, () =>
      bookingRow({ sourceId: "ch_x" }),
    ) as never;
  const crowded: Pick<Ledger, "scan"> = { scan: (_tag, body) => body(endless) };
  await expect(verifyLedger({ ...deps, ledger: crowded }, { bookingsMax: 20_000 })).rejects.toMatchObject({
    code: "internal",
  });
});

async function verify(ledger: Pick<Ledger, "scan">) {
  const logged: unknown[] = [];
  const log = (...line: unknown[]) => void logged.push(line);
  return { verification: await verifyLedger({ ledger, balances, seals: noSeals, clock: manualClock(0), log }), logged };
}

/** Paid, captured in part, canceled, declined, refunded in part and whole, with a refund that failed and one under way. */
async function livelyWorld(): Promise<World> {
  const world = await openWorld();
  const create = async (form: string) => (await world.post("/v1/payment_intents", form)).json;
  const paid = await create(payForm);
  await world.post("/v1/refunds", `payment_intent=${paid.id}&amount=500`);
  await world.post("/v1/refunds", `payment_intent=${paid.id}`);
  const held = await create(`${payForm}&capture_method=manual`);
  await world.post(`/v1/payment_intents/${held.id}/capture`, "amount_to_capture=1200");
  const given = await create(`${payForm}&capture_method=manual`);
  await world.post(`/v1/payment_intents/${given.id}/cancel`, "");
  await create("amount=2000&currency=usd");
  await create(payForm.replace("pm_card_visa", "pm_card_chargeDeclined"));
  const failing = await create(payForm.replace("pm_card_visa", "pm_card_refundFail"));
  if (failing.id !== undefined) await world.post("/v1/refunds", `payment_intent=${failing.id}&amount=500`);
  await world.clock.advance(testSettlementMs + defaultTimings.callTimeoutMs + 1);
  await sweep(world);
  await world.post("/v1/refunds", `payment_intent=${failing.id}&amount=100`);
  return world;
}

const paid: Partial<PaymentIntent> = { status: "succeeded", amountReceivedMinor: 2_000n };

function manyRows(count: number): Rows {
  const rows = noRows();
  for (let index = 0; index < count; index += 1) {
    const number = String(index).padStart(6, "0");
    const [intentId, id] = [`pi_${number}`, `ch_${number}`];
    rows.payment_intents.push(intentRow({ ...paid, id: intentId, latestChargeId: id }));
    rows.charges.push(chargeRow({ id, intentId }));
    rows.ledger_transactions.push(bookingRow({ sourceId: id, intentId }));
  }
  return rows;
}

function noRows(): Rows {
  return { payment_intents: [], charges: [], refunds: [], ledger_transactions: [] };
}

/** A ledger of rows that stand in the order of their keys. */
function ledgerOf(rows: Rows): Pick<Ledger, "scan"> {
  const scan: Scan = async (table, after, limit) => {
    const all: readonly unknown[] = rows[table];
    const start = after === null ? 0 : all.indexOf(after) + 1;
    return all.slice(start, start + limit) as never;
  };
  return { scan: (_tag, body) => body(scan) };
}

/** The ledger with its charges changed on the way. */
function intercepted(ledger: Ledger, change: (row: Tables["charges"]) => Tables["charges"]): Pick<Ledger, "scan"> {
  const changed = (scan: Scan): Scan => {
    return async (table, after, limit) => {
      const page = await scan(table, after, limit);
      return table === "charges" ? ((page as readonly Tables["charges"][]).map(change) as never) : page;
    };
  };
  return { scan: (tag, body) => ledger.scan(tag, (scan) => body(changed(scan))) };
}
