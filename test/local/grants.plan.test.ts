// Shows that every grant of the plan carries something here: without it the laptop refuses and names it, and none is idle.
// It must never list a grant by hand that the plan can tell: the table is made from the synthesized stacks.
import { memoryAcquirerJournal } from "../../functions/adapters/memory/acquirer-journal.ts";
import { systemClock, systemRandom } from "../../functions/adapters/system.ts";
import { refuse } from "../../functions/domain/errors.ts";
import { memoryStores, startEmbedded } from "../../local/embedded.ts";
import type { Host } from "../../local/host.ts";
import { laptopKey, seedLaptopKey, seedShopKey } from "../../local/laptop-key.ts";
import { freePortFrom } from "../../local/listen.ts";
import { movableClock } from "../../local/movable-clock.ts";
import type { Plan } from "../../local/plan.ts";
import type { PlannedGrant } from "../../local/plan-grants.ts";
import { intercept } from "../support/interception.ts";
import { insertOf, keyRow } from "../support/ledger-rows.ts";
import { aChargeEvent } from "../support/pushes.ts";
import { enroll, look, openReceiver, statusOf, type Webhooks } from "./grants-merchant.ts";
import { planned, type Resources } from "./planned.ts";

/** A person who may call payments-api, the shop and the dashboard where not everybody may. */
const person = "developer@bank.example";

const invitePerson = ({ google_cloud_run_v2_service_iam_member: invokers }: Resources) => {
  for (const service of ["payments-api", "sample-shop", "dashboard"]) {
    const name = `projects/local-project/locations/us-central1/services/${service}`;
    Object.assign(invokers ?? {}, { [service]: { name, role: "roles/run.invoker", member: `user:${person}` } });
  }
};

/** Both kinds of stage: open to everybody with a key, and closed. */
const plans: Readonly<Record<string, Plan>> = {
  open: planned(),
  closed: planned(invitePerson, { PUBLIC: "false" }),
};

/** What a round through everything that runs today came to. */
interface Round {
  /** A bank debit whose first call to the acquirer failed, a card payment, a bank debit, a list. */
  readonly statuses: readonly number[];
  /** Whether an order at the shop was paid. */
  readonly isSold: boolean;
  /** Whether the dashboard showed the payments to the merchant who signed in. */
  readonly isSeen: boolean;
  /**
   * Intents that had succeeded after half a minute, when only a task of payments-api's can have settled the bank debit; a
   * minute later, when only one of ledger-writer's can have settled what the first sweep took up; and when all was done.
   */
  readonly succeeded: readonly number[];
  /** Events that stood in the outbox for longer than a worker and the relay leave them there. */
  readonly waiting: number;
  /** Whether the key of a resend whose worker had died was sealed: ledger-writer asks the dispatcher for that. */
  readonly isSealed: boolean;
  /** Pushes that no consumer had taken. */
  readonly undelivered: number;
  /** What became of the merchant's webhooks; see `merchant`. */
  readonly webhooks: Webhooks;
  readonly refusals: readonly string[];
  /** Grants that nothing needed. */
  readonly unused: readonly PlannedGrant[];
}

const wholeRound = {
  ...{ statuses: [503, 200, 200, 200], isSold: true, isSeen: true, succeeded: [2, 3, 3] },
  ...{ waiting: 0, isSealed: true, undelivered: 0, refusals: [] },
  webhooks: { tested: 200, failing: 3, gone: "disabled" },
};

/** Five seconds past a full minute, so that the schedule calls after 55 s, 115 s, …; the sweep of webhooks takes what is three minutes late. */
const startMs = Date.parse("2026-01-15T12:00:05Z");

