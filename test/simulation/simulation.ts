// One simulation: a world, a busy time with faults, a quiet time without, and then the judgement.
// It must never depend on anything but its seed.
import { apiKeyDigest } from "../../functions/domain/accounts.ts";
import type { Aftermath } from "./aftermath.ts";
import { type Asked, openClient } from "./client.ts";
import { type FaultKind, faultsFrom } from "./faults.ts";
import { invariants } from "./invariants.ts";
import { openBus, openQueues, startSchedule } from "./platform.ts";
import { openReceivers, temperaments } from "./receivers.ts";
import { redrive } from "./redrive.ts";
import { type Chance, chanceOf } from "./seeded-random.ts";
import { platformRequest } from "./service.ts";
import { freshAmounts, shop } from "./shoppers.ts";
import { openStores, outsideClock, type Stores } from "./stores.ts";
import { accounts, type FunctionName, openSystem } from "./system.ts";
import { type VirtualTime, virtualTime } from "./virtual-time.ts";
import type { Surroundings } from "./worker.ts";

/** How a simulation went. */
export interface SimulationReport {
  readonly seed: number;
  readonly steps: number;
  readonly faults: Readonly<Record<FaultKind, number>>;
  readonly simulatedDays: number;
  /** What does not hold, by the name of its invariant. */
  readonly violations: readonly { readonly invariant: string; readonly problem: string }[];
}

/** 2026-01-15 12:00:00 UTC. */
const beginMs = Date.UTC(2026, 0, 15, 12, 0, 0);

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** The busy time: with the waits of the clients, orders go on for twice as long. */
const busyMs = 30 * minuteMs;

/** Faults end when the leases and the back-offs of what began last have had their time. */
const stormMs = 75 * minuteMs;

/** The last events are of payments under keys that had ended before; their deliveries take three days more. */
const quietMs = 106 * hourMs;

/** The merchants of every simulation. */
export const merchants = [
  { account: "acct_first", apiKey: "sk_test_simulated_first_1111" },
  { account: "acct_second", apiKey: "sk_test_simulated_second_2222" },
] as const;

/** Runs one seed; `tell` gets every step. */
export async function simulate(seed: number, tell: (line: () => string) => void = () => {}): Promise<SimulationReport> {
  const root = chanceOf(seed);
  const ties = root.fork("ties");
  const time = virtualTime(beginMs, ties.unit);
  const faults = faultsFrom(root.fork("faults"));
  const stores = openStores(time);
  const weather = { cache: null as "errors" | "silent" | null, down: null as FunctionName | null };
  const told = (line: () => string) =>
    tell(() => `${((time.now() - beginMs) / 1000).toFixed(3).padStart(11)} ${line()}`);
  const broken: string[] = [];
  const around: Surroundings = { time, faults, tell: told, isCacheDown: () => weather.cache, broken };
  const receivers = openReceivers(faults, outsideClock(time));
  const bus = openBus(
    around,
    () => system,
    (name) => weather.down === name,
  );
  const queues = openQueues(around, stores, () => system);
  const system = openSystem(around, stores, { ...bus, ...queues, egress: receivers.egress });
  const api = system["payments-api"];
  const client = openClient(around, api, root.fork("client"));

  await addMerchants(stores);
  startSchedule(around, () => system, beginMs + stormMs);
  storm(around, root.fork("storm"), { weather, stores, queues, system });
  const business = root.fork("business");
  const amounts = freshAmounts();
  for (const { apiKey, account } of merchants) {
    endpointsOf({ apiKey, account }, business, { client, receivers, around });
    for (let order = 1; order <= business.whole(3, 6); order += 1) {
      const at = { ...around, client, api, stores, amounts, apiKey, chance: business.fork(`${account} ${order}`) };
      const name = `${account.slice(5)}-${order}`;
      time.at(beginMs + business.whole(5_000, busyMs), () => void shop(at, name));
    }
  }
  const judges = openJudges(time, system, client);
  if (business.happens(0.2)) judges.askAt(beginMs + business.whole(minuteMs, stormMs), "/reconcile");
  const person = { around, stores, publisher: bus.publisher };
  time.at(beginMs + 55 * minuteMs, () => void redrive(person));
  await time.runUntil(beginMs + stormMs);
  faults.stop();
  weather.cache = null;
  weather.down = null;
  told(() => "faults are over");
  time.at(time.now() + 3 * hourMs, () => void redrive(person));
  // Whatever was asked is asked once more, while every key still stands.
  await time.runUntil(beginMs + stormMs + 6 * hourMs);
  for (const asked of distinct(client.answers.map((answer) => answer.asked))) {
    // Writes on webhooks are left to the completer: nobody may need a client to end.
    if (asked.path.startsWith("/v1/webhook")) continue;
    time.at(time.now() + root.whole(0, minuteMs), () => void client.ask(asked));
  }
  for (const { apiKey } of merchants) {
    const [asked] = client.answers.map((answer) => answer.asked).filter((each) => isCreateOf(apiKey, each));
    if (asked === undefined) continue;
    const form = `amount=${amounts.whole()}&currency=eur&confirm=true&payment_method=pm_card_visa`;
    // Every key of the busy time was decided, or sealed by the completer, more than a day before.
    time.at(beginMs + stormMs + 31 * hourMs, () => void client.ask({ ...asked, form, isReuse: true }));
  }
  // It looks two days back; by then even a challenge that nobody answered has ended.
  judges.askAt(beginMs + stormMs + 33 * hourMs, "/reconcile");
  // In calm weather most runs of each minute's job are left out, so there is one in time for the judge.
  judges.askAt(beginMs + stormMs + 33 * hourMs - 10 * minuteMs, "/complete");
  judges.askAt(beginMs + stormMs + quietMs, "/verify");
  judges.askBalancesAt(beginMs + stormMs + quietMs);
  await time.runUntil(beginMs + stormMs + quietMs + hourMs);
  const { judged, balances } = judges;
  const aftermath: Aftermath = { stores, time, client, receivers, faults, judged, balances, broken };
  const violations: { invariant: string; problem: string }[] = [];
  for (const [invariant, problems] of Object.entries(invariants)) {
    for (const problem of await problems(aftermath)) violations.push({ invariant, problem });
  }
  return {
    ...{ seed, steps: time.steps(), faults: faults.counts(), violations },
    simulatedDays: (time.now() - beginMs) / dayMs,
  };
}

