// Holds the stack of the stores to its bill, its schema, its expiry and its protection.
// It must never need Terraform: what only a deployment can show is in docs/unverified.md.
import { readDdl } from "../../infra/ddl.ts";
import { type Attributes, bill, only, resources, synthesized } from "./synthesized.ts";

const dev = synthesized({ STAGE: "dev" });
const prod = synthesized({ STAGE: "prod" });
const shared = synthesized({ STAGE: "dev", PREFIX: "anna", PROJECT_ID: "payments-lab" });

const field = (stack: typeof dev.data, collection: string, name: string): Attributes | undefined =>
  resources(stack, "google_firestore_field").find((one) => one["collection"] === collection && one["field"] === name);

/** Two syntheses take a second, and many times that on a machine that does much else. */
const SYNTHESES_MS = 30_000;

describe("the data stack", () => {
  test("holds exactly the stores, their expiry, the runtime role, the secrets and the history", () => {
    expect(bill(dev.data)).toEqual([
      "google_bigquery_dataset warehouse/raw-events/dataset",
      "google_bigquery_dataset warehouse/raw-logs/dataset",
      "google_bigquery_dataset warehouse/shown/dataset",
      "google_bigquery_dataset_access warehouse/views-read-raw-events",
      "google_bigquery_dataset_access warehouse/views-read-raw-logs",
      "google_bigquery_table warehouse/charges",
      "google_bigquery_table warehouse/consumer_days",
      "google_bigquery_table warehouse/decline_days",
      "google_bigquery_table warehouse/delivery_days",
      "google_bigquery_table warehouse/event_deliveries",
      "google_bigquery_table warehouse/events",
      "google_bigquery_table warehouse/key_lines",
      "google_bigquery_table warehouse/ledger_runs",
      "google_bigquery_table warehouse/log_entries",
      "google_bigquery_table warehouse/log_lines",
      "google_bigquery_table warehouse/payment_days",
      "google_bigquery_table warehouse/payments",
      "google_bigquery_table warehouse/refund_days",
      "google_bigquery_table warehouse/replay_days",
      "google_firestore_database documents/database",
      "google_firestore_database shop-documents/database",
      "google_firestore_field documents/consumerMarkers-expires",
      "google_firestore_field documents/consumerMarkers-without-indexes",
      "google_firestore_field documents/deadLetters-expires",
      "google_firestore_field documents/idempotencyKeys-expires",
      "google_firestore_field documents/idempotencyKeys-without-indexes",
      "google_firestore_field documents/invoices-without-indexes",
      "google_firestore_field documents/mails-expires",
      "google_firestore_field documents/redrives-expires",
      "google_firestore_field documents/redrives-without-indexes",
      "google_firestore_field documents/riskFlags-expires",
      "google_firestore_field documents/riskObservations-expires",
      "google_firestore_field documents/riskObservations-without-indexes",
      "google_firestore_field documents/webhookChanges-expires",
      "google_firestore_field documents/webhookDeliveries-expires",
      "google_firestore_field documents/webhookDeliveries-without-indexes",
      "google_firestore_field shop-documents/shopOrders-expires",
      "google_firestore_field shop-documents/shopOrders-without-indexes",
      "google_firestore_field shop-documents/shopSeenEvents-expires",
      "google_firestore_index documents/webhookDeliveries-by-accountId-createdAtMs",
      "google_firestore_index documents/webhookDeliveries-by-accountId-createdAtMs-down",
      "google_firestore_index documents/webhookDeliveries-by-accountId-endpointId-createdAtMs",
      "google_firestore_index documents/webhookDeliveries-by-accountId-endpointId-createdAtMs-down",
      "google_firestore_index documents/webhookDeliveries-by-accountId-endpointId-state-createdAtMs",
      "google_firestore_index documents/webhookDeliveries-by-accountId-endpointId-state-createdAtMs-down",
      "google_firestore_index documents/webhookDeliveries-by-accountId-eventId-createdAtMs",
      "google_firestore_index documents/webhookDeliveries-by-accountId-eventId-createdAtMs-down",
      "google_firestore_index documents/webhookDeliveries-by-accountId-state-createdAtMs",
      "google_firestore_index documents/webhookDeliveries-by-accountId-state-createdAtMs-down",
      "google_firestore_index documents/webhookDeliveries-by-sweepShard-sweepAtMs",
      "google_project_iam_custom_role ledger/runtime-role",
      "google_secret_manager_secret acquirer-secret/secret",
      "google_secret_manager_secret dashboard-session-key/secret",
      "google_secret_manager_secret endpoint-secret-key/secret",
      "google_secret_manager_secret shop-key-seed/secret",
      "google_spanner_database ledger/database",
      "google_spanner_instance ledger/instance",
    ]);
  });

  test("makes the database from the statements of schema.sql, in GoogleSQL", () => {
    const database = only(dev.data, "google_spanner_database");

    expect(database["ddl"]).toEqual(readDdl());
    expect(database["database_dialect"]).toBe("GOOGLE_STANDARD_SQL");
    // The retention is an argument of its own; the provider refuses it in both places.
    expect(database["ddl"].join("\n")).not.toContain("version_retention_period");
  });

  test("lets keys leave both stores by themselves, a day after their answer expired in Spanner", () => {
    const keys = only(dev.data, "google_spanner_database")["ddl"].find((statement: string) =>
      statement.startsWith("CREATE TABLE idempotency_keys"),
    );

    expect(keys).toContain("ROW DELETION POLICY (OLDER_THAN(delete_after, INTERVAL 1 DAY))");
    expect(field(dev.data, "idempotencyKeys", "deleteAfter")?.["ttl_config"]).toEqual({});
  });

  test("exempts the expiry field in the same resource as its policy: Firestore keeps one configuration per field", () => {
    const fields = resources(dev.data, "google_firestore_field").map((one) => `${one["collection"]}.${one["field"]}`);

    expect(new Set(fields).size).toBe(fields.length);
    expect(field(dev.data, "idempotencyKeys", "deleteAfter")?.["index_config"]).toEqual({});
  });

  test("keeps the test acquirer's journal for ever: its lines are the effects that tests count", () => {
    expect(dev.data.text).not.toContain("acquirerJournal");
  });

  test("indexes no field of an idempotency record, whose body is large and whose times only rise", () => {
    expect(field(dev.data, "idempotencyKeys", "*")?.["index_config"]).toEqual({});
    expect(field(dev.data, "idempotencyKeys", "*")).not.toHaveProperty("ttl_config");
  });

  test("puts every field policy on a named database, never on the default one, the shop's on its own", () => {
    const reference = /^\$\{google_firestore_database\.(documents|shop-documents)_database_\w+\.name\}$/;

    expect(resources(dev.data, "google_firestore_database")).toMatchObject(
      ["payments", "sample-shop"].map((name) => ({ name, type: "FIRESTORE_NATIVE", database_edition: "STANDARD" })),
    );
    for (const one of resources(dev.data, "google_firestore_field")) {
      const [, owner] = reference.exec(one["database"]) ?? [];
      expect(owner).toBe(one["collection"].startsWith("shop") ? "shop-documents" : "documents");
    }
  });

  test("gives the runtime role every call of the client and no right over the schema", () => {
    const permissions: string[] = only(dev.data, "google_project_iam_custom_role")["permissions"];

    expect(permissions).toContain("spanner.databases.beginOrRollbackReadWriteTransaction");
    expect(permissions.filter((one) => /ddl|databases\.(create|drop|update)|IamPolicy|\*/i.test(one))).toEqual([]);
  });

  test("adopts the secrets that bootstrap made, and never sees a value", () => {
    const ids = Object.keys(dev.data.resource["google_secret_manager_secret"] ?? {});

    const adopted = JSON.parse(dev.data.text).import as { to: string; id: string }[];
    expect(adopted.toSorted((one, other) => one.id.localeCompare(other.id))).toEqual(
      ["acquirer-secret", "dashboard-session-key", "endpoint-secret-key", "shop-key-seed"].map((name, index) => ({
        to: `google_secret_manager_secret.${ids[index]}`,
        id: `projects/placeholder-project/secrets/${name}`,
      })),
    );
    expect(dev.data.text).not.toMatch(/secret_version|secret_data/);
  });
});

