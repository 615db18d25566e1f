// Holds the stack that watches to its bill, to the log lines that functions really write, and to a page for each alert.
// It must never trust a name: lines are looked up in the source that writes them.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { type WatchedLine, watchedLines } from "../../functions/config.ts";
import { readSettings } from "../../infra/settings.ts";
import { type Attributes, bill, only, resources, synthesized } from "./synthesized.ts";

const root = path.join(import.meta.dirname, "..", "..");
const told = synthesized({ STAGE: "dev", ALERT_EMAIL: "on-call@shop.example" }).observability;
const silent = synthesized({ STAGE: "prod" }).observability;
const budgeted = synthesized({
  STAGE: "dev",
  ALERT_EMAIL: "on-call@shop.example",
  BILLING_ACCOUNT: "012345-6789AB-CDEF01",
  MONTHLY_BUDGET: "150",
}).observability;
const alerts = resources(told, "google_monitoring_alert_policy");
/** Those of a stage with Memorystore beside them. */
const cached = synthesized({ STAGE: "dev", IDEMPOTENCY_CACHE: "memorystore" }).observability;
const allAlerts = resources(cached, "google_monitoring_alert_policy");
const metrics = resources(told, "google_logging_metric");
const alert = (name: string): Attributes => alerts.find((one) => one["display_name"] === name) ?? {};

describe("the observability stack", () => {
  test("holds exactly the sink, the metrics, the alerts and the dashboard", () => {
    expect(bill(told)).toEqual(
      [
        "google_logging_metric metrics/cache-troubles",
        "google_logging_metric metrics/attempts-given-up",
        "google_logging_metric metrics/breaks",
        "google_logging_metric metrics/dead-letters",
        "google_logging_metric metrics/ledger-faults",
        "google_logging_metric metrics/relays",
        "google_logging_metric metrics/relays-with-overdue",
        "google_logging_metric metrics/request-durations",
        "google_logging_metric metrics/requests",
        "google_logging_metric metrics/requests-failed",
        "google_logging_metric metrics/sealings",
        "google_logging_metric metrics/sweeps",
        "google_logging_metric metrics/sweeps-with-backlog",
        "google_logging_metric metrics/webhook-attempts",
        "google_logging_metric metrics/webhook-attempts-failed",
        "google_logging_metric metrics/webhooks-dead",
        "google_logging_project_sink log-archive/sink",
        "google_pubsub_topic_iam_member log-archive/publishes-to-payment-logs",
        "google_monitoring_alert_policy alerts/breaks/policy",
        "google_monitoring_alert_policy alerts/cache-down/policy",
        "google_monitoring_alert_policy alerts/dead-letters/policy",
        "google_monitoring_alert_policy alerts/error-rate/policy",
        "google_monitoring_alert_policy alerts/events-stuck/policy",
        "google_monitoring_alert_policy alerts/latency/policy",
        "google_monitoring_alert_policy alerts/ledger-fault/policy",
        "google_monitoring_alert_policy alerts/outbox-overdue/policy",
        "google_monitoring_alert_policy alerts/settle-backlog/policy",
        "google_monitoring_alert_policy alerts/webhooks-failing/policy",
        "google_monitoring_dashboard dashboard",
        "google_monitoring_notification_channel on-call",
        "time_sleep metrics/are-known",
      ].sort(),
    );
  });

  test("sends logs to the topic of the archive under an account of its own, which may publish there", () => {
    expect(only(told, "google_logging_project_sink")).toMatchObject({
      unique_writer_identity: true,
      destination: expect.stringMatching(/^pubsub\.googleapis\.com\/projects\/.*\/topics\//),
      filter: expect.stringContaining(
        '("payments-api" OR "ledger-writer" OR "test-acquirer" OR "notification" OR "invoice" OR "risk" OR "dead-letter-recorder"',
      ),
    });
    expect(only(told, "google_pubsub_topic_iam_member")).toMatchObject({
      role: "roles/pubsub.publisher",
      member: expect.stringMatching(/google_logging_project_sink\..*\.writer_identity\}$/),
    });
  });

  test("archives the line that carries a seal's root out of the database, whatever its severity", () => {
    const { filter } = only(told, "google_logging_project_sink");
    const conditions = filter.split(" AND ");

    // The flow tells the root, the entry's log writes it to stdout, and no other condition keeps it out.
    expect(sourceOf("flows/seal-ledger.ts")).toContain('"ledger sealed", { anchor: anchorText(seal)');
    expect(sourceOf("ledger-writer.ts")).toContain("log: seen.log");
    expect(sourceOf("adapters/trace-open.ts")).toContain("tracedLog({ service, revision, projectId }, writeLine)");
    expect(sourceOf("adapters/trace-log.ts")).toContain("process.stdout.write");
    expect(conditions).toEqual([
      'resource.type = "cloud_run_revision"',
      expect.stringMatching(/^resource\.labels\.service_name = \(.*"ledger-writer".*\)$/),
      expect.stringContaining('log_id("run.googleapis.com/stdout")'),
    ]);
  });

  test("tells the address that bootstrap was given, and works without one", () => {
    expect(only(told, "google_monitoring_notification_channel")).toMatchObject({
      type: "email",
      labels: { email_address: "on-call@shop.example" },
    });
    for (const policy of alerts) expect(policy["notification_channels"]).toHaveLength(1);
    expect(silent.resource).not.toHaveProperty("google_monitoring_notification_channel");
    for (const policy of resources(silent, "google_monitoring_alert_policy")) {
      expect(policy["notification_channels"]).toEqual([]);
    }
  });
});

