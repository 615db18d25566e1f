// Holds the consumers of events to their bill, their least privilege, their subscriptions and their patience.
// It must never trust a name alone: grants are read with the member and the resource they stand on.
import {
  consumerLeaseMs,
  deadLetterLifeMs,
  markerLifeMs,
  outsideEffectMs,
} from "../../functions/domain/consumption.ts";
import { planGraph } from "./plan-graph.ts";
import { type Attributes, bill, functionNamed, resources, synthesizedPlan } from "./synthesized.ts";

const plan = synthesizedPlan({ STAGE: "dev", PUBLIC: "true" });
const mailing = synthesizedPlan({ STAGE: "prod", MAIL_FROM: "receipts@shop.example" });
const { services } = plan.stacks;
const graph = planGraph(plan);

/** Each consumer with the types that its subscription lets through. */
const consumers: readonly (readonly [string, string])[] = [
  ["notification", 'attributes.event_type = "charge.succeeded" OR attributes.event_type = "charge.captured"'],
  ["invoice", 'attributes.event_type = "payment_intent.succeeded"'],
  ["risk", 'attributes.event_type = "charge.succeeded" OR attributes.event_type = "charge.failed"'],
];

const subscriptionOf = (name: string): Attributes =>
  resources(services, "google_pubsub_subscription").find((one) => one["name"] === `payment-events-to-${name}`) ?? {};
const accountIn = (text: unknown) => graph.origin("services", text)?.node.attributes["account_id"];
const milliseconds = (seconds: string) => Number(seconds.replace("s", "")) * 1000;

describe.each(consumers)("the consumer %s", (name, filter) => {
  test("brings its function, its subscription and what stands between them", () => {
    expect(bill(services).filter((line) => line.includes(` ${name}`))).toEqual([
      `google_cloud_run_v2_service_iam_member ${name}-push/may-call`,
      `google_cloudfunctions2_function ${name}/function`,
      `google_project_iam_member ${name}/uses-documents`,
      `google_project_iam_member ${name}/writes-traces`,
      `google_pubsub_subscription ${name}-events/subscription`,
      `google_pubsub_subscription_iam_member ${name}-events/pubsub-takes-dead-letters`,
      `google_service_account_iam_member ${name}-push/pubsub-signs`,
      `google_storage_bucket_object ${name}/source`,
    ]);
  });

  test("runs as an account of its own, is closed to the world, and lets in the account that its subscription names", () => {
    const { service_config } = functionNamed(services, name);
    const invokers = resources(services, "google_cloud_run_v2_service_iam_member").filter((one) =>
      one["name"].includes(`google_cloudfunctions2_function.${name}_`),
    );

    expect(accountIn(service_config.service_account_email)).toBe(name);
    expect(service_config.ingress_settings).toBe("ALLOW_INTERNAL_ONLY");
    expect(invokers.map(({ member }) => accountIn(member))).toEqual([`${name}-push`]);
    expect(accountIn(service_config.environment_variables.CALLER_ACCOUNT)).toBe(`${name}-push`);
    expect(accountIn(subscriptionOf(name)["push_config"].oidc_token.service_account_email)).toBe(`${name}-push`);
  });

  test("may touch documents and write its spans, and nothing else", () => {
    const roles = graph.nodes
      .filter(({ type, stack }) => type.endsWith("_iam_member") && stack === "services")
      .filter(({ attributes }) => accountIn(attributes["member"]) === name)
      .map(({ attributes }) => attributes["role"]);

    expect(roles.sort()).toEqual(["roles/datastore.user", "roles/telemetry.tracesWriter"]);
  });

  test("hears of the events that it does something for, with a token for its base URL", () => {
    const { push_config, filter: planned, ack_deadline_seconds } = subscriptionOf(name);

    expect(planned).toBe(filter);
    expect(Buffer.byteLength(planned)).toBeLessThanOrEqual(256);
    expect(push_config.push_endpoint).toMatch(/\.uri\}\/events$/);
    expect(push_config.oidc_token.audience).toBe(push_config.push_endpoint.replace("/events", ""));
    expect(ack_deadline_seconds).toBe(functionNamed(services, name)["service_config"].timeout_seconds);
  });

  test("gives its lease back before Pub/Sub comes again, and ends its effect before its lease", () => {
    const { retry_policy, ack_deadline_seconds } = subscriptionOf(name);

    expect(consumerLeaseMs).toBeLessThan(milliseconds(retry_policy.minimum_backoff));
    expect(outsideEffectMs).toBeLessThan(consumerLeaseMs);
    expect(outsideEffectMs).toBeLessThan(ack_deadline_seconds * 1000);
  });

  test("remembers what it did for longer than an event can come back", () => {
    const kept = resources(plan.stacks.messaging, "google_pubsub_subscription").find((one) =>
      one["name"].endsWith("-dead-kept"),
    );
    const waitsMs = milliseconds(subscriptionOf(name)["message_retention_duration"]);

    expect(markerLifeMs).toBeGreaterThan(waitsMs + milliseconds(kept?.["message_retention_duration"]));
    expect(markerLifeMs).toBeGreaterThan(waitsMs + deadLetterLifeMs);
  });
});

