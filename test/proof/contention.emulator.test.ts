// On Spanner's emulator, too, two payments of one merchant read and write no row together; it locks the whole database, so
// they run one after the other. It must never count what was not asked of the store: the notes are taken at its port.
import { memoryAccounts } from "../../functions/adapters/memory/accounts.ts";
import { memoryAcquirerJournal } from "../../functions/adapters/memory/acquirer-journal.ts";
import { memoryIdempotencyCache } from "../../functions/adapters/memory/idempotency-cache.ts";
import { spannerBalances } from "../../functions/adapters/spanner-balances.ts";
import { spannerLedger } from "../../functions/adapters/spanner-ledger.ts";
import { spannerSeals } from "../../functions/adapters/spanner-seals.ts";
import { spannerStories } from "../../functions/adapters/spanner-stories.ts";
import { systemClock, systemRandom } from "../../functions/adapters/system.ts";
import { apiKeyDigest } from "../../functions/domain/accounts.ts";
import { paymentsApi } from "../../functions/edge/payments-api.ts";
import { networkOver } from "../../functions/edge/test-network.ts";
import { checkpointBalances } from "../../functions/flows/checkpoint-balances.ts";
import { verifyLedger } from "../../functions/flows/verify-ledger.ts";
import { type EmulatorDatabase, openEmulatorDatabase } from "../support/emulator-database.ts";
import { sharedRows, touching } from "../support/touched-rows.ts";
import { apiKeys, clientOf, webhookPorts } from "../support/world.ts";

let database: EmulatorDatabase;
beforeAll(async () => {
  database = await openEmulatorDatabase();
});
afterAll(async () => {
  await database?.close();
});

test("two payments of one merchant touch no row together, and its balance is their sum before and after a checkpoint", async () => {
  const accounts = memoryAccounts();
  const { id: accountId } = await accounts.ensureAccount({ id: "acct_1", name: "merchant", createdAtMs: 0 });
  const digest = apiKeyDigest(apiKeys.first);
  await accounts.addKey({ digest, accountId, lastFour: "1111", createdAtMs: 0, revokedAtMs: null });
  const machine = { clock: systemClock, random: systemRandom, log: () => {} };
  const acquirer = networkOver({ ...machine, journal: memoryAcquirerJournal() });
  const [ledger, balances, cache] = [spannerLedger(database), spannerBalances(database), memoryIdempotencyCache()];
  const stories = spannerStories(database);
  const shared = { ...machine, balances, stories, accounts, cache, acquirer, webhooks: webhookPorts() };
  const apiOver = (store: typeof ledger) => clientOf(paymentsApi({ ...shared, ledger: store }));

  const touched: ReadonlySet<string>[] = [];
  for (const name of ["first", "second"]) {
    const noting = touching(ledger);
    const { post } = apiOver(noting.ledger);
    const form = "amount=2000&currency=usd&confirm=true&payment_method=pm_card_visa";
    const paid = await post("/v1/payment_intents", form, { key: name });
    const given = await post("/v1/refunds", `payment_intent=${paid.json.id}&amount=500`, { key: `${name} refund` });
    expect([paid.status, given.status]).toEqual([200, 200]);
    touched.push(noting.touched);
  }
  expect(Math.min(...touched.map(({ size }) => size))).toBeGreaterThan(10);
  expect(sharedRows(touched)).toEqual([]);

  const { get } = apiOver(ledger);
  const owed = async () => (await get("/v1/balance")).json.pending;
  expect(await owed()).toMatchObject([{ amount: 2 * (1_912 - 500), currency: "usd" }]);
  expect(await checkpointBalances({ ...machine, ledger, balances })).toEqual({ accounts: 1, left: 0 });
  expect(await owed()).toMatchObject([{ amount: 2 * (1_912 - 500), currency: "usd" }]);
  expect(await checkpointBalances({ ...machine, ledger, balances })).toEqual({ accounts: 0, left: 0 });
  const verification = await verifyLedger({ ...machine, ledger, balances, seals: spannerSeals(database) });
  expect(verification).toMatchObject({ fault: null, rows: { balance_checkpoints: 1, ledger_transactions: 4 } });
});
