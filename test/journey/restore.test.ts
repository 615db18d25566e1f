// A restored ledger is older than the cache and the acquirer: what the page `docs/runbooks.md` (restore) has people do, and why.
// It must never look into the flows: it sees the API, the match and the rows.
import { memoryBalances } from "../../functions/adapters/memory/balances.ts";
import { memoryLedger } from "../../functions/adapters/memory/ledger.ts";
import { memoryReconciliation } from "../../functions/adapters/memory/reconciliation.ts";
import { memoryStories } from "../../functions/adapters/memory/stories.ts";
import { memoryTables } from "../../functions/adapters/memory/tables.ts";
import { systemRandom } from "../../functions/adapters/system.ts";
import type { Change, Tables } from "../../functions/domain/rows.ts";
import { paymentsApi } from "../../functions/edge/payments-api.ts";
import { networkOver } from "../../functions/edge/test-network.ts";
import { reconcile } from "../../functions/flows/reconcile.ts";
import { clientOf, openWorld, payForm, type World, webhookPorts } from "../support/world.ts";

const tableNames: readonly (keyof Tables)[] = [
  "idempotency_keys",
  "payment_intents",
  "attempts",
  "charges",
  "refunds",
  "ledger_transactions",
  "events",
  "outbox",
];

/** Every row as it stands now. */
function backUp(world: World): Change[] {
  return tableNames.flatMap((table) => world.ledger.rows(table).map((row) => ({ op: "insert", table, row }) as Change));
}

/** The API over a ledger that was made from a backup, with everything around it as it is. */
function restored(world: World, backup: readonly Change[]) {
  const { cache, accounts, clock, journal } = world;
  const tables = memoryTables();
  tables.commit(backup);
  const [ledger, balances, stories] = [memoryLedger(tables), memoryBalances(tables), memoryStories(tables)];
  const acquirer = networkOver({ journal, clock, log: () => {} });
  const outside = { acquirer, webhooks: webhookPorts() };
  const ports = { ledger, balances, stories, cache, accounts, ...outside, clock, random: systemRandom, log: () => {} };
  const store = memoryReconciliation(tables);
  const match = () => reconcile({ store, ledger, listing: acquirer, acquirer, clock, log: () => {} });
  return { ...clientOf(paymentsApi(ports)), store, match };
}

/** One payment before the backup, one after it. */
async function lostPayment() {
  const world = await openWorld();
  const kept = await world.post("/v1/payment_intents", payForm, { key: "kept" });
  const backup = backUp(world);
  await world.clock.advance(60_000);
  const lost = await world.post("/v1/payment_intents", payForm, { key: "lost" });
  await world.clock.advance(60_000);
  return { world, kept, lost, lostAttempt: world.ledger.rows("attempts").at(-1)?.id, api: restored(world, backup) };
}

test("with the old cache a restored ledger answers with payments that it does not know", async () => {
  const { lost, api } = await lostPayment();

  const replay = await api.post("/v1/payment_intents", payForm, { key: "lost" });

  expect(replay.text).toBe(lost.text);
  expect((await api.get(`/v1/payment_intents/${lost.json.id}`)).status).toBe(404);
});

test("with the cache wiped it replays what it knows and nothing else, and the match names each payment that was lost", async () => {
  const { world, kept, lost, lostAttempt, api } = await lostPayment();
  world.cache.wipe();

  expect(await api.match()).toMatchObject({ orders: 2, attempts: 1, opened: 1, open: 1 });
  expect(await api.store.openBreaks(null, 10)).toMatchObject([
    {
      subject: lostAttempt,
      kind: "effect_without_attempt",
      detail: "an order of the acquirer's: authorization of 2000 usd",
    },
  ]);
  expect((await api.post("/v1/payment_intents", payForm, { key: "kept" })).text).toBe(kept.text);
  const again = await api.post("/v1/payment_intents", payForm, { key: "lost" });
  expect([again.status, again.json.id === lost.json.id]).toEqual([200, false]);
});