async function addMerchants({ accounts: store }: Stores): Promise<void> {
  for (const { account, apiKey } of merchants) {
    await store.ensureAccount({ id: account, name: account, createdAtMs: beginMs });
    const key = { digest: apiKeyDigest(apiKey), accountId: account, lastFour: apiKey.slice(-4) };
    await store.addKey({ ...key, createdAtMs: beginMs, revokedAtMs: null });
  }
}

/** Endpoints are made like everything else: by requests that may be lost. */
function endpointsOf(
  { apiKey, account }: { apiKey: string; account: string },
  chance: Chance,
  { client, receivers, around }: Pick<Aftermath, "client" | "receivers"> & { around: Surroundings },
): void {
  for (let made = 1; made <= chance.whole(1, 2); made += 1) {
    const url = `https://${account.slice(5)}-${made}.shop.example/hooks`;
    const turnsAtMs = beginMs + chance.whole(10 * minuteMs, 30 * hourMs);
    receivers.add({ url, temperament: chance.one(temperaments), turnsAtMs });
    const events = chance.happens(0.7)
      ? "*"
      : chance.one(["charge.succeeded", "payment_intent.succeeded", "refund.created"]);
    const form = `url=${encodeURIComponent(url)}&enabled_events[]=${events}`;
    const asked = { apiKey, key: `endpoint ${made}`, path: "/v1/webhook_endpoints", form };
    const patience = chance.happens(0.5) ? 1 : 12;
    around.time.at(beginMs + chance.whole(0, 4_000), () => void client.ask(asked, patience));
  }
}

interface Sky {
  readonly weather: { cache: "errors" | "silent" | null; down: FunctionName | null };
  readonly stores: Stores;
  readonly queues: ReturnType<typeof openQueues>;
  readonly system: ReturnType<typeof openSystem>;
}

/** What happens to stores, queues and functions as a whole. */
function storm({ time, faults, tell }: Surroundings, chance: Chance, { weather, stores, queues, system }: Sky): void {
  const some = (most: number, run: () => void) => {
    for (let count = chance.whole(0, most); count > 0; count -= 1) {
      time.at(beginMs + chance.whole(1_000, 50 * minuteMs), run);
    }
  };
  some(3, () => {
    faults.count("cache wipe");
    tell(() => "the cache is wiped");
    stores.cache.wipe();
  });
  some(2, () => {
    faults.count("cache down");
    weather.cache = chance.one(["errors", "silent"] as const);
    tell(() => `the cache is down: ${weather.cache}`);
    time.at(time.now() + chance.whole(1_000, 300_000), () => {
      weather.cache = null;
    });
  });
  some(1, () => queues.purge(chance.one(["webhookFast", "webhookSlow", "settlements"] as const)));
  some(1, () => {
    const name = chance.one(["notification", "invoice", "risk", "webhook-dispatcher"] as const);
    faults.count("consumer down");
    tell(() => `${name} is down`);
    weather.down = name;
    time.at(time.now() + chance.whole(60_000, 60 * minuteMs), () => {
      if (weather.down === name) weather.down = null;
    });
  });
  some(1, () => system[chance.one(["payments-api", "ledger-writer", "webhook-dispatcher"] as const)].replace());
}

/** The system's own judges, and what each merchant is told of its balance; each is asked at an event of its own. */
function openJudges(time: VirtualTime, system: Sky["system"], client: Aftermath["client"]) {
  const judged = new Map<string, Record<string, unknown>>();
  const balances = new Map<string, unknown>();
  const job = async (path: string) => {
    const request = platformRequest("ledger-writer.example", accounts.schedule, path, {});
    const heard = await system["ledger-writer"].call(request, 240_000);
    judged.set(path, typeof heard === "string" ? { failed: heard } : JSON.parse(heard.body.toString("utf8")));
  };
  const tellBalances = async () => {
    for (const { account, apiKey } of merchants) balances.set(account, (await client.get(apiKey, "/v1/balance"))?.json);
  };
  return {
    judged,
    balances,
    askAt: (atMs: number, path: "/complete" | "/verify" | "/reconcile") => time.at(atMs, () => void job(path)),
    askBalancesAt: (atMs: number) => time.at(atMs, () => void tellBalances()),
  };
}

/** A request that made a payment. */
function isCreateOf(apiKey: string, asked: Asked): boolean {
  return asked.apiKey === apiKey && asked.path === "/v1/payment_intents";
}

/** Requests that differ. */
function distinct(all: readonly { apiKey: string; key: string; path: string; form: string }[]) {
  return [...new Map(all.map((asked) => [JSON.stringify(asked), asked])).values()];
}