/** Pays, buys, leaves a payment behind for the completer, and lets five minutes pass. */
async function goRound(plan: Plan): Promise<Round> {
  const refusals: string[] = [];
  const journal = intercept(memoryAcquirerJournal());
  journal.disturb("record", { at: "before", act: "throw", error: refuse("store_unavailable", "The journal is down.") });
  const clock = movableClock(startMs);
  const stores = { ...memoryStores(), journal: journal.port };
  const resend = { verb: "resend_delivery", input: { deliveryId: "wd_1" } } as const;
  const left = keyRow({ keyHash: "a".repeat(64), intention: resend, leaseUntilMs: startMs });
  await stores.ledger.insert("left behind", [insertOf("idempotency_keys", left)]);
  let host: Host;
  try {
    host = await startEmbedded({
      ...{ plan, clock, log: () => {}, port: await freePortFrom(undefined) },
      onRefusal: (message) => void refusals.push(message),
      stores,
    });
  } catch {
    const nothing = { statuses: [], isSold: false, isSeen: false, succeeded: [], waiting: 0, isSealed: false };
    return { ...nothing, undelivered: 0, webhooks: { tested: 0, failing: 0, gone: "" }, refusals, unused: [] };
  }
  const receiver = await openReceiver();
  try {
    const seeding = { accounts: host.accounts, clock: systemClock, random: systemRandom };
    await Promise.all([seedLaptopKey(seeding), seedShopKey(seeding, host)]);
    const merchant = await enroll(apiOf(host), receiver.baseUrl);
    const statuses = [
      await pay(host, "left behind", bankDebit),
      await pay(host, "paid", { payment_method: "pm_card_visa" }),
      await pay(host, "paid later", bankDebit),
      (await list(host)).status,
    ];
    host.platform.bus.publish("projects/local-project/topics/payment-events-dead", [aChargeEvent()]);
    // A shop whose payments are not answered asks again for seconds, and here the answer is known.
    const isSold = statuses.join() === wholeRound.statuses.join() && (await buy(host));
    const isSeen = await look(host.addresses.get("dashboard") ?? "", headersOf(host, "dashboard"));
    // The second attempt's task is lost, so that only the sweep can bring it about.
    await clock.advance(2_000);
    for (const { name } of plan.queues) if (name.includes("webhook-slow")) host.platform.tasks.purge(name);
    const succeeded: number[] = [];
    for (const atMs of [startMs + 30_000, startMs + 90_000, startMs + 300_000]) {
      await clock.advance(atMs - clock.now());
      const { intents } = await list(host);
      succeeded.push(intents.filter(({ status }) => status === "succeeded").length);
    }
    const { count: waiting } = await stores.outbox.backlog(clock.now() - 70_000, 10);
    const undelivered = countUndelivered(plan, host);
    const { idempotency_keys: key } = await stores.ledger.read({ idempotency_keys: left.keyHash });
    const isSealed = key?.outcome?.status === 404;
    const webhooks = { ...merchant, failing: receiver.failing(), gone: await statusOf(apiOf(host), merchant.goneId) };
    const { rights } = host.platform;
    return {
      ...{ statuses, isSold, isSeen, succeeded, waiting, isSealed, undelivered, refusals, unused: rights.unused() },
      webhooks: { tested: webhooks.tested, failing: webhooks.failing, gone: webhooks.gone },
    };
  } finally {
    await receiver.close();
    await host.stop();
  }
}

/** The test acquirer settles it ten seconds after it was taken. */
const bankDebit = { payment_method: "pm_usBankAccount_success", "payment_method_types[]": "us_bank_account" };

async function pay(host: Host, key: string, method: Record<string, string>): Promise<number> {
  const response = await fetch(`${host.addresses.get("payments-api")}/v1/payment_intents`, {
    method: "POST",
    headers: { ...headersOf(host), "Idempotency-Key": key },
    body: new URLSearchParams({
      ...{ amount: "2000", currency: "usd", confirm: "true", receipt_email: "buyer@example.com" },
      ...method,
    }),
  });
  await response.text();
  return response.status;
}

function countUndelivered({ bus: { subscriptions } }: Plan, { platform }: Host): number {
  const pushing = subscriptions.filter(({ delivery }) => delivery.kind === "push");
  expect(pushing).not.toEqual([]);
  return pushing.reduce((sum, { name }) => sum + platform.bus.subscription(name).backlog(), 0);
}

/** An order at the shop, as its form sends it; true when its page says that it is paid. */
async function buy(host: Host): Promise<boolean> {
  const { "X-Serverless-Authorization": identity } = headersOf(host, "sample-shop");
  const headers = { "X-Serverless-Authorization": identity ?? "" };
  const placed = await fetch(`${host.addresses.get("sample-shop")}/orders`, {
    method: "POST",
    headers,
    body: new URLSearchParams({ token: "A".repeat(24), item: "beans", quantity: "1", card: "pm_card_visa" }),
    redirect: "manual",
  });
  await placed.text();
  const page = await fetch(`${host.addresses.get("sample-shop")}${placed.headers.get("Location") ?? ""}`, { headers });
  return (await page.text()).includes("it is paid");
}

async function list(host: Host): Promise<{ status: number; intents: { status: string }[] }> {
  const response = await fetch(`${host.addresses.get("payments-api")}/v1/payment_intents`, {
    headers: headersOf(host),
  });
  const { data = [] } = (await response.json()) as { data?: { status: string }[] };
  return { status: response.status, intents: data };
}

/** The API as a merchant calls it. */
function apiOf(host: Host) {
  const baseUrl = host.addresses.get("payments-api") ?? "";
  return { baseUrl, headers: headersOf(host) };
}

