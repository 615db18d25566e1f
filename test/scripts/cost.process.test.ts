// Holds the cost of the stages to numbers that were worked out by hand, and their idle cost to a budget.
// It must never let a new kind of resource in unpriced.

import { capacityOf } from "../../scripts/cost/capacity.ts";
import { idleCosts, runsPerMonth } from "../../scripts/cost/idle.ts";
import { pageCosts } from "../../scripts/cost/pages.ts";
import { total } from "../../scripts/cost/table.ts";
import { paymentCosts } from "../../scripts/cost/usage.ts";
import { cost, unknownTypes } from "../../scripts/cost.ts";
import { type SynthesizedResource, synthesizedStacks } from "../../scripts/synthesized-stacks.ts";

/** Each stage is synthesized once, in a child. */
import.meta.jest.setTimeout(30_000);

const stages: Record<string, SynthesizedResource[]> = {};
beforeAll(async () => {
  for (const stage of ["dev", "staging", "prod"]) {
    stages[stage] = await synthesizedStacks({ PATH: process.env["PATH"], STAGE_FILE: "none", STAGE: stage });
  }
}, 60_000);

const memorystore = async (stage: string) =>
  await synthesizedStacks({
    ...{ PATH: process.env["PATH"], STAGE_FILE: "none", STAGE: stage },
    IDEMPOTENCY_CACHE: "memorystore",
  });

test("a thousand pages of the dashboard cost cents: mostly the least that each query is billed", () => {
  // 0.00002525 a second of one CPU and half a GiB: 0.2 s and 3 times 0.1 s a page are 0.0126 in all, requests 0.0016, and
  // 2000 queries of 10 MiB are 0.019 TiB.
  expect(total(pageCosts(stages["dev"] ?? []))).toBeCloseTo(0.0126 + 0.0016 + 0.119, 3);
});

const idle = (stage: string) => total(idleCosts(stages[stage] ?? []));

describe("the idle cost of a month", () => {
  test("of dev is Spanner's smallest size and less than five dollars more", () => {
    // 100 processing units are 0.09 an hour, 65.70 a month, and nothing smaller is sold; schedules, queues and secrets
    // are cents. A warm instance (66 a month) or a second Spanner would break this, and is not for a stage of tests.
    expect(idle("dev")).toBeLessThanOrEqual(70);
    expect(idle("dev")).toBeGreaterThan(65.7);
  });

  test("of staging is the same: it differs in its instances, which cost nothing while idle", () => {
    expect(idle("staging")).toBeLessThanOrEqual(70);
  });

  test("of prod is one node and one warm instance", () => {
    // A node is 657, an instance that is always there at most 66.36; the rest is cents.
    expect(idle("prod")).toBeLessThanOrEqual(730);
    expect(idle("prod")).toBeGreaterThan(657 + 66);
  });

  test("of dev with Memorystore is 48 more: a GB of it, and the connector's two instances", async () => {
    const resources = await memorystore("dev");

    // 0.049 an hour for the GB are 35.77, two e2-micro are 12.23, and the password is a secret more.
    expect(total(idleCosts(resources)) - idle("dev")).toBeCloseTo(35.77 + 12.23 + 0.06, 1);
    expect(unknownTypes(resources)).toEqual([]);
    const perMillion = (stage: readonly SynthesizedResource[]) => total(paymentCosts(stage));
    // Two writes, two reads and a delete of Firestore for each payment are saved.
    expect(perMillion(stages["dev"] ?? []) - perMillion(resources)).toBeCloseTo(2 * 0.9 + 2 * 0.3 + 0.1, 2);
  });

  test.each([
    ["dev", "processing_units", 200, 65.7],
    ["prod", "edition", "ENTERPRISE", 240.9],
  ])("of %s follows the plan: another %s is seen", (stage, name, value, more) => {
    const changed = (stages[stage] ?? []).map((resource) =>
      resource.type === "google_spanner_instance"
        ? { ...resource, attributes: { ...resource.attributes, [name]: value } }
        : resource,
    );

    expect(total(idleCosts(changed)) - idle(stage)).toBeCloseTo(more, 1);
  });

  test("of a Spanner on trial is nothing, of one in several regions five replicas, of an unknown edition unknown", () => {
    const instance = (attributes: Record<string, unknown>) => [
      { stack: "data", type: "google_spanner_instance", id: "one", attributes },
    ];

    expect(total(idleCosts(instance({ instance_type: "FREE_INSTANCE", config: "regional-us-central1" })))).toBe(0);
    const wide = { config: "nam3", edition: "ENTERPRISE_PLUS", processing_units: 1000 };
    expect(total(idleCosts(instance(wide)))).toBeCloseTo(10 * 0.057 * 5 * 730, 6);
    expect(() => idleCosts(instance({ ...wide, edition: "GOLD" }))).toThrow(
      "no price for a Spanner of 1000 units, GOLD",
    );
  });

  test.each([
    ["* * * * *", 43_800],
    ["*/5 * * * *", 8_760],
    ["0 3 * * *", 30],
    ["0,30 * * * *", 1_460],
  ])("counts the runs of %s", (schedule, runs) => {
    expect(runsPerMonth(schedule)).toBe(runs);
  });
});

