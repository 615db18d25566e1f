// Shows that the laptop reads from the synthesized stacks what would be deployed, and stops at what it does not know.
// It must never compare with ids that CDKTF makes up.
import { functionNames } from "../../functions/config.ts";
import { readDdl } from "../../infra/ddl.ts";
import { environmentsAt } from "../../local/environment.ts";
import { documentsOf, ledgerOf, plannedFunction } from "../../local/plan.ts";
import { planned } from "./planned.ts";

const plan = planned();
const api = plannedFunction(plan, "payments-api");

describe("a plan", () => {
  test("has the functions of the stacks with their environment, references resolved across stacks", () => {
    expect(plan.functions.map(({ name }) => name).sort()).toEqual([...functionNames].sort());
    expect(api).toEqual({
      name: "payments-api",
      deployedName: "payments-api",
      member: "serviceAccount:payments-api@local-project.iam.gserviceaccount.com",
      service: "projects/local-project/locations/us-central1/services/payments-api",
      environment: {
        PROJECT_ID: "local-project",
        SPANNER_INSTANCE: "payments",
        SPANNER_DATABASE: "ledger",
        FIRESTORE_DATABASE: "payments",
        ACQUIRER_URL: "https://test-acquirer.function.invalid",
        FEE_BASIS_POINTS: "290",
        FEE_FIXED_MINOR: "usd:30,eur:25,gbp:20,cad:30,aud:30,chf:30,jpy:40,sek:250,nok:250,dkk:180",
        AVAILABLE_AFTER_DAYS: "2",
        WEBHOOK_CALLER: "webhook-caller@local-project.iam.gserviceaccount.com",
        WEBHOOK_FAST_QUEUES: "projects/local-project/locations/us-central1/queues/webhook-fast-g1",
        WEBHOOK_SLOW_QUEUES: "projects/local-project/locations/us-central1/queues/webhook-slow-g1",
        WEBHOOK_TARGET: "https://webhook-dispatcher.function.invalid",
        WEBHOOK_HTTP_ALLOWED: "true",
        CRASH_TOUR: "dev",
        EVENTS_TOPIC: "projects/local-project/topics/payment-events",
        SETTLEMENTS_QUEUE: "projects/local-project/locations/us-central1/queues/settlements-g1",
        SETTLEMENTS_CALLER: "ledger-tasks@local-project.iam.gserviceaccount.com",
        SETTLEMENTS_TARGET: "https://ledger-writer.function.invalid",
        RATE_LIMIT_PER_SECOND: "100",
        RATE_LIMIT_BURST: "200",
        TRACE_SAMPLE_RATIO: "1",
        TRACE_COLLECTOR_URL: "https://telemetry.googleapis.com/v1/traces",
      },
      secrets: {
        ACQUIRER_SECRET: "projects/local-project/secrets/acquirer-secret",
        ENDPOINT_SECRET_KEY: "projects/local-project/secrets/endpoint-secret-key",
      },
    });
  });

  test("has every grant with its member and the full name of what it stands on", () => {
    const traces = plan.grants.filter(({ role }) => role === "roles/telemetry.tracesWriter");
    expect(traces.map(({ member }) => member).sort()).toEqual(plan.functions.map(({ member }) => member).sort());
    const grants = plan.grants
      .filter((grant) => !traces.includes(grant))
      .map(({ member, role, resource }) => `${member.split("@")[0]} ${role} ${resource}`);

    expect(grants.sort()).toEqual([
      "allUsers roles/run.invoker projects/local-project/locations/us-central1/services/dashboard",
      "allUsers roles/run.invoker projects/local-project/locations/us-central1/services/payments-api",
      "allUsers roles/run.invoker projects/local-project/locations/us-central1/services/sample-shop",
      "allUsers roles/run.invoker projects/local-project/locations/us-central1/services/test-acquirer",
      "serviceAccount:dashboard roles/bigquery.dataViewer projects/local-project/datasets/payments_history",
      "serviceAccount:dashboard roles/bigquery.jobUser projects/local-project",
      "serviceAccount:dashboard roles/secretmanager.secretAccessor projects/local-project/secrets/dashboard-session-key",
      "serviceAccount:dead-letter-push roles/run.invoker projects/local-project/locations/us-central1/services/dead-letter-recorder",
      "serviceAccount:dead-letter-recorder roles/datastore.user projects/local-project/databases/payments",
      "serviceAccount:invoice roles/datastore.user projects/local-project/databases/payments",
      "serviceAccount:invoice-push roles/run.invoker projects/local-project/locations/us-central1/services/invoice",
      "serviceAccount:ledger-schedule roles/run.invoker projects/local-project/locations/us-central1/services/ledger-writer",
      "serviceAccount:ledger-tasks roles/run.invoker projects/local-project/locations/us-central1/services/ledger-writer",
      "serviceAccount:ledger-writer projects/local-project/roles/paymentsLedgerRuntime projects/local-project/instances/payments/databases/ledger",
      "serviceAccount:ledger-writer roles/cloudtasks.enqueuer projects/local-project/locations/us-central1/queues/settlements-g1",
      "serviceAccount:ledger-writer roles/iam.serviceAccountUser projects/local-project/serviceAccounts/ledger-tasks@local-project.iam.gserviceaccount.com",
      "serviceAccount:ledger-writer roles/pubsub.publisher projects/local-project/topics/payment-events",
      "serviceAccount:ledger-writer roles/run.invoker projects/local-project/locations/us-central1/services/webhook-dispatcher",
      "serviceAccount:ledger-writer roles/secretmanager.secretAccessor projects/local-project/secrets/acquirer-secret",
      "serviceAccount:notification roles/datastore.user projects/local-project/databases/payments",
      "serviceAccount:notification-push roles/run.invoker projects/local-project/locations/us-central1/services/notification",
      "serviceAccount:payments-api projects/local-project/roles/paymentsLedgerRuntime projects/local-project/instances/payments/databases/ledger",
      "serviceAccount:payments-api roles/cloudtasks.enqueuer projects/local-project/locations/us-central1/queues/settlements-g1",
      "serviceAccount:payments-api roles/cloudtasks.enqueuer projects/local-project/locations/us-central1/queues/webhook-fast-g1",
      "serviceAccount:payments-api roles/datastore.user projects/local-project/databases/payments",
      "serviceAccount:payments-api roles/iam.serviceAccountUser projects/local-project/serviceAccounts/ledger-tasks@local-project.iam.gserviceaccount.com",
      "serviceAccount:payments-api roles/iam.serviceAccountUser projects/local-project/serviceAccounts/webhook-caller@local-project.iam.gserviceaccount.com",
      "serviceAccount:payments-api roles/pubsub.publisher projects/local-project/topics/payment-events",
      "serviceAccount:payments-api roles/secretmanager.secretAccessor projects/local-project/secrets/acquirer-secret",
      "serviceAccount:payments-api roles/secretmanager.secretAccessor projects/local-project/secrets/endpoint-secret-key",
      "serviceAccount:risk roles/datastore.user projects/local-project/databases/payments",
      "serviceAccount:risk-push roles/run.invoker projects/local-project/locations/us-central1/services/risk",
      "serviceAccount:sample-shop roles/datastore.user projects/local-project/databases/sample-shop",
      "serviceAccount:sample-shop roles/secretmanager.secretAccessor projects/local-project/secrets/shop-key-seed",
      "serviceAccount:service-123456789012 roles/iam.serviceAccountOpenIdTokenCreator projects/local-project/serviceAccounts/dead-letter-push@local-project.iam.gserviceaccount.com",
      "serviceAccount:service-123456789012 roles/iam.serviceAccountOpenIdTokenCreator projects/local-project/serviceAccounts/invoice-push@local-project.iam.gserviceaccount.com",
      "serviceAccount:service-123456789012 roles/iam.serviceAccountOpenIdTokenCreator projects/local-project/serviceAccounts/ledger-schedule@local-project.iam.gserviceaccount.com",
      "serviceAccount:service-123456789012 roles/iam.serviceAccountOpenIdTokenCreator projects/local-project/serviceAccounts/ledger-tasks@local-project.iam.gserviceaccount.com",
      "serviceAccount:service-123456789012 roles/iam.serviceAccountOpenIdTokenCreator projects/local-project/serviceAccounts/notification-push@local-project.iam.gserviceaccount.com",
      "serviceAccount:service-123456789012 roles/iam.serviceAccountOpenIdTokenCreator projects/local-project/serviceAccounts/risk-push@local-project.iam.gserviceaccount.com",
      "serviceAccount:service-123456789012 roles/iam.serviceAccountOpenIdTokenCreator projects/local-project/serviceAccounts/webhook-caller@local-project.iam.gserviceaccount.com",
      "serviceAccount:service-123456789012 roles/iam.serviceAccountOpenIdTokenCreator projects/local-project/serviceAccounts/webhook-caller@local-project.iam.gserviceaccount.com",
      "serviceAccount:service-123456789012 roles/iam.serviceAccountOpenIdTokenCreator projects/local-project/serviceAccounts/webhook-caller@local-project.iam.gserviceaccount.com",
      "serviceAccount:test-acquirer roles/datastore.user projects/local-project/databases/payments",
      "serviceAccount:test-acquirer roles/secretmanager.secretAccessor projects/local-project/secrets/acquirer-secret",
      "serviceAccount:webhook-caller roles/run.invoker projects/local-project/locations/us-central1/services/webhook-dispatcher",
      "serviceAccount:webhook-dispatcher roles/cloudtasks.enqueuer projects/local-project/locations/us-central1/queues/webhook-fast-g1",
      "serviceAccount:webhook-dispatcher roles/cloudtasks.enqueuer projects/local-project/locations/us-central1/queues/webhook-slow-g1",
      "serviceAccount:webhook-dispatcher roles/datastore.user projects/local-project/databases/payments",
      "serviceAccount:webhook-dispatcher roles/iam.serviceAccountUser projects/local-project/serviceAccounts/webhook-caller@local-project.iam.gserviceaccount.com",
      "serviceAccount:webhook-dispatcher roles/pubsub.publisher projects/local-project/topics/payment-events",
      "serviceAccount:webhook-dispatcher roles/secretmanager.secretAccessor projects/local-project/secrets/endpoint-secret-key",
    ]);
  });

  test("keeps grants to who does not act here by name, and needs to know nothing of their roles and kinds", () => {
    const builder = "serviceAccount:function-build@local-project.iam.gserviceaccount.com";
    const ofBuilder = plan.foreignGrants.filter(({ member }) => member === builder);

    expect(ofBuilder.map(({ role }) => role)).toContain("roles/artifactregistry.writer");
    expect(plan.grants.filter(({ member }) => member === builder)).toEqual([]);
  });

  test("has the topics and subscriptions, with how long they try, keep and wait", () => {
    const topic = "projects/local-project/topics/payment-events";
    const logs = "projects/local-project/topics/payment-logs";
    expect(plan.bus.topics.sort()).toEqual([topic, `${topic}-dead`, logs, `${logs}-dead`]);
    expect(plan.bus.subscriptions.filter((one) => one.delivery.kind !== "push" && one.topic.startsWith(topic))).toEqual(
      [
        {
          name: "projects/local-project/subscriptions/payment-events-to-bigquery",
          topic,
          filter: expect.any(Function),
          delivery: { kind: "archive", table: "local-project.payments.event_deliveries" },
          ackDeadlineMs: 10_000,
          retry: { firstWaitMs: 10_000, longestWaitMs: 600_000 },
          deadLetter: { topic: `${topic}-dead`, attemptsMax: 100 },
          retentionMs: 7 * 24 * 3_600_000,
        },
        {
          name: "projects/local-project/subscriptions/payment-events-dead-kept",
          topic: `${topic}-dead`,
          filter: expect.any(Function),
          delivery: { kind: "pull" },
          ackDeadlineMs: 600_000,
          retry: { firstWaitMs: 0, longestWaitMs: 0 },
          deadLetter: undefined,
          retentionMs: 31 * 24 * 3_600_000,
        },
      ],
    );
  });

  test("has the history: tables, views, and the export of every function's lines to the topic that fills one", () => {
    const { tables, views, nameOf, sinks } = plan.history;
    expect(tables).toEqual(["local-project.payments.event_deliveries", "local-project.payments_logs.log_entries"]);
    expect(views.find(({ name }) => name === nameOf("payment_days"))?.query).toContain(
      "FROM `local-project.payments_history.payments`",
    );
    expect(sinks).toEqual([
      {
        topic: "projects/local-project/topics/payment-logs",
        services: expect.arrayContaining(plan.functions.map(({ deployedName }) => deployedName)),
      },
    ]);
    expect(
      plan.bus.subscriptions.flatMap(({ delivery }) => (delivery.kind === "archive" ? [delivery.table] : [])),
    ).toEqual(tables);
    const filtered = (filter: string) => () =>
      planned((_services, { observability }) => {
        for (const sink of Object.values(observability?.["google_logging_project_sink"] ?? {})) sink["filter"] = filter;
      });
    expect(filtered("severity >= ERROR")).toThrow("a filter that the laptop does not play");
  });

  test("has apart what Pub/Sub's agent needs to bury a message: both grants of each subscription", () => {
    const agent = "serviceAccount:service-123456789012@gcp-sa-pubsub.iam.gserviceaccount.com";
    expect(new Set(plan.buryingGrants.map(({ member }) => member))).toEqual(new Set([agent]));
    expect(
      plan.buryingGrants.map(({ role, resource }) => `${role} ${resource.split("/").slice(-2).join("/")}`),
    ).toEqual(
      expect.arrayContaining([
        "roles/pubsub.publisher topics/payment-events-dead",
        "roles/pubsub.subscriber subscriptions/payment-events-to-bigquery",
      ]),
    );
  });

  test("has the queues with their rates and retries, and what they do not say by Cloud Tasks' defaults", () => {
    const queue = (change: (queue: Record<string, unknown>) => void) =>
      planned((_services, { messaging }) => {
        const queues = Object.values(messaging?.["google_cloud_tasks_queue"] ?? {});
        change(queues.find(({ name }) => name === "settlements-g1"));
      }).queues.find(({ name }) => name.endsWith("/settlements-g1"));

    expect(queue(() => {})).toEqual({
      name: "projects/local-project/locations/us-central1/queues/settlements-g1",
      dispatchesPerSecondMax: 100,
      concurrentMax: 20,
      retry: { attemptsMax: 5, durationMs: 0, firstWaitMs: 5_000, longestWaitMs: 60_000, doublings: 4 },
    });
    expect(queue((one) => Object.assign(one, { rate_limits: undefined, retry_config: undefined }))).toMatchObject({
      dispatchesPerSecondMax: 500,
      concurrentMax: 1_000,
      retry: { attemptsMax: 100, durationMs: 0, firstWaitMs: 100, longestWaitMs: 3_600_000, doublings: 16 },
    });
    expect(() => queue((one) => Object.assign(one, { http_target: { uri_override: {} } }))).toThrow(
      /settlements.* overrides the target of its tasks/,
    );
  });

  test("has the statements that the database is made from", () => {
    expect(plan.ledger).toEqual({
      projectId: "local-project",
      instance: "payments",
      database: "ledger",
      ddl: readDdl(),
    });
  });

  test("names the stores as the function's own environment does", () => {
    expect(ledgerOf(api)).toBe("projects/local-project/instances/payments/databases/ledger");
    expect(documentsOf(api)).toBe("projects/local-project/databases/payments");
  });

  test("knows a function behind a prefix by its entry point", () => {
    const prefixed = plannedFunction(planned(undefined, { PREFIX: "anna" }), "payments-api");

    expect(prefixed.deployedName).toBe("anna-payments-api");
    expect(prefixed.environment["SPANNER_INSTANCE"]).toBe("anna-payments");
    expect(prefixed.environment["ACQUIRER_URL"]).toBe("https://anna-test-acquirer.function.invalid");
  });
});

