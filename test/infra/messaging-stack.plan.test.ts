// Holds the stack of topic, archive and queues to its bill, its grants and its order.
// It must never repeat what the constructs' own tests and the table of failures hold.
import { bill, resources, synthesized } from "./synthesized.ts";

const dev = synthesized({ STAGE: "dev" });
const sharded = synthesized({ STAGE: "dev", WEBHOOK_QUEUE_SHARDS: "3" });
const next = synthesized({ STAGE: "dev", PREFIX: "anna", QUEUE_GENERATION: "7" });

describe("the messaging stack", () => {
  test("holds exactly the topics with their dead letters, their archives, and three queues", () => {
    expect(bill(dev.messaging)).toEqual([
      "google_bigquery_table_iam_member bigquery/reads-schema",
      "google_bigquery_table_iam_member bigquery/writes-rows",
      "google_bigquery_table_iam_member payment-logs/bigquery/reads-schema",
      "google_bigquery_table_iam_member payment-logs/bigquery/writes-rows",
      "google_cloud_tasks_queue settlements/queue",
      "google_cloud_tasks_queue webhook-fast/queue",
      "google_cloud_tasks_queue webhook-slow/queue",
      "google_pubsub_subscription bigquery/subscription",
      "google_pubsub_subscription payment-events/dead-letters-kept",
      "google_pubsub_subscription payment-logs/bigquery/subscription",
      "google_pubsub_subscription payment-logs/dead-letters-kept",
      "google_pubsub_subscription_iam_member bigquery/pubsub-takes-dead-letters",
      "google_pubsub_subscription_iam_member payment-logs/bigquery/pubsub-takes-dead-letters",
      "google_pubsub_topic payment-events/dead-letters",
      "google_pubsub_topic payment-events/topic",
      "google_pubsub_topic payment-logs/dead-letters",
      "google_pubsub_topic payment-logs/topic",
      "google_pubsub_topic_iam_member payment-events/pubsub-buries",
      "google_pubsub_topic_iam_member payment-logs/pubsub-buries",
      "time_sleep bigquery/can-write",
      "time_sleep payment-events/agent-exists",
      "time_sleep payment-logs/agent-exists",
      "time_sleep payment-logs/bigquery/can-write",
    ]);
  });

  test("grants Pub/Sub's own account what it needs on single resources, and nobody anything on the project", () => {
    const types = Object.keys(dev.messaging.resource).filter((type) => type.endsWith("_iam_member"));

    expect(types.sort()).toEqual([
      "google_bigquery_table_iam_member",
      "google_pubsub_subscription_iam_member",
      "google_pubsub_topic_iam_member",
    ]);
    for (const grant of types.flatMap((type) => resources(dev.messaging, type))) {
      expect(grant["member"]).toContain("@gcp-sa-pubsub.iam.gserviceaccount.com");
    }
  });

  test("writes into the table of the data stack, by way of its outputs", () => {
    const archives = resources(dev.messaging, "google_pubsub_subscription").filter((one) => one["bigquery_config"]);

    expect(archives.map((archive) => archive["bigquery_config"].table)).toEqual([
      expect.stringMatching(/cross-stack-reference-input-data.*warehouse_event_deliveries/),
      expect.stringMatching(/cross-stack-reference-input-data.*warehouse_log_entries/),
    ]);
  });

  test("names queues by generation and everything by prefix, so that two people and two lives fit into a project", () => {
    const names = ["google_cloud_tasks_queue", "google_pubsub_topic", "google_pubsub_subscription"].flatMap((type) =>
      resources(next.messaging, type).map((one) => one["name"]),
    );

    expect(names.sort()).toEqual([
      "anna-payment-events",
      "anna-payment-events-dead",
      "anna-payment-events-dead-kept",
      "anna-payment-events-to-bigquery",
      "anna-payment-logs",
      "anna-payment-logs-dead",
      "anna-payment-logs-dead-kept",
      "anna-payment-logs-to-bigquery",
      "anna-settlements-g7",
      "anna-webhook-fast-g7",
      "anna-webhook-slow-g7",
    ]);
  });

  test("has as many pairs of webhook queues as the stage says, the first one under its plain name", () => {
    const queues = resources(sharded.messaging, "google_cloud_tasks_queue");
    const limits = (kind: string) =>
      queues
        .filter(({ name }) => name.startsWith(kind))
        .map(({ rate_limits, retry_config }) => [rate_limits, retry_config]);

    expect(queues.map(({ name }) => name).sort()).toEqual([
      "settlements-g1",
      ...["webhook-fast-2-g1", "webhook-fast-3-g1", "webhook-fast-g1"],
      ...["webhook-slow-2-g1", "webhook-slow-3-g1", "webhook-slow-g1"],
    ]);
    for (const kind of ["webhook-fast", "webhook-slow"]) expect(new Set(limits(kind).map(String)).size).toBe(1);
  });

  test("lets the dispatcher enqueue into every shard, payments-api into every fast one, and both know them in order", () => {
    const grants = resources(sharded.services, "google_cloud_tasks_queue_iam_member");
    const holders = (who: string) => grants.filter(({ member }) => String(member).includes(who)).length;
    const environment = (name: string) =>
      resources(sharded.services, "google_cloudfunctions2_function").find((one) => one["name"] === name)?.[
        "service_config"
      ].environment_variables;

    expect([holders("payments-api"), holders("webhook-dispatcher")]).toEqual([1 + 3, 6]);
    for (const name of ["payments-api", "webhook-dispatcher"]) {
      const { WEBHOOK_FAST_QUEUES: fast, WEBHOOK_SLOW_QUEUES: slow } = environment(name);
      expect(fast.split(",").map((one: string) => /webhook-fast(?:-\d)?/.exec(one)?.[0])).toEqual([
        "webhook-fast",
        "webhook-fast-2",
        "webhook-fast-3",
      ]);
      expect(slow.split(",")).toHaveLength(3);
    }
  });

  test("lets the slow queue hold no more calls at once than the fast one, so that hanging merchants delay nobody else", () => {
    const limits = (name: string) =>
      resources(dev.messaging, "google_cloud_tasks_queue").find((one) => one["name"] === name)?.["rate_limits"];

    expect(limits("webhook-fast-g1").max_dispatches_per_second).toBe(500);
    expect(limits("webhook-slow-g1").max_concurrent_dispatches).toBeLessThanOrEqual(
      limits("webhook-fast-g1").max_concurrent_dispatches,
    );
  });
});
