// Takes the Redis server away in the middle of traffic, in every way in which it can go, and counts what was paid.
// It must never ask the cache or our own ledger alone: the acquirer's journal says what really moved.
import { memoryAccounts } from "../../functions/adapters/memory/accounts.ts";
import { memoryAcquirerJournal } from "../../functions/adapters/memory/acquirer-journal.ts";
import { memoryBalances } from "../../functions/adapters/memory/balances.ts";
import { memoryLedger } from "../../functions/adapters/memory/ledger.ts";
import { memorySeals } from "../../functions/adapters/memory/seals.ts";
import { memoryStories } from "../../functions/adapters/memory/stories.ts";
import { memoryTables } from "../../functions/adapters/memory/tables.ts";
import { openRedis } from "../../functions/adapters/redis-client.ts";
import { redisIdempotencyCache } from "../../functions/adapters/redis-idempotency-cache.ts";
import { systemClock, systemRandom } from "../../functions/adapters/system.ts";
import { apiKeyDigest } from "../../functions/domain/accounts.ts";
import { paymentsApi } from "../../functions/edge/payments-api.ts";
import { networkOver } from "../../functions/edge/test-network.ts";
import type { IdempotencyCache } from "../../functions/flows/ports.ts";
import { claimBy, completedBy, newKeyHash } from "../contracts/idempotency-cache-contract.ts";
import { openCuttingProxy } from "../support/cutting-proxy.ts";
import { describeWithRedis, openTestRedis, type TestRedis } from "../support/redis-server.ts";
import { apiKeys, clientOf, payForm, type Reply, webhookPorts } from "../support/world.ts";

let server: TestRedis;
beforeEach(async () => {
  server = await openTestRedis();
});
afterEach(async () => await server.close());

/** Two instances of payments-api over one ledger and one Redis, each with its own connection. */
async function openInstances() {
  const accounts = memoryAccounts();
  const { id: accountId } = await accounts.ensureAccount({ id: "acct_1", name: "merchant", createdAtMs: 0 });
  const digest = apiKeyDigest(apiKeys.first);
  await accounts.addKey({ digest, accountId, lastFour: "1111", createdAtMs: 0, revokedAtMs: null });
  const [tables, journal] = [memoryTables(), memoryAcquirerJournal()];
  const stories = memoryStories(tables, memorySeals(tables));
  const stores = { ledger: memoryLedger(tables), balances: memoryBalances(tables), stories, accounts };
  const machine = { clock: systemClock, random: systemRandom, log: () => {} };
  const acquirer = networkOver({ ...machine, journal });
  const instance = (cache: IdempotencyCache) =>
    clientOf(paymentsApi({ ...machine, ...stores, cache, acquirer, webhooks: webhookPorts() }));
  return {
    instances: [instance(server.open().cache), instance(server.open().cache)] as const,
    ledger: stores.ledger,
    journal,
  };
}

const keys = Array.from({ length: 30 }, (_, index) => `order-${index}`);

describeWithRedis("a Redis that goes away in mid-traffic", () => {
  test.each<[title: string, accident: () => Promise<unknown>]>([
    ["FLUSHALL", async () => await server.admin.command(["FLUSHALL"])],
    ["SIGKILL, and nobody takes over", async () => await server.kill()],
    ["SIGKILL, and an empty server takes over", async () => await server.kill().then(() => server.start())],
    ["a second of silence", async () => await server.admin.command(["CLIENT", "PAUSE", "1000", "ALL"])],
    ["every connection cut", async () => await server.admin.command(["CLIENT", "KILL", "TYPE", "normal"])],
  ])("%s: each key pays once, and every repetition gets the first answer", async (_title, accident) => {
    const { instances, ledger, journal } = await openInstances();
    const answers = new Map<string, Reply[]>(keys.map((key) => [key, []]));
    const send = async (key: string, turn: number) => {
      const reply = await instances[turn % 2 === 0 ? 0 : 1].post("/v1/payment_intents", payForm, { key });
      answers.get(key)?.push(reply);
    };
    // given half of the keys answered, and the other half on their way twice
    await Promise.all(keys.slice(0, 15).map((key) => send(key, 0)));
    const running = keys.slice(15).flatMap((key) => [send(key, 0), send(key, 1)]);
    // when
    await accident();
    await Promise.all([...running, ...keys.map((key) => send(key, 1))]);
    await Promise.all(keys.map((key) => send(key, 0)));
    // then
    for (const replies of answers.values()) {
      const paid = replies.filter(({ status }) => status === 200);
      expect(replies.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
      expect(new Set(paid.map(({ text }) => text)).size).toBe(1);
      expect(paid.filter(({ headers }) => headers["Idempotent-Replayed"] === undefined)).toHaveLength(1);
    }
    expect(ledger.rows("charges")).toHaveLength(keys.length);
    const authorizations = (await journal.list(1_000)).filter(({ kind }) => kind === "authorize");
    expect(authorizations).toHaveLength(keys.length);
  });
});

describeWithRedis("a reply that gets lost", () => {
  test("does not make a twin of one's own claim, nor a stranger of one's own answer", async () => {
    const proxy = await openCuttingProxy(server.port);
    const redis = openRedis({ host: "127.0.0.1", port: proxy.port }, { clock: systemClock });
    const cache = redisIdempotencyCache({ redis, clock: systemClock });
    const keyHash = newKeyHash();
    await cache.read(keyHash);

    proxy.cutNextAnswerAfter(0);
    const claimed = await cache.claim(keyHash, claimBy("worker-1"));
    proxy.cutNextAnswerAfter(0);
    const replaced = await cache.replace(keyHash, claimed.version, completedBy("worker-1", "{}"));
    await redis.close();
    proxy.close();

    expect(claimed.kind).toBe("claimed");
    expect(replaced.kind).toBe("replaced");
    expect((await server.open().cache.read(keyHash))?.record).toEqual(completedBy("worker-1", "{}"));
  });
});
