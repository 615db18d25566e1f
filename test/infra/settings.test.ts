// Shows how a stage is chosen and what is refused.
// It must never read the environment of the machine that runs it.
import { named, placeholderProject, queueName, readSettings, storeNames } from "../../infra/settings.ts";

describe("settings", () => {
  test("need nothing: without variables they are dev in a placeholder project", () => {
    expect(readSettings({}, null)).toMatchObject({
      stage: "dev",
      projectId: placeholderProject,
      region: "us-central1",
      prefix: "",
      isPublic: false,
      alertEmail: null,
      stateBucket: null,
      queueGeneration: 1,
      idempotencyCache: "firestore",
      webhookQueueShards: 1,
      hasTestAcquirer: true,
      hasSampleShop: true,
      sourcesFolder: null,
    });
  });

  test.each([
    ["a stage that does not exist", { STAGE: "live" }, "STAGE must be one of dev, staging, prod, not live."],
    ["a word that is neither true nor false", { PUBLIC: "yes" }, "PUBLIC must be one of true, false, not yes."],
    [
      "a queue generation of nothing",
      { QUEUE_GENERATION: "0" },
      "QUEUE_GENERATION must be a whole number from 1, not 0.",
    ],
    ["no queues", { WEBHOOK_QUEUE_SHARDS: "0" }, "WEBHOOK_QUEUE_SHARDS must be a whole number from 1 to 32, not 0."],
    ["too many queues", { WEBHOOK_QUEUE_SHARDS: "33" }, "WEBHOOK_QUEUE_SHARDS must be"],
    [
      "a cache that does not exist",
      { IDEMPOTENCY_CACHE: "redis" },
      "IDEMPOTENCY_CACHE must be one of firestore, memorystore, not redis.",
    ],
    ["a prefix with a capital", { PREFIX: "Anna" }, "PREFIX must be"],
    ["a prefix that ends in a hyphen", { PREFIX: "anna-" }, "PREFIX must be"],
    ["a prefix that no account id has room for", { PREFIX: "annabelle0" }, "PREFIX must be"],
  ])("refuse %s", (_title, variables, message) => {
    expect(() => readSettings(variables, null)).toThrow(message);
  });

  test("put the prefix before a name, so that the longest still fits a service account id", () => {
    const settings = readSettings({ PREFIX: "annabelle" }, null);

    expect(named(settings, "payments-api")).toBe("annabelle-payments-api");
    expect(named(settings, "dead-letter-recorder").length).toBeLessThanOrEqual(30);
    expect(storeNames(settings)).toEqual({
      spannerInstance: "annabelle-payments",
      spannerDatabase: "ledger",
      firestoreDatabase: "annabelle-payments",
      shopDatabase: "annabelle-sample-shop",
      ledgerRole: "annabelle_paymentsLedgerRuntime",
      historyDataset: "placeholder-project.annabelle_payments_history",
    });
    expect(queueName({ ...settings, queueGeneration: 3 }, "webhooks-fast")).toBe("annabelle-webhooks-fast-g3");
  });
});