describe("a metric from logs", () => {
  test("counts, or distributes milliseconds, and has no label", () => {
    for (const { metric_descriptor, label_extractors, value_extractor, bucket_options } of metrics) {
      expect(metric_descriptor.metric_kind).toBe("DELTA");
      expect(label_extractors).toBeUndefined();
      const isDistribution = metric_descriptor.value_type === "DISTRIBUTION";
      expect(metric_descriptor.value_type).toBe(isDistribution ? "DISTRIBUTION" : "INT64");
      expect([value_extractor !== undefined, bucket_options !== undefined]).toEqual([isDistribution, isDistribution]);
    }
    expect(metrics.filter((one) => one["value_extractor"])).toHaveLength(1);
  });

  // The other end, that the code writes each of these lines with these fields, is held by test/proof/watched-lines.test.ts.
  test.each(metrics.map((metric) => [metric["name"], metric]))(
    "%s reads lines that are watched, and of them only fields that are",
    (_name, metric) => {
      const lines = linesOf(metric["filter"]);
      expect(lines.filter((line) => !Object.hasOwn(watchedLines, line))).toEqual([]);
      const fields = lines.flatMap((line): readonly string[] => watchedLines[line as WatchedLine] ?? []);
      expect(fieldsOf(metric).filter((field) => !fields.includes(field))).toEqual([]);
    },
  );

  test("is made from each watched line", () => {
    const read = new Set(metrics.flatMap((metric) => linesOf(metric["filter"])));
    expect([...read].sort()).toEqual(Object.keys(watchedLines).sort());
  });
});