describe("the data stack of dev", () => {
  test("can be destroyed to nothing, and costs the least that Spanner costs", () => {
    expect(only(dev.data, "google_spanner_instance")).toMatchObject({
      processing_units: 100,
      edition: "STANDARD",
      config: "regional-us-central1",
      default_backup_schedule_type: "NONE",
      force_destroy: true,
    });
    expect(only(dev.data, "google_spanner_database")).toMatchObject({
      deletion_protection: false,
      enable_drop_protection: false,
    });
    for (const database of resources(dev.data, "google_firestore_database")) {
      expect(database).toMatchObject({
        deletion_policy: "DELETE",
        delete_protection_state: "DELETE_PROTECTION_DISABLED",
      });
    }
  });

  test("puts a prefix before every name that two people would fight over", () => {
    expect(only(shared.data, "google_spanner_instance")["name"]).toBe("anna-payments");
    const databases = resources(shared.data, "google_firestore_database");
    expect(databases.map(({ name }) => name)).toEqual(["anna-payments", "anna-sample-shop"]);
    const secrets = Object.values(shared.data.resource["google_secret_manager_secret"] ?? {});
    expect(secrets.map((secret) => secret["secret_id"])).toEqual([
      "anna-acquirer-secret",
      "anna-dashboard-session-key",
      "anna-endpoint-secret-key",
      "anna-shop-key-seed",
    ]);
    expect(only(shared.data, "google_project_iam_custom_role")["role_id"]).toBe("anna_paymentsLedgerRuntime");
  });
});

