// Holds the stack of the functions to its bill, its least privilege, its environment and its sizes.
// It must never trust a name alone: grants are read with the resource and the member they stand on.
import { environmentNames } from "../../functions/config.ts";
import { planGraph } from "./plan-graph.ts";
import { bill, functionNamed, resources, type SynthesizedPlan, synthesizedPlan } from "./synthesized.ts";

const open = synthesizedPlan({ STAGE: "dev", PUBLIC: "true" });
const closed = synthesizedPlan({ STAGE: "dev" });
const prod = synthesizedPlan({ STAGE: "prod", ACQUIRER_URL: "https://acquirer.bank.example" });

/** `account: role on type`, sorted, for every grant of the stack. */
function grants(plan: SynthesizedPlan): string[] {
  const graph = planGraph(plan);
  return graph.nodes
    .filter(({ stack, type }) => stack === "services" && type.endsWith("_iam_member"))
    .map(({ stack, type, attributes }) => {
      const account = graph.origin(stack, attributes["member"])?.node.attributes["account_id"];
      const role = graph.origin(stack, attributes["role"])?.node.attributes["title"] ?? attributes["role"];
      return `${account ?? attributes["member"].replace(/\$\{[^}]*\}/, "N")}: ${role} on ${type.replace(/^google_|_iam_member$/g, "")}`;
    })
    .sort();
}

const variables = (plan: SynthesizedPlan, name: string): string[] => {
  const { environment_variables: plain, secret_environment_variables: secret } = functionNamed(
    plan.stacks.services,
    name,
  )["service_config"];
  const names = [...Object.keys(plain), ...secret.map((one: { key: string }) => one.key)];
  return names.filter((key) => !key.startsWith("TRACE_")).sort();
};

/** Consumers of events, the dashboard and tracing have tests of their own: consumer-services, merchant-dashboard, tracing. */
const isNotOfConsumers = (line: string) =>
  !/\b(?:notification|invoice|risk|dead-letter)\b|gcp-sa-pubsub|\bdashboard\b|writes-traces|tracesWriter/.test(line);