/** The API's key in its own place, and the caller's identity in the other. */
function headersOf({ platform }: Host, service = "payments-api"): Record<string, string> {
  const token = platform.issuer.issue({ account: person, audience: `https://${service}.function.invalid` });
  return { Authorization: `Bearer ${laptopKey}`, "X-Serverless-Authorization": `Bearer ${token}` };
}

const nameOf = ({ member, role, resource }: PlannedGrant) =>
  `${member.split("@")[0]} ${role.split("/").pop()} ${resource.split("/").slice(-2).join("/")}`;

/** All grants of a closed stage, and those that only an open one has: what both have carries the same in both. */
const isOneOfItsKind = ({ role, member }: PlannedGrant) =>
  // Each function has one, all are used in one place, and each takes a whole round.
  role !== "roles/telemetry.tracesWriter" || member.includes(":payments-api@");

const table = [
  ...(plans["closed"]?.grants ?? []).filter(isOneOfItsKind).map((grant) => ["closed", nameOf(grant), grant] as const),
  ...(plans["open"]?.grants ?? [])
    .filter((grant) => !plans["closed"]?.grants.some((other) => nameOf(other) === nameOf(grant)))
    .map((grant) => ["open", nameOf(grant), grant] as const),
];

describe("with all its grants", () => {
  test.each(Object.keys(plans))("a stage that is %s does everything, and needs every one of them", async (stage) => {
    expect(await goRound(plans[stage] as Plan)).toEqual({ ...wholeRound, unused: [] });
  });

  test("a stage that grants something nobody needs is found out", async () => {
    const plan = planned(({ google_secret_manager_secret_iam_member: readers }) => {
      const [reader] = Object.values(readers ?? {});
      Object.assign(readers ?? {}, { planted: { ...reader, secret_id: "another-secret" } });
    });

    expect((await goRound(plan)).unused.map(({ resource }) => resource)).toEqual([
      "projects/local-project/secrets/another-secret",
    ]);
  });
});

describe("without a single grant", () => {
  test.each(table)("a stage that is %s refuses what stood on it: %s", async (stage, _name, grant) => {
    const plan = plans[stage] as Plan;

    const round = await goRound({ ...plan, grants: plan.grants.filter((other) => other !== grant) });

    expect(round.refusals).toContainEqual(expect.stringMatching(refusalOf(grant)));
    // The cache and the bus are what a payment does without, and the relay publishes for it; people are told all the same.
    const doesWithout = ["roles/datastore.user", "roles/pubsub.publisher", "roles/telemetry.tracesWriter"];
    if (!doesWithout.includes(grant.role) || !grant.member.includes(":payments-api@")) {
      const { refusals: _refusals, unused: _unused, ...answers } = round;
      const { refusals: _none, ...whole } = wholeRound;
      expect(answers).not.toEqual(whole);
    }
  });
});

/** The sentence that names who lacks what on which resource, and the missing role. */
function refusalOf({ member, role, permissions, resource }: PlannedGrant): RegExp {
  const escaped = (text: string) => text.replace(/[.\\/]/g, "\\$&");
  // Without the grant to everybody, it is the caller's own that is missed.
  const who = member === "allUsers" ? "\\S+" : escaped(member);
  const lacked = permissions.map(escaped).join("|");
  return new RegExp(
    `^PERMISSION_DENIED: ${who} lacks (${lacked}) on ${escaped(resource)}\\S*; a grant of ${escaped(role)} would give it\\.$`,
  );
}

/**
 * Held by tests on the plan (test/infra), because nobody here can miss them: functions are not built, and what
 * stands for Logging and BigQuery asks for no right. What Pub/Sub's agent needs to bury messages is held by test/local/bus.plan.test.ts.
 */
const heldByPlanTests = [
  "function-build roles/artifactregistry.writer",
  "function-build roles/logging.logWriter",
  "function-build roles/storage.objectViewer",
  "gcp-sa-logging roles/pubsub.publisher",
  "gcp-sa-pubsub roles/bigquery.dataEditor",
  "gcp-sa-pubsub roles/bigquery.metadataViewer",
];

describe("grants to who does not act here", () => {
  test("are exactly those that tests on the plan hold", () => {
    const names = Object.values(plans).flatMap(({ foreignGrants }) =>
      foreignGrants.map(
        ({ member, role }) =>
          `${/gcp-sa-[a-z]+/.exec(member)?.[0] ?? member.slice(member.indexOf(":") + 1, member.indexOf("@"))} ${role}`,
      ),
    );

    expect([...new Set(names)].sort()).toEqual(heldByPlanTests);
  });
});
