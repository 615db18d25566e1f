// Holds the topic to its dead letters: kept, forever subscribed, and buried by Pub/Sub's own account.
// It must never look at the product's stacks: those have tests of their own.
import { EventTopic, publishTo } from "../../../infra/constructs/event-topic.ts";
import { bill, only, resources } from "../synthesized.ts";
import { testStack } from "./test-stack.ts";

const stack = testStack((scope, settings) => {
  const topic = new EventTopic(scope, "payment-events", settings);
  publishTo(topic)(scope, "serviceAccount:publisher@p.iam.gserviceaccount.com");
});
const PUBSUB_AGENT = /^serviceAccount:service-\$\{data\.google_project\.[\w-]+\.number\}@gcp-sa-pubsub\.iam/;

describe("an event topic", () => {
  test("brings its dead letters, their subscription and the grant of Pub/Sub's account", () => {
    expect(bill(stack)).toEqual([
      "google_pubsub_subscription payment-events/dead-letters-kept",
      "google_pubsub_topic payment-events/dead-letters",
      "google_pubsub_topic payment-events/topic",
      "google_pubsub_topic_iam_member payment-events/pubsub-buries",
      "google_pubsub_topic_iam_member publishes-to-payment-events",
      "time_sleep payment-events/agent-exists",
    ]);
  });

  test("keeps dead letters for as long as Pub/Sub can, and their subscription for ever", () => {
    expect(only(stack, "google_pubsub_subscription")).toMatchObject({
      topic: expect.stringMatching(/payment-events_dead-letters_\w+\.id\}$/),
      message_retention_duration: "2678400s",
      expiration_policy: { ttl: "" },
      ack_deadline_seconds: 600,
    });
    expect(only(stack, "google_pubsub_subscription")).not.toHaveProperty("push_config");
  });

  test("lets Pub/Sub publish dead letters only once its account exists, which the first topic makes", () => {
    const grant = resources(stack, "google_pubsub_topic_iam_member").find((one) => PUBSUB_AGENT.test(one["member"]));

    expect(grant).toMatchObject({ role: "roles/pubsub.publisher", topic: expect.stringContaining("dead-letters") });
    expect(grant?.["depends_on"]).toEqual([expect.stringMatching(/^time_sleep\..*agent-exists/)]);
    expect(only(stack, "time_sleep")["depends_on"]).toHaveLength(2);
  });

  test("lets a publisher publish to the topic itself and nowhere else", () => {
    const grants = resources(stack, "google_pubsub_topic_iam_member").filter((one) =>
      String(one["member"]).includes("publisher@"),
    );

    expect(grants).toEqual([
      expect.objectContaining({
        role: "roles/pubsub.publisher",
        topic: expect.stringMatching(/payment-events_topic_\w+\.name\}$/),
      }),
    ]);
  });

  test("carries the prefix of whoever shares the project", () => {
    const anna = testStack((scope, settings) => new EventTopic(scope, "payment-events", settings), { PREFIX: "anna" });

    expect(
      resources(anna, "google_pubsub_topic")
        .map((one) => one["name"])
        .sort(),
    ).toEqual(["anna-payment-events", "anna-payment-events-dead"]);
  });
});
