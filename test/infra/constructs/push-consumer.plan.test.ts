// Holds a consumer's subscription to its token, its patience and its dead letters.
// It must never need a function: a URL and a service's name are all that a consumer shows.
import { EventTopic } from "../../../infra/constructs/event-topic.ts";
import { PushConsumer } from "../../../infra/constructs/push-consumer.ts";
import { bill, only, resources, type SynthesizedStack } from "../synthesized.ts";
import { testCaller, testStack } from "./test-stack.ts";

const consumer = (filter?: string): SynthesizedStack =>
  testStack((scope, settings) => {
    new PushConsumer(scope, "notification", {
      settings,
      name: "notification",
      topic: new EventTopic(scope, "payment-events", settings),
      calls: { url: "https://notification.example" },
      path: "/events",
      as: testCaller(scope, settings, ["pubsub"]),
      timeoutSeconds: 60,
      ...(filter === undefined ? {} : { filter }),
    });
  });
const stack = consumer();
const pushed = (from: SynthesizedStack) =>
  resources(from, "google_pubsub_subscription").find((one) => one["push_config"]) ?? {};

describe("a push consumer", () => {
  test("brings its subscription and the grants of its caller and of Pub/Sub's account", () => {
    expect(bill(stack).filter((line) => !line.includes("payment-events/") && !line.endsWith(" account"))).toEqual([
      "google_cloud_run_v2_service_iam_member caller/may-call",
      "google_pubsub_subscription notification/subscription",
      "google_pubsub_subscription_iam_member notification/pubsub-takes-dead-letters",
      "google_service_account_iam_member caller/pubsub-signs",
    ]);
  });

  test("sends a token for the service's base URL, not for the endpoint with its path", () => {
    expect(pushed(stack)["push_config"]).toEqual({
      push_endpoint: "https://notification.example/events",
      oidc_token: {
        service_account_email: expect.stringMatching(/google_service_account\.account\.email\}$/),
        audience: "https://notification.example",
      },
    });
  });

  test("is not made before its caller may call and Pub/Sub may sign for it", () => {
    expect(
      pushed(stack)
        ["depends_on"].map((one: string) => one.split(".")[0])
        .sort(),
    ).toEqual(["google_cloud_run_v2_service_iam_member", "google_service_account_iam_member"]);
    expect(only(stack, "google_service_account_iam_member")).toMatchObject({
      role: "roles/iam.serviceAccountOpenIdTokenCreator",
      service_account_id: expect.stringMatching(/google_service_account\.account\.name\}$/),
    });
  });

  test("waits between deliveries, waits for the answer as long as the function may take, and never expires", () => {
    expect(pushed(stack)).toMatchObject({
      name: "payment-events-to-notification",
      retry_policy: { minimum_backoff: "10s", maximum_backoff: "600s" },
      ack_deadline_seconds: 60,
      expiration_policy: { ttl: "" },
    });
  });

  test("buries after a hundred deliveries, with both rights of Pub/Sub's account", () => {
    const takes = only(stack, "google_pubsub_subscription_iam_member");
    const buries = only(stack, "google_pubsub_topic_iam_member");

    expect(pushed(stack)["dead_letter_policy"]).toEqual({
      dead_letter_topic: expect.stringMatching(/payment-events_dead-letters_\w+\.id\}$/),
      max_delivery_attempts: 100,
    });
    expect(takes).toMatchObject({
      role: "roles/pubsub.subscriber",
      subscription: expect.stringMatching(/notification_subscription_\w+\.name\}$/),
      member: buries["member"],
    });
    expect(buries["role"]).toBe("roles/pubsub.publisher");
  });

  test("takes every message, or those that its filter names", () => {
    expect(pushed(stack)).not.toHaveProperty("filter");
    expect(pushed(consumer('attributes.event_type = "charge.succeeded"'))["filter"]).toBe(
      'attributes.event_type = "charge.succeeded"',
    );
  });
});
