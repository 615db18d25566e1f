// Holds the archive and the warehouse to a table that Pub/Sub can write, grants that come first, and views that can go.
// It must never run SQL: the views are tried in event-views.emulator.test.ts.
import { BigqueryArchive } from "../../../infra/constructs/bigquery-archive.ts";
import { EventTopic } from "../../../infra/constructs/event-topic.ts";
import { HistoryWarehouse } from "../../../infra/constructs/history-warehouse.ts";
import { readSettings, storeNames } from "../../../infra/settings.ts";
import { type Attributes, bill, resources, type SynthesizedStack } from "../synthesized.ts";
import { testStack } from "./test-stack.ts";

const archive = (variables: Record<string, string> = {}): SynthesizedStack =>
  testStack((scope, settings) => {
    const topic = new EventTopic(scope, "payment-events", settings);
    const warehouse = new HistoryWarehouse(scope, "warehouse", settings);
    new BigqueryArchive(scope, "bigquery", { settings, topic, table: warehouse.eventDeliveries });
  }, variables);
const stack = archive();
const table = (from: SynthesizedStack, id: string): Attributes =>
  resources(from, "google_bigquery_table").find((one) => one["table_id"] === id) ?? {};
const writing = resources(stack, "google_pubsub_subscription").find((one) => one["bigquery_config"]) ?? {};

describe("the archive of a topic", () => {
  test("brings its subscription, the wait, and the grants of Pub/Sub's account on the table alone", () => {
    expect(bill(stack).filter((line) => line.includes(" bigquery/"))).toEqual([
      "google_bigquery_table_iam_member bigquery/reads-schema",
      "google_bigquery_table_iam_member bigquery/writes-rows",
      "google_pubsub_subscription bigquery/subscription",
      "google_pubsub_subscription_iam_member bigquery/pubsub-takes-dead-letters",
      "time_sleep bigquery/can-write",
    ]);
    expect(
      resources(stack, "google_bigquery_table_iam_member")
        .map((one) => one["role"])
        .sort(),
    ).toEqual(["roles/bigquery.dataEditor", "roles/bigquery.metadataViewer"]);
  });

  test("writes the whole message and its metadata, under no schema that could refuse an event", () => {
    expect(writing["bigquery_config"]).toEqual({
      table: expect.stringMatching(/^\$\{.*project\}\.\$\{.*dataset_id\}\.\$\{.*table_id\}$/),
      write_metadata: true,
    });
  });

  test("buries what BigQuery refuses, and never expires", () => {
    expect(writing).toMatchObject({
      name: "payment-events-to-bigquery",
      dead_letter_policy: { max_delivery_attempts: 100 },
      expiration_policy: { ttl: "" },
    });
  });
});

describe("the warehouse", () => {
  test("has the columns that Pub/Sub fills, each under its name and type, and a partition a day", () => {
    const deliveries = table(stack, "event_deliveries");

    expect(JSON.parse(deliveries["schema"]).map(({ name, type }: Attributes) => `${name} ${type}`)).toEqual([
      "data JSON",
      "subscription_name STRING",
      "message_id STRING",
      "publish_time TIMESTAMP",
      "attributes JSON",
    ]);
    for (const raw of [deliveries, table(stack, "log_entries")]) {
      expect(raw["schema"]).toBe(deliveries["schema"]);
      expect(raw["time_partitioning"]).toEqual({ type: "DAY", field: "publish_time" });
      expect(raw["clustering"]).toEqual(["publish_time"]);
    }
  });

  test("makes each view after what it reads from, in standard SQL, and free to be changed", () => {
    const idOf = (tableId: string) =>
      Object.entries(stack.resource["google_bigquery_table"] ?? {}).find(([, one]) => one["table_id"] === tableId)?.[0];
    const views = resources(stack, "google_bigquery_table").filter((one) => one["view"] !== undefined);

    expect(views.map((view) => view["table_id"])).toHaveLength(12);
    for (const view of views) {
      expect(view).toMatchObject({ deletion_protection: false, view: { use_legacy_sql: false } });
      const query = String(view["view"].query);
      const raw = ["event_deliveries", "log_entries"].filter((name) => query.includes(`${idOf(name)}.table_id}`));
      const read = [...query.matchAll(/\.(\w+)`/g)].map(([, name = ""]) => name);
      expect(raw.length + read.length).toBeGreaterThan(0);
      for (const name of [...raw, ...read]) expect(view["depends_on"]).toContain(`google_bigquery_table.${idOf(name)}`);
    }
  });

  test("shows readers a dataset of views only, which may read the two of raw rows, and keeps policies off those", () => {
    const shown = resources(stack, "google_bigquery_dataset_access");

    expect(shown).toHaveLength(2);
    for (const access of shown) {
      expect(access["dataset"]).toMatchObject({ target_types: ["VIEWS"] });
      expect(access["dataset"].dataset.dataset_id).toMatch(/warehouse_shown_dataset.*\.dataset_id\}$/);
    }
    expect(new Set(shown.map((access) => access["dataset_id"])).size).toBe(2);
    expect(resources(stack, "google_bigquery_dataset_iam_member")).toEqual([]);
  });

  test("goes with its contents in dev and stays in prod, where only the views may change", () => {
    const prod = archive({ STAGE: "prod" });

    for (const dataset of resources(stack, "google_bigquery_dataset")) {
      expect(dataset).toMatchObject({ delete_contents_on_destroy: true, lifecycle: { prevent_destroy: false } });
    }
    expect(table(stack, "event_deliveries")).toMatchObject({ deletion_protection: false });
    expect(resources(prod, "google_bigquery_dataset")).toHaveLength(3);
    for (const dataset of resources(prod, "google_bigquery_dataset")) {
      expect(dataset).toMatchObject({ delete_contents_on_destroy: false, lifecycle: { prevent_destroy: true } });
    }
    expect(table(prod, "event_deliveries")).toMatchObject({
      deletion_protection: true,
      lifecycle: { prevent_destroy: true },
    });
    expect(table(prod, "events")).toMatchObject({ deletion_protection: false });
  });

  test("has a name that BigQuery accepts, whatever the prefix", () => {
    const names = resources(archive({ PREFIX: "anna-b" }), "google_bigquery_dataset").map((one) => one["dataset_id"]);

    expect(names.sort()).toEqual(["anna_b_payments", "anna_b_payments_history", "anna_b_payments_logs"]);
    // What scripts look for in a stage is what the stage has.
    const settings = readSettings({ PREFIX: "anna-b", PROJECT_ID: "shop-1" }, null);
    expect(storeNames(settings).historyDataset).toBe("shop-1.anna_b_payments_history");
  });
});