describe("what the laptop does not know", () => {
  test.each([
    ["a role", { role: "roles/datastore.owner" }, "grants roles/datastore.owner, which local/roles.ts lacks"],
    [
      "a condition",
      { condition: { expression: "request.time < timestamp('2027')" } },
      "has a condition that the laptop does not know",
    ],
    ["a reference", { member: `$\{google_service_account.nobody.member}` }, "has no google_service_account.nobody"],
    ["a variable", { member: `$\{var.member}` }, "refers to var.member, which the laptop does not know"],
  ])("stops it: %s", (_title, change, message) => {
    const reading = () =>
      planned(({ google_project_iam_member: grants }) => Object.assign(Object.values(grants ?? {})[0], change));

    expect(reading).toThrow(message);
  });

  test("stops it: a kind of grant", () => {
    const reading = () =>
      planned((services) => {
        services["google_storage_bucket_iam_member"] = { new: { member: "allUsers", role: "roles/run.invoker" } };
      });

    expect(reading).toThrow("is a kind of grant that the laptop does not know");
  });
});

describe("the environment of a function", () => {
  const addresses = new Map([
    ["payments-api", "http://127.0.0.1:4242"],
    ["test-acquirer", "http://127.0.0.1:5001"],
  ] as const);

  test("holds this machine's address where the plan refers to another function", () => {
    const environment = environmentsAt(plan, addresses).get("payments-api");

    expect(environment).toMatchObject({ ACQUIRER_URL: "http://127.0.0.1:5001", SPANNER_DATABASE: "ledger" });
  });

  test("keeps an audience as the plan has it: it is the name of a service, not the way to it", () => {
    const closed = planned(undefined, { PUBLIC: "false" });

    expect(environmentsAt(closed, addresses).get("payments-api")).toMatchObject({
      ACQUIRER_URL: "http://127.0.0.1:5001",
      ACQUIRER_AUDIENCE: "https://test-acquirer.function.invalid",
    });
  });

  test("gives one secret to all that mount it, and another one at the next start", () => {
    const [first, second] = [environmentsAt(plan, addresses), environmentsAt(plan, addresses)];
    const secretOf = (start: typeof first, name: "payments-api" | "test-acquirer") =>
      start.get(name)?.["ACQUIRER_SECRET"];

    expect(secretOf(first, "payments-api")).toMatch(/^[0-9a-f]{48}$/);
    expect(secretOf(first, "test-acquirer")).toBe(secretOf(first, "payments-api"));
    expect(secretOf(second, "payments-api")).not.toBe(secretOf(first, "payments-api"));
  });
});
