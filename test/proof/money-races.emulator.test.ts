// Races on one payment against Google's Spanner emulator, four times each: the database decides, and the books stay sound.
// It must never count on the emulator's order: who wins is open, that one wins is not.
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
import { verifyLedger } from "../../functions/flows/verify-ledger.ts";
import { type EmulatorDatabase, openEmulatorDatabase } from "../support/emulator-database.ts";
import { apiKeys, clientOf, type Reply, webhookPorts } from "../support/world.ts";

let database: EmulatorDatabase;
beforeAll(async () => {
  database = await openEmulatorDatabase();
});
afterAll(async () => {
  await database?.close();
});

const intents = "/v1/payment_intents";
const visa = "currency=usd&payment_method=pm_card_visa";

/** Verifies everything that the tests left. */
const verify = () =>
  verifyLedger({
    ...{ ledger: spannerLedger(database), balances: spannerBalances(database), seals: spannerSeals(database) },
    ...{ clock: systemClock, log: () => {} },
  });

/** The API over the emulator's ledger; cache, accounts and card network are in memory. */
async function openApi() {
  const accounts = memoryAccounts();
  const journal = memoryAcquirerJournal();
  const { id } = await accounts.ensureAccount({ id: systemRandom.id("acct"), name: "races", createdAtMs: 0 });
  const key = {
    digest: apiKeyDigest(apiKeys.first),
    accountId: id,
    lastFour: "1111",
    createdAtMs: 0,
    revokedAtMs: null,
  };
  await accounts.addKey(key);
  const shared = { clock: systemClock, random: systemRandom, log: () => {} };
  const [ledger, balances] = [spannerLedger(database), spannerBalances(database)];
  const acquirer = networkOver({ journal, clock: systemClock, log: () => {} });
  const outside = { acquirer, webhooks: webhookPorts() };
  const stores = { ledger, balances, stories: spannerStories(database), accounts, cache: memoryIdempotencyCache() };
  const { post } = clientOf(paymentsApi({ ...shared, ...stores, ...outside }));
  /** As a client does that obeys `Stripe-Should-Retry`: busy is asked again under the same key, at most twenty times. */
  const insist = async (path: string, form: string): Promise<Reply> => {
    const sent = { key: systemRandom.token() };
    for (let asked = 1; ; asked += 1) {
      const reply = await post(path, form, sent);
      if (reply.headers["Stripe-Should-Retry"] !== "true" || asked === 20) return reply;
      await systemClock.sleep(50 * asked);
    }
  };
  return { insist, journal };
}

const races = [
  {
    title: "of two refunds of 60 on 100 one is made",
    given: `amount=10000&confirm=true&${visa}`,
    racers: (id: string) => Array(2).fill(["/v1/refunds", `payment_intent=${id}&amount=6000`]),
    statuses: [200, 400],
    effects: ["authorize 10000", "refund 6000"],
  },
  {
    title: "four refunds of 25 on 100 are all made",
    given: `amount=10000&confirm=true&${visa}`,
    racers: (id: string) => Array(4).fill(["/v1/refunds", `payment_intent=${id}&amount=2500`]),
    statuses: [200, 200, 200, 200],
    effects: ["authorize 10000", "refund 2500", "refund 2500", "refund 2500", "refund 2500"],
  },
  {
    title: "of two confirms with two keys one pays",
    given: `amount=2000&${visa}`,
    racers: (id: string) => Array(2).fill([`${intents}/${id}/confirm`, ""]),
    statuses: [200, 400],
    effects: ["authorize 2000"],
  },
] as const;

test.each(races)("$title, four times over", async ({ given, racers, statuses, effects }) => {
  const { insist, journal } = await openApi();
  let seen = 0;
  for (let fold = 0; fold < 4; fold += 1) {
    const { id } = (await insist(intents, given)).json;
    const replies = await Promise.all(racers(id).map(([path, form]) => insist(path, form)));
    expect(replies.map(({ status }) => status).sort()).toEqual(statuses);
    for (const reply of replies) expect(reply.text).not.toContain("insufficient");
    const lines = await journal.list(100);
    expect(
      lines
        .slice(0, lines.length - seen)
        .map(({ kind, amountMinor }) => `${kind} ${amountMinor}`)
        .sort(),
    ).toEqual(effects);
    seen = lines.length;
  }
  expect(await verify()).toMatchObject({ fault: null });
});

test("of a capture and a cancel one ends the hold, four times over", async () => {
  const { insist, journal } = await openApi();
  for (let fold = 0; fold < 4; fold += 1) {
    const { id } = (await insist(intents, `amount=2000&confirm=true&capture_method=manual&${visa}`)).json;
    const replies = await Promise.all([insist(`${intents}/${id}/capture`, ""), insist(`${intents}/${id}/cancel`, "")]);
    const won = replies.findIndex(({ status }) => status === 200);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect(replies[won]?.json.status).toBe(["succeeded", "canceled"][won]);
  }
  const kinds = (await journal.list(100)).map(({ kind }) => kind);
  expect(kinds.filter((kind) => kind !== "authorize")).toHaveLength(4);
  expect(await verify()).toMatchObject({ fault: null });
});