describe("the services stack", () => {
  test("holds exactly one function per line, with its code and grants, and what calls them", () => {
    expect(bill(open.stacks.services).filter(isNotOfConsumers)).toEqual([
      "google_cloud_run_v2_service_iam_member ledger-schedule/may-call",
      "google_cloud_run_v2_service_iam_member ledger-tasks/may-call",
      "google_cloud_run_v2_service_iam_member ledger-writer/invokes-webhook-dispatcher",
      "google_cloud_run_v2_service_iam_member payments-api/public",
      "google_cloud_run_v2_service_iam_member sample-shop/public",
      "google_cloud_run_v2_service_iam_member test-acquirer/public",
      "google_cloud_run_v2_service_iam_member webhook-caller/may-call",
      "google_cloud_scheduler_job complete-attempts/job",
      "google_cloud_scheduler_job expire-holds/job",
      "google_cloud_scheduler_job move-checkpoints/job",
      "google_cloud_scheduler_job operate/job",
      "google_cloud_scheduler_job reconcile/job",
      "google_cloud_scheduler_job relay-outbox/job",
      "google_cloud_scheduler_job seal-ledger/job",
      "google_cloud_scheduler_job sweep-deliveries/job",
      "google_cloud_scheduler_job verify-ledger/job",
      "google_cloud_tasks_queue_iam_member ledger-writer/enqueues-into-settlements",
      "google_cloud_tasks_queue_iam_member payments-api/enqueues-into-settlements",
      "google_cloud_tasks_queue_iam_member payments-api/enqueues-into-webhook-fast",
      "google_cloud_tasks_queue_iam_member webhook-dispatcher/enqueues-into-webhook-fast",
      "google_cloud_tasks_queue_iam_member webhook-dispatcher/enqueues-into-webhook-slow",
      "google_cloudfunctions2_function ledger-writer/function",
      "google_cloudfunctions2_function payments-api/function",
      "google_cloudfunctions2_function sample-shop/function",
      "google_cloudfunctions2_function test-acquirer/function",
      "google_cloudfunctions2_function webhook-dispatcher/function",
      "google_project_iam_member payments-api/uses-documents",
      "google_project_iam_member sample-shop/uses-documents",
      "google_project_iam_member test-acquirer/uses-documents",
      "google_project_iam_member webhook-dispatcher/uses-documents",
      "google_pubsub_subscription webhook-dispatcher-events/subscription",
      "google_pubsub_subscription_iam_member webhook-dispatcher-events/pubsub-takes-dead-letters",
      "google_pubsub_topic_iam_member ledger-writer/publishes-to-payment-events",
      "google_pubsub_topic_iam_member payments-api/publishes-to-payment-events",
      "google_pubsub_topic_iam_member webhook-dispatcher/publishes-to-payment-events",
      "google_secret_manager_secret_iam_member ledger-writer/reads-acquirer-secret",
      "google_secret_manager_secret_iam_member payments-api/reads-acquirer-secret",
      "google_secret_manager_secret_iam_member payments-api/reads-endpoint-secret-key",
      "google_secret_manager_secret_iam_member sample-shop/reads-shop-key-seed",
      "google_secret_manager_secret_iam_member test-acquirer/reads-acquirer-secret",
      "google_secret_manager_secret_iam_member webhook-dispatcher/reads-endpoint-secret-key",
      "google_service_account_iam_member ledger-schedule/cloudscheduler-signs",
      "google_service_account_iam_member ledger-tasks/cloudtasks-signs",
      "google_service_account_iam_member ledger-writer/acts-as-ledger-tasks",
      "google_service_account_iam_member payments-api/acts-as-ledger-tasks",
      "google_service_account_iam_member payments-api/acts-as-webhook-caller",
      "google_service_account_iam_member webhook-caller/cloudscheduler-signs",
      "google_service_account_iam_member webhook-caller/cloudtasks-signs",
      "google_service_account_iam_member webhook-caller/pubsub-signs",
      "google_service_account_iam_member webhook-dispatcher/acts-as-webhook-caller",
      "google_spanner_database_iam_member ledger-writer/uses-ledger",
      "google_spanner_database_iam_member payments-api/uses-ledger",
      "google_storage_bucket_object ledger-writer/source",
      "google_storage_bucket_object payments-api/source",
      "google_storage_bucket_object sample-shop/source",
      "google_storage_bucket_object test-acquirer/source",
      "google_storage_bucket_object webhook-dispatcher/source",
    ]);
  });

  test("grants each account what its function touches, and only there", () => {
    expect(grants(closed).filter(isNotOfConsumers)).toEqual([
      "ledger-schedule: roles/run.invoker on cloud_run_v2_service",
      "ledger-tasks: roles/run.invoker on cloud_run_v2_service",
      "ledger-writer: Payments ledger runtime on spanner_database",
      "ledger-writer: roles/cloudtasks.enqueuer on cloud_tasks_queue",
      "ledger-writer: roles/iam.serviceAccountUser on service_account",
      "ledger-writer: roles/pubsub.publisher on pubsub_topic",
      "ledger-writer: roles/run.invoker on cloud_run_v2_service",
      "ledger-writer: roles/run.invoker on cloud_run_v2_service",
      "ledger-writer: roles/secretmanager.secretAccessor on secret_manager_secret",
      "payments-api: Payments ledger runtime on spanner_database",
      "payments-api: roles/cloudtasks.enqueuer on cloud_tasks_queue",
      "payments-api: roles/cloudtasks.enqueuer on cloud_tasks_queue",
      "payments-api: roles/datastore.user on project",
      "payments-api: roles/iam.serviceAccountUser on service_account",
      "payments-api: roles/iam.serviceAccountUser on service_account",
      "payments-api: roles/pubsub.publisher on pubsub_topic",
      "payments-api: roles/run.invoker on cloud_run_v2_service",
      "payments-api: roles/secretmanager.secretAccessor on secret_manager_secret",
      "payments-api: roles/secretmanager.secretAccessor on secret_manager_secret",
      "sample-shop: roles/datastore.user on project",
      "sample-shop: roles/run.invoker on cloud_run_v2_service",
      "sample-shop: roles/secretmanager.secretAccessor on secret_manager_secret",
      "serviceAccount:service-N@gcp-sa-cloudscheduler.iam.gserviceaccount.com: roles/iam.serviceAccountOpenIdTokenCreator on service_account",
      "serviceAccount:service-N@gcp-sa-cloudscheduler.iam.gserviceaccount.com: roles/iam.serviceAccountOpenIdTokenCreator on service_account",
      "serviceAccount:service-N@gcp-sa-cloudtasks.iam.gserviceaccount.com: roles/iam.serviceAccountOpenIdTokenCreator on service_account",
      "serviceAccount:service-N@gcp-sa-cloudtasks.iam.gserviceaccount.com: roles/iam.serviceAccountOpenIdTokenCreator on service_account",
      "test-acquirer: roles/datastore.user on project",
      "test-acquirer: roles/secretmanager.secretAccessor on secret_manager_secret",
      "webhook-caller: roles/run.invoker on cloud_run_v2_service",
      "webhook-dispatcher: roles/cloudtasks.enqueuer on cloud_tasks_queue",
      "webhook-dispatcher: roles/cloudtasks.enqueuer on cloud_tasks_queue",
      "webhook-dispatcher: roles/datastore.user on project",
      "webhook-dispatcher: roles/iam.serviceAccountUser on service_account",
      "webhook-dispatcher: roles/pubsub.publisher on pubsub_topic",
      "webhook-dispatcher: roles/secretmanager.secretAccessor on secret_manager_secret",
    ]);
  });

  test("lets nobody but its schedule and its queue into ledger-writer, and no call from outside the platform", () => {
    const { environment_variables, ...service } = functionNamed(open.stacks.services, "ledger-writer")[
      "service_config"
    ];
    const invokers = resources(open.stacks.services, "google_cloud_run_v2_service_iam_member").filter(({ name }) =>
      name.includes("ledger-writer"),
    );

    expect(service["ingress_settings"]).toBe("ALLOW_INTERNAL_ONLY");
    const named = (text: unknown) => /ledger-(?:schedule|tasks)/.exec(String(text))?.[0];
    expect(invokers.map(({ member }) => named(member)).sort()).toEqual(["ledger-schedule", "ledger-tasks"]);
    expect(named(environment_variables[environmentNames.callerAccount])).toBe("ledger-schedule");
    expect(named(environment_variables[environmentNames.settlementsCaller])).toBe("ledger-tasks");
  });

  test("opens the test acquirer to its two callers only, with a token, when the world is not let in", () => {
    const callers = ["payments-api", "ledger-writer"];
    const targets = resources(closed.stacks.services, "google_cloud_run_v2_service_iam_member").filter(({ name }) =>
      name.includes("test-acquirer"),
    );

    expect(targets).toHaveLength(callers.length);
    for (const name of callers) {
      const environment = functionNamed(closed.stacks.services, name)["service_config"].environment_variables;
      expect(targets.filter(({ member }) => member.includes(`accounts_${name}_`))).toHaveLength(1);
      expect(environment[environmentNames.acquirerAudience]).toBe(environment[environmentNames.acquirerUrl]);
      expect(variables(open, name)).not.toContain(environmentNames.acquirerAudience);
    }
  });

  test("gives the shop a database of its own and no secret of the platform's", () => {
    const { environment_variables: variables, secret_environment_variables: mounted } = functionNamed(
      closed.stacks.services,
      "sample-shop",
    )["service_config"];
    const graph = planGraph(closed);
    const [secret, ...more] = mounted;

    expect(graph.origin("services", variables[environmentNames.firestoreDatabase])?.node.attributes["name"]).toBe(
      "sample-shop",
    );
    expect(graph.origin("services", secret.secret)?.node.attributes["secret_id"]).toBe("shop-key-seed");
    expect(more).toEqual([]);
    expect(variables[environmentNames.paymentsAudience]).toBe(variables[environmentNames.paymentsUrl]);
  });

  test("calls ledger-writer each minute, once, for as long as a sweep may take", () => {
    const jobs = resources(closed.stacks.services, "google_cloud_scheduler_job");
    const job = jobs.find(({ name }) => name === "complete-attempts");
    const { uri } = job?.["http_target"] ?? {};

    expect(job).toMatchObject({ schedule: "* * * * *", retry_config: { retry_count: 0 }, attempt_deadline: "240s" });
    expect(uri).toMatch(/ledger-writer_function\w+\.service_config\[0\]\.uri\}\/complete$/);
    expect(job?.["http_target"].oidc_token.audience).toBe(uri.replace("/complete", ""));
  });

  test("has room for every call that the queue of settlements makes at once, beside the sweeps", () => {
    const { max_instance_request_concurrency: each, max_instance_count: instances } = functionNamed(
      closed.stacks.services,
      "ledger-writer",
    )["service_config"];
    const queue = resources(closed.stacks.messaging, "google_cloud_tasks_queue").find(
      ({ name }) => name === "settlements-g1",
    );

    // A sweep takes four minutes at the longest, and one begins each minute.
    expect(each * instances).toBeGreaterThanOrEqual(queue?.["rate_limits"].max_concurrent_dispatches + 4);
  });

  test("verifies the ledger once a day, and does not begin again when that fails", () => {
    const job = resources(closed.stacks.services, "google_cloud_scheduler_job").find(
      (one) => one["name"] === "verify-ledger",
    );

    expect(job).toMatchObject({ schedule: "23 3 * * *", retry_config: { retry_count: 0 }, attempt_deadline: "240s" });
    expect(job?.["http_target"].uri).toMatch(/\.uri\}\/verify$/);
  });

  test("gives every function its own account, the runtime of the tests, and concurrency only with a whole CPU", () => {
    const functions = resources(open.stacks.services, "google_cloudfunctions2_function");
    const accounts = functions.map((one) => one["service_config"].service_account_email);

    expect(new Set(accounts).size).toBe(functions.length);
    for (const { build_config, service_config } of functions) {
      expect(build_config.runtime).toBe("nodejs24");
      expect(service_config.max_instance_request_concurrency).toBeGreaterThan(1);
      expect(Number(service_config.available_cpu)).toBeGreaterThanOrEqual(1);
      expect(service_config.available_memory).toBe("512Mi");
    }
  });

  test("sets every variable that an entry reads, and no more", () => {
    const { acquirerAudience, callerAccount, firestoreDatabase, rateLimitPerSecond, rateLimitBurst } = environmentNames;
    const { acquirerSecret, acquirerUrl, eventsTopic, project, spannerDatabase, spannerInstance } = environmentNames;
    const writer: string[] = [acquirerSecret, acquirerUrl, eventsTopic, project, spannerDatabase, spannerInstance];
    const { settlementsCaller, settlementsQueue, settlementsTarget } = environmentNames;
    writer.push(settlementsCaller, settlementsQueue);
    writer.push(environmentNames.feeBasisPoints, environmentNames.feeFixedMinor, environmentNames.availableAfterDays);
    const { endpointSecretKey, webhookHttpAllowed, paymentsUrl, paymentsAudience, shopKeySeed } = environmentNames;
    const { webhookFastQueues, webhookSlowQueues, webhookCaller, webhookTarget } = environmentNames;

    const { intentionsAudience: asked, intentionsCaller, intentionsUrl } = environmentNames;
    expect(variables(open, "ledger-writer")).toEqual([...writer, callerAccount, asked, intentionsUrl].sort());
    expect(variables(open, "payments-api")).toEqual(
      [
        ...writer,
        firestoreDatabase,
        rateLimitPerSecond,
        rateLimitBurst,
        endpointSecretKey,
        webhookHttpAllowed,
        environmentNames.crashTour,
        settlementsTarget,
        ...[webhookFastQueues, webhookSlowQueues, webhookCaller, webhookTarget],
      ].sort(),
    );
    expect(variables(closed, "payments-api")).toEqual([...variables(open, "payments-api"), acquirerAudience].sort());
    expect(variables(open, "webhook-dispatcher")).toEqual(
      [
        ...[project, firestoreDatabase, eventsTopic, endpointSecretKey, webhookHttpAllowed],
        ...[webhookFastQueues, webhookSlowQueues, webhookCaller, callerAccount, intentionsCaller],
      ].sort(),
    );
    expect(variables(open, "sample-shop")).toEqual(
      [environmentNames.project, firestoreDatabase, paymentsUrl, shopKeySeed].sort(),
    );
    expect(variables(closed, "sample-shop")).toEqual([...variables(open, "sample-shop"), paymentsAudience].sort());
    expect(variables(open, "test-acquirer")).toEqual(
      [environmentNames.acquirerSecret, environmentNames.project, firestoreDatabase].sort(),
    );
  });

  test("pins the secret's version by its number", () => {
    const [mounted] = functionNamed(open.stacks.services, "payments-api")["service_config"]
      .secret_environment_variables;

    expect(mounted.version).toBe("1");
  });
});

describe("the services stack of prod", () => {
  test("has no test acquirer and no shop, and calls the acquirer of the settings", () => {
    const functions = resources(prod.stacks.services, "google_cloudfunctions2_function").map((one) => one["name"]);

    expect(functions).not.toContain("test-acquirer");
    expect(prod.stacks.services.text + prod.stacks.foundation.text).not.toMatch(/test-acquirer|sample-shop/);
    for (const name of ["ledger-writer", "payments-api"]) {
      const environment = functionNamed(prod.stacks.services, name)["service_config"].environment_variables;
      expect(Object.keys(environment)).not.toContain(environmentNames.crashTour);
      expect(environment[environmentNames.acquirerUrl]).toBe("https://acquirer.bank.example");
      expect(environment).not.toHaveProperty(environmentNames.acquirerAudience);
    }
  });

  test("keeps an instance warm and caps their number", () => {
    expect(functionNamed(prod.stacks.services, "payments-api")["service_config"]).toMatchObject({
      min_instance_count: 1,
      max_instance_count: 100,
    });
  });
});