describe("the recorder of dead letters", () => {
  const recording =
    resources(services, "google_pubsub_subscription").find((one) => one["name"].includes("-dead-")) ?? {};

  test("is pushed to from the topic of the dead, which also has its kept subscription (F52)", () => {
    const topic = graph.origin("services", recording["topic"])?.node;
    const kept = graph
      .ofType("google_pubsub_subscription")
      .filter(({ stack, attributes }) => graph.origin(stack, attributes["topic"])?.node === topic);

    expect(topic?.attributes["name"]).toBe("payment-events-dead");
    expect(kept.map(({ attributes }) => attributes["name"]).sort()).toEqual([
      "payment-events-dead-kept",
      "payment-events-dead-to-recorder",
    ]);
    expect(recording["push_config"].push_endpoint).toMatch(/\.uri\}\/dead-letters$/);
  });

  test("is tried for as long as a letter is kept, waits in between, and gives none up", () => {
    expect(recording).toMatchObject({
      message_retention_duration: "2678400s",
      expiration_policy: { ttl: "" },
      retry_policy: { minimum_backoff: "10s", maximum_backoff: "600s" },
    });
    expect(recording).not.toHaveProperty("dead_letter_policy");
    expect(recording).not.toHaveProperty("filter");
  });

  test("is a function of its own that is closed to the world and touches documents and its spans alone", () => {
    const lines = bill(services).filter((line) => line.includes(" dead-letter-"));

    expect(lines).toEqual([
      "google_cloud_run_v2_service_iam_member dead-letter-push/may-call",
      "google_cloudfunctions2_function dead-letter-recorder/function",
      "google_project_iam_member dead-letter-recorder/uses-documents",
      "google_project_iam_member dead-letter-recorder/writes-traces",
      "google_pubsub_subscription dead-letter-events/subscription",
      "google_service_account_iam_member dead-letter-push/pubsub-signs",
      "google_storage_bucket_object dead-letter-recorder/source",
    ]);
    expect(functionNamed(services, "dead-letter-recorder")["service_config"].ingress_settings).toBe(
      "ALLOW_INTERNAL_ONLY",
    );
  });

  test("keeps letters in a collection that Firestore empties after their time", () => {
    const fields = resources(plan.stacks.data, "google_firestore_field").filter(({ ttl_config }) => ttl_config);

    expect(fields.map(({ collection }) => collection)).toEqual(expect.arrayContaining(["deadLetters", "redrives"]));
  });
});

describe("mails", () => {
  test("are recorded where no server is named, and no secret is asked for", () => {
    const { service_config } = functionNamed(services, "notification");

    expect(service_config.environment_variables.MAIL_FROM).toBe("receipts@mail.invalid");
    expect(service_config.secret_environment_variables).toEqual([]);
    expect(plan.stacks.data.text).not.toContain("smtp-url");
  });

  test("go to the server that the secret names, which only notification may read and Terraform never sees", () => {
    const { service_config } = functionNamed(mailing.stacks.services, "notification");
    const readers = resources(mailing.stacks.services, "google_secret_manager_secret_iam_member").filter((one) =>
      one["secret_id"].includes("smtp-secret"),
    );

    expect(service_config.environment_variables.MAIL_FROM).toBe("receipts@shop.example");
    expect(service_config.secret_environment_variables).toMatchObject([{ key: "SMTP_URL", version: "1" }]);
    expect(readers).toHaveLength(1);
    expect(planGraph(mailing).origin("services", readers[0]?.["member"])?.node.attributes["account_id"]).toBe(
      "notification",
    );
    expect(JSON.parse(mailing.stacks.data.text).import).toContainEqual({
      to: expect.stringMatching(/^google_secret_manager_secret\.smtp-secret/),
      id: "projects/placeholder-project/secrets/smtp-url",
    });
    expect(mailing.stacks.data.text).not.toMatch(/secret_version|secret_data/);
  });

  test.each(["receipts", "a@b", "x@y.example\nBcc: all@shop.example", "a b@shop.example"])(
    "are not sent from %j",
    (address) => {
      expect(() => synthesizedPlan({ MAIL_FROM: address })).toThrow("MAIL_FROM must be an address");
    },
  );
});