describe("the cost of a million payments", () => {
  test("adds up what was worked out by hand for the parts of dev", () => {
    const costs = Object.fromEntries(paymentCosts(stages["dev"] ?? []).map(({ part, usd }) => [part, usd.toFixed(2)]));

    expect(costs).toMatchObject({
      // Two writes 1.80, two reads 0.60, a delete 0.10.
      Firestore: "2.50",
      // Four writes 3.60, two deletes 0.20; three writes 2.70; three writes, a read and three deletes.
      "notification's documents": "3.80",
      "invoice's documents": "2.90",
      "risk's documents": "3.30",
      // Three writes 2.70, seven reads 2.10, a delete 0.10.
      "webhook-dispatcher's documents": "4.90",
      // A request 0.40, 100 ms of one CPU 2.40, 100 ms of 512 MiB 0.125.
      "payments-api": "2.93",
      // 14 lines of 1 KB: 13.04 GiB at 90 a TiB; with the event 13.97 GiB at 0.02; a hundred times a fifth of that at 6.25.
      "Log archive": "1.15",
      "BigQuery rows": "0.28",
      "BigQuery questions": "1.71",
      // 1.86 GiB on three replicas.
      "Spanner storage": "0.56",
    });
  });

  test("counts a function's size as the plan has it, and every subscription that delivers", () => {
    const subscription = (id: string, how: string, topic: string): SynthesizedResource => {
      return { stack: "messaging", type: "google_pubsub_subscription", id, attributes: { [how]: {}, topic } };
    };
    const big: SynthesizedResource = {
      stack: "services",
      type: "google_cloudfunctions2_function",
      id: "risk",
      attributes: {
        build_config: { entry_point: "risk" },
        service_config: { available_cpu: "2", available_memory: "1Gi" },
      },
    };

    const costs = paymentCosts([
      big,
      subscription("one", "push_config", "events"),
      subscription("two", "push_config", "events"),
      subscription("three", "bigquery_config", "events"),
      subscription("four", "push_config", "events-dead"),
      subscription("five", "bigquery_config", "logs"),
    ]);

    const usd = Object.fromEntries(costs.map((one) => [one.part, one.usd]));
    expect(usd["risk"]).toBeCloseTo(0.4 + 1e5 * (2 * 0.000024 + 0.0000025), 6);
    // 0.93 GiB in at 40 a TiB, twice out at 40, once to BigQuery at 50.
    // Two lines of the one call, and what carries them is not counted with the events.
    expect(usd["Log archive"]).toBeCloseTo(2 * (1e9 / 2 ** 40) * (40 + 50), 6);
    expect(usd["Pub/Sub"]).toBeCloseTo((1e9 / 2 ** 40) * (40 + 80 + 50), 6);
  });
});

describe("a number of payments a day", () => {
  const needsOf = (perDay: number) =>
    Object.fromEntries(capacityOf(stages["prod"] ?? [], perDay).needs.map(({ what, amount }) => [what, amount]));

  test("of a hundred million needs what was worked out by hand", () => {
    // 1,157 a second, 3,472 at the busiest: 13,889 writes of 3,500 and 10,417 reads of 22,500 a node are 4.4 nodes;
    // 3,472 webhooks of 500; 3,472 calls of half a second, 32 at once and six tenths busy, are 90.4 instances.
    expect(needsOf(1e8)).toMatchObject({
      "Spanner processing units": 5_000,
      WEBHOOK_QUEUE_SHARDS: 7,
      "instances of payments-api": 91,
    });
  });

  test("of a thousand needs the smallest that is sold, and of ten million half a node", () => {
    expect(needsOf(1_000)).toMatchObject({
      "Spanner processing units": 100,
      WEBHOOK_QUEUE_SHARDS: 1,
      "instances of payments-api": 1,
    });
    expect(needsOf(1e7)["Spanner processing units"]).toBe(500);
  });

  test("costs ten times as much with ten times as many, but for Spanner's steps", () => {
    const usdOf = (perDay: number) =>
      total(capacityOf(stages["prod"] ?? [], perDay).costs.filter(({ part }) => part !== "Spanner"));

    expect(usdOf(1e8) / usdOf(1e7)).toBeCloseTo(10, 6);
  });

  test.each(["0", "-5", "many", "1.5", "1e11", ""])("of %j is refused by the option's name", async (perDay) => {
    const run = cost([`--per-day=${perDay}`], { environment: {}, say: () => {}, complain: () => {} });

    await expect(run).rejects.toThrow("--per-day must be a whole number of payments from 1 to 10000000000");
  });

  test("is printed with what each number follows from", async () => {
    const lines: string[] = [];
    const environment = { PATH: process.env["PATH"], STAGE_FILE: "none" };

    await cost(["--per-day", "1e8"], { environment, say: (line) => void lines.push(line), complain: () => {} });

    expect(lines.join("\n")).toMatch(/^ +5000 {2}Spanner processing units {2}\(13,889 writes and 10,417 reads/m);
    expect(lines.join("\n")).toMatch(/^ +\d+\.\d\d {2}together$/m);
  });
});

describe("the price table", () => {
  test.each(["dev", "staging", "prod"])("knows every kind of resource of %s", (stage) => {
    expect((stages[stage] ?? []).length).toBeGreaterThan(20);
    expect(unknownTypes(stages[stage] ?? [])).toEqual([]);
  });
});

test("the script prints each table with its sum and the date of the prices", async () => {
  const lines: string[] = [];
  const environment = { PATH: process.env["PATH"], STAGE_FILE: "none" };

  const code = await cost(["--stage", "dev"], {
    environment,
    say: (line) => void lines.push(line),
    complain: () => {},
  });

  expect(code).toBe(0);
  expect(lines.join("\n")).toMatch(
    /Idle, in a month\n +65\.70 {2}Spanner {2}\(100 processing units, STANDARD, regional-us-central1\)/,
  );
  expect(lines.join("\n").match(/^ +\d+\.\d\d {2}together$/gm)).toHaveLength(3);
  expect(lines.at(-1)).toContain("list prices of 2026-08");
});