describe("the data stack of prod", () => {
  test("holds nothing of the sample shop's", () => {
    expect(prod.data.text).not.toMatch(/shop/);
  });

  test("is protected against every tool", () => {
    expect(only(prod.data, "google_spanner_database")).toMatchObject({
      deletion_protection: true,
      enable_drop_protection: true,
      lifecycle: { prevent_destroy: true },
    });
    expect(only(prod.data, "google_spanner_instance")).toMatchObject({
      force_destroy: false,
      lifecycle: { prevent_destroy: true },
    });
    expect(only(prod.data, "google_firestore_database")).toMatchObject({
      deletion_policy: "ABANDON",
      delete_protection_state: "DELETE_PROTECTION_ENABLED",
      point_in_time_recovery_enablement: "POINT_IN_TIME_RECOVERY_ENABLED",
      location_id: "nam5",
      lifecycle: { prevent_destroy: true },
    });
    for (const one of resources(prod.data, "google_firestore_field"))
      expect(one["lifecycle"].prevent_destroy).toBe(true);
  });

  test("keeps a full backup of each day for thirty days, and a week of every row's versions", () => {
    expect(only(prod.data, "google_spanner_backup_schedule")).toMatchObject({
      spec: { cron_spec: { text: "0 3 * * *" } },
      retention_duration: `${30 * 86_400}s`,
      full_backup_spec: {},
    });
    // Google's own schedule would keep a second set.
    expect(only(prod.data, "google_spanner_instance")["default_backup_schedule_type"]).toBe("NONE");
    expect(only(prod.data, "google_spanner_database")["version_retention_period"]).toBe("7d");
  });

  test(
    "keeps documents on the functions' continent, and in the region where there is no place for several",
    () => {
      const place = (region: string) =>
        only(synthesized({ STAGE: "prod", REGION: region }).data, "google_firestore_database")["location_id"];

      expect(["europe-west1", "asia-northeast1"].map(place)).toEqual(["eur3", "asia-northeast1"]);
    },
    SYNTHESES_MS,
  );
});

describe("the sizes of Spanner", () => {
  const instance = (size: string, stage = "dev") =>
    only(synthesized({ STAGE: stage, SPANNER: size, REGION: "europe-west1" }).data, "google_spanner_instance");

  test(
    "begin with Google's free trial, which has no size, no edition and no backups",
    () => {
      const trial = instance("free-trial", "prod");

      expect(trial).toMatchObject({ instance_type: "FREE_INSTANCE", config: "regional-europe-west1" });
      for (const name of ["processing_units", "edition", "num_nodes"]) expect(trial).not.toHaveProperty(name);
      const { data } = synthesized({ STAGE: "prod", SPANNER: "free-trial" });
      expect(resources(data, "google_spanner_backup_schedule")).toEqual([]);
    },
    SYNTHESES_MS,
  );

  test.each([
    ["smallest", { processing_units: 100, edition: "STANDARD", config: "regional-europe-west1" }],
    ["one-node", { processing_units: 1000, edition: "STANDARD", config: "regional-europe-west1" }],
    ["eur3", { processing_units: 1000, edition: "ENTERPRISE_PLUS", config: "eur3" }],
  ])(
    "%s is what it says",
    (size, expected) => {
      expect(instance(size)).toMatchObject({ instance_type: "PROVISIONED", ...expected });
    },
    SYNTHESES_MS,
  );

  test(
    "refuse a name that is none",
    () => {
      expect(() => instance("huge")).toThrow(
        "SPANNER must be one of free-trial, smallest, one-node, or a multi-region configuration such as nam3, not huge.",
      );
    },
    SYNTHESES_MS,
  );
});