describe("an alert", () => {
  test.each(allAlerts.map((policy) => [policy["display_name"], policy]))(
    "%s names its page, and the page is there",
    (name, policy) => {
      const page = `docs/runbooks/${name}.md`;

      expect(policy["documentation"].content).toContain(page);
      expect(existsSync(path.join(root, page))).toBe(true);
    },
  );

  test("is what every page of a runbook is about", () => {
    const pages = readdirSync(path.join(root, "docs", "runbooks")).map((file) => file.replace(/\.md$/, ""));

    expect(pages.sort()).toEqual(allAlerts.map((policy) => policy["display_name"]).sort());
  });

  test("on dead letters fires at the first one, on the subscription that keeps them and on the recorder's line", () => {
    const [condition, recorded] = alert("dead-letters")["conditions"];

    expect(condition.condition_threshold).toMatchObject({
      threshold_value: 0,
      comparison: "COMPARISON_GT",
      filter: expect.stringMatching(/num_undelivered_messages".*subscription_id = "\$\{.*dead-letters-kept.*\}"/),
    });
    expect(recorded.condition_threshold).toMatchObject({
      threshold_value: 0,
      filter: expect.stringContaining("logging.googleapis.com/user/dead-letters"),
    });
  });

  test("on stuck events looks at every consumer and not at the dead letters, which wait on purpose", () => {
    const [condition] = alert("events-stuck")["conditions"];

    expect(condition.condition_threshold.filter).toContain('starts_with("payment-events-to-")');
  });

  test("on errors compares rates over the same window, ours and the platform's", () => {
    const conditions = alert("error-rate")["conditions"].map((one: Attributes) => one["condition_threshold"]);

    expect(conditions).toHaveLength(2);
    for (const one of conditions) expect(one.denominator_aggregations).toEqual(one.aggregations);
    expect(conditions[0].filter).toContain("/requests-failed");
    expect(conditions[1].filter).toContain('response_code_class = "5xx"');
  });

  test("on the ledger fires for a verification that went wrong, and for an hour without a seal", () => {
    const [fault, silence] = alert("ledger-fault")["conditions"];

    expect(fault.condition_threshold.threshold_value).toBe(0);
    expect(silence.condition_absent).toMatchObject({ duration: "3600s", filter: expect.stringContaining("/sealings") });
  });

  test("on settling fires for a backlog, for an attempt outside its window, and for silence", () => {
    expect(alert("settle-backlog")["conditions"].map((one: Attributes) => Object.keys(one).sort()[0])).toEqual([
      "condition_threshold",
      "condition_threshold",
      "condition_absent",
    ]);
  });
});

describe("the dashboard", () => {
  const { displayName, mosaicLayout } = JSON.parse(only(told, "google_monitoring_dashboard")["dashboard_json"]);

  test("fits its grid without two charts on one place", () => {
    expect(displayName).toBe("payments dev");
    const places = mosaicLayout.tiles.map((tile: Attributes) => `${tile["xPos"]},${tile["yPos"]}`);
    expect(new Set(places).size).toBe(mosaicLayout.tiles.length);
    for (const tile of mosaicLayout.tiles) expect(tile.xPos + tile.width).toBeLessThanOrEqual(mosaicLayout.columns);
  });

  test("shows every metric that is made from logs", () => {
    const shown = JSON.stringify(mosaicLayout);

    for (const metric of metrics) expect(shown).toContain(`logging.googleapis.com/user/${metric["name"]}\\"`);
  });
});

describe("the budget", () => {
  test("is not there unless somebody asks for it", () => {
    expect(told.resource).not.toHaveProperty("google_billing_budget");
  });

  test("watches this project alone, after its own API was waited for, and tells the same address", () => {
    expect(only(budgeted, "google_billing_budget")).toMatchObject({
      billing_account: "012345-6789AB-CDEF01",
      budget_filter: { projects: [expect.stringMatching(/^projects\/\$\{data\.google_project\..*\.number\}$/)] },
      amount: { specified_amount: { units: "150" } },
      all_updates_rule: { monitoring_notification_channels: [expect.stringContaining("on-call")] },
      depends_on: [expect.stringMatching(/^time_sleep\.budget_api_are-ready/)],
    });
    expect(budgeted.text).toContain('"user_project_override": true');
  });

  test.each([
    ["without an amount", { BILLING_ACCOUNT: "012345-6789AB-CDEF01" }],
    ["without an account", { MONTHLY_BUDGET: "150" }],
    ["with a fraction", { BILLING_ACCOUNT: "012345-6789AB-CDEF01", MONTHLY_BUDGET: "99.5" }],
  ])("is refused %s", (_title, variables) => {
    expect(() => readSettings(variables, null)).toThrow("A budget needs BILLING_ACCOUNT and MONTHLY_BUDGET");
  });
});

/** Messages that a filter asks for. */
function linesOf(filter: string): string[] {
  const conditions = [...filter.matchAll(/jsonPayload\.message = (\([^)]*\)|"[^"]*")/g)];
  return conditions.flatMap(([, messages = ""]) => [...messages.matchAll(/"([^"]+)"/g)].map(([, line = ""]) => line));
}

/** Fields of the line that a metric asks for, beside the message. */
function fieldsOf({ filter, value_extractor = "" }: Attributes): string[] {
  return [...`${filter} ${value_extractor}`.matchAll(/jsonPayload\.(\w+)/g)]
    .map(([, field = ""]) => field)
    .filter((field) => field !== "message");
}

function sourceOf(file: string): string {
  return readFileSync(path.join(root, "functions", file), "utf8");
}
