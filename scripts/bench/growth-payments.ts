// Whether a payment costs more when more payments are stored: whole payments and replays beside 10^2 to 10^6 others, in memory.
// It must never fill a store with what no payment leaves: each stored payment is a copy of a real one under ids of its own.
import { memoryLedger } from "../../functions/adapters/memory/ledger.ts";
import { type MemoryTables, memoryTables } from "../../functions/adapters/memory/tables.ts";
import { keyIdentity } from "../../functions/domain/idempotency.ts";
import type { Change } from "../../functions/domain/rows.ts";
import type { IdempotencyCache } from "../../functions/flows/ports.ts";
import { type EmbeddedStores, openEmbeddedStores } from "../embedded-stores.ts";
import type { BenchOutcome } from "./bench.ts";
import { compareGrowth, type Filled, stored } from "./growth.ts";
import { mapCache } from "./peers/stores.ts";
import { newKey, pay } from "./round-trips.ts";
import { openService } from "./service.ts";

/** After this no further store is filled: a million payments take half a minute of a quiet machine. */
const loadMsMax = 120_000;

/** Of each payment; its events are left out, because their bytes would fill the machine's memory before anything else. */
const tablesOfPayment = ["idempotency_keys", "payment_intents", "attempts", "charges", "ledger_transactions"] as const;

/** The part `growth-of-payments`. */
export async function benchGrowthOfPayments(say: (line: string) => void): Promise<BenchOutcome> {
  const stores = await openEmbeddedStores();
  const real = await rowsOfOnePayment(stores);
  const filled: Filled[] = [];
  const began = performance.now();
  for (const payments of [100, 10_000, 100_000, 1_000_000]) {
    const [tables, cache] = [memoryTables(), mapCache()];
    const isLate = () => performance.now() - began > loadMsMax;
    const count = await fill({ tables, cache, real, isLate }, payments);
    if (count < payments) {
      say(`LEFT OUT: ${payments} payments; ${count} were loaded by then, this machine is too busy`);
      break;
    }
    const service = openService({ ...stores, ledger: memoryLedger(tables), cache });
    const run = async (key: string) => {
      const reply = await pay(service, key);
      if (reply.status !== 200) throw new Error(`it was answered ${reply.text}`);
      return reply;
    };
    filled.push({ keys: payments, run });
  }
  return await compareGrowth(say, "of whole payments in memory, stored keys and payments being as many", filled);
}

/** Makes a payment in stores of its own; what it wrote, ready to be written again. */
async function rowsOfOnePayment(stores: EmbeddedStores): Promise<readonly Change[]> {
  const reply = await pay(openService(stores), newKey());
  if (reply.status !== 200) throw new Error(`The payment to copy was answered ${reply.text}`);
  return tablesOfPayment.flatMap((table) =>
    stores.ledger.rows(table).map((row) => ({ op: "insert", table, row }) as Change),
  );
}

/** Gives how many it stored before it was late. */
async function fill(
  deps: { tables: MemoryTables; cache: IdempotencyCache; real: readonly Change[]; isLate: () => boolean },
  payments: number,
): Promise<number> {
  const { tables, cache, real, isLate } = deps;
  const ids = new Set(real.flatMap(({ row }) => ("id" in row ? [row.id] : [])));
  const copiers = real.map((change) => copierOf(change, ids));
  for (let first = 0; first < payments; first += batchSize) {
    if (isLate()) return first;
    const numbers = Array.from({ length: Math.min(batchSize, payments - first) }, (_, index) => first + index);
    for (const number of numbers) tables.commit(copiers.map((copy) => copy(number)));
    await Promise.all(numbers.map(stored).map(({ keyHash, record }) => cache.claim(keyHash, record)));
  }
  return payments;
}

/** Claims on their way at once. */
const batchSize = 1_000;

/** Writes the row again under another number; what is below its own columns stays shared. */
type Copier = (number: number) => Change;

/** A million rows are copied, so what can be found out once is. */
function copierOf(change: Change, ids: ReadonlySet<unknown>): Copier {
  const { keyHash, ...columns } = { keyHash: undefined, ...change.row } as Record<string, unknown>;
  const own = Object.keys(columns).filter((name) => ids.has(columns[name]) || name === "sourceId");
  return (number) => {
    const row: Record<string, unknown> = { ...columns };
    if (keyHash !== undefined) row["keyHash"] = keyIdentity("acct_1", false, `stored-${number}`);
    for (const name of own) row[name] = `${columns[name]}${number}`;
    return { ...change, row } as unknown as Change;
  };
}
