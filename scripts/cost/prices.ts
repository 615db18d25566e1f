// List prices of Google Cloud in USD, in the cheapest class of regions (us-central1), with the page that each was read from.
// It must never hold a price without its date: prices change, and so do free tiers, which are left out.

/** When the newest of the pages was read. */
export const PRICES_DATE = "2026-08";

/** Hours of a month, as Google's own calculator counts them. */
export const HOURS_PER_MONTH = 730;

/** cloud.google.com/spanner, 2026-08: an hour of 100 processing units on one replica, by edition. */
export const SPANNER_REPLICA_HOUR = { STANDARD: 0.03, ENTERPRISE: 0.041, ENTERPRISE_PLUS: 0.057 } as const;

/** Replicas that are paid for. Several regions have five (two regions with two each, and a witness): an assumption. */
export function spannerReplicas(config: unknown): number {
  return String(config).startsWith("regional-") ? 3 : 5;
}

/** cloud.google.com/spanner, 2026-08: a GB-month of SSD on one replica. */
export const SPANNER_STORAGE_GB = 0.1;

/** cloud.google.com/products/firestore, 2026-08, Standard edition: one operation. */
export const FIRESTORE = { read: 0.03 / 100_000, write: 0.09 / 100_000, delete: 0.01 / 100_000 } as const;

/** Cloud Tasks' pricing page, from a stored copy: an API call or a delivery attempt. */
export const TASKS_OPERATION = 0.4 / 1_000_000;

/** Pub/Sub's pricing page, from a stored copy of 2025-26: a TiB published or pushed, and a TiB written to BigQuery; 1 KB at least. */
export const PUBSUB_TIB = { publish: 40, push: 40, bigQuery: 50 } as const;

/** BigQuery on demand, quoted in public repositories, us-central1: a TiB that queries read. */
export const BIGQUERY_TIB = 6.25;

/** Cloud Run functions, tier 1, quoted in public repositories in 2026: a request, a second of one CPU, a second of one GiB. */
export const FUNCTIONS = { request: 0.4 / 1_000_000, cpuSecond: 0.000024, gibSecond: 0.0000025 } as const;

/** Cloud Scheduler, quoted in public repositories: a job in a month. */
export const SCHEDULER_JOB = 0.1;

/** Secret Manager, quoted in public repositories: an active version in a month. */
export const SECRET_VERSION = 0.06;

/** cloud.google.com/memorystore/docs/redis/pricing, us-central1, quoted in public repositories: an hour of one GB, up to 4 GB. */
export const MEMORYSTORE_GB_HOUR = { BASIC: 0.049, STANDARD_HA: 0.064 } as const;

/** A connector's instances are Compute Engine's: an hour of one e2-micro in us-central1. */
export const CONNECTOR_INSTANCE_HOUR = 0.00838;

/** Cloud Logging, quoted in public repositories: a GiB ingested. */
export const LOGGING_GIB = 0.5;

/** cloud.google.com/bigquery, 2026-08: a GiB-month of active logical storage, and a TiB that a question reads. */
export const BIGQUERY = { gibMonth: 0.02, tibRead: 6.25 } as const;

/**
 * Every type of resource that the tables know: either priced by one of the rules, or free while nobody uses it. Storage
 * of code, images and logs is a few cents and has no row.
 */
export const pricedTypes: Readonly<Record<string, "idle" | "use" | "free">> = {
  google_spanner_instance: "idle",
  google_secret_manager_secret: "idle",
  google_cloud_scheduler_job: "idle",
  google_cloudfunctions2_function: "idle",
  google_redis_instance: "idle",
  google_vpc_access_connector: "idle",
  google_compute_network: "free",
  google_secret_manager_secret_version: "free",
  google_firestore_database: "use",
  google_cloud_tasks_queue: "use",
  google_pubsub_topic: "use",
  google_pubsub_subscription: "use",
  google_bigquery_dataset: "free",
  google_bigquery_dataset_access: "free",
  google_bigquery_dataset_iam_member: "free",
  google_bigquery_table: "use",
  google_bigquery_table_iam_member: "free",
  google_artifact_registry_repository: "free",
  google_artifact_registry_repository_iam_member: "free",
  google_billing_budget: "free",
  google_cloud_run_v2_service_iam_member: "free",
  google_cloud_tasks_queue_iam_member: "free",
  google_firestore_field: "free",
  google_firestore_index: "free",
  google_logging_metric: "free",
  google_logging_project_sink: "free",
  google_monitoring_alert_policy: "free",
  google_monitoring_dashboard: "free",
  google_monitoring_notification_channel: "free",
  google_project_iam_custom_role: "free",
  google_project_iam_member: "free",
  google_project_service: "free",
  google_pubsub_subscription_iam_member: "free",
  google_pubsub_topic_iam_member: "free",
  google_secret_manager_secret_iam_member: "free",
  google_service_account: "free",
  google_service_account_iam_member: "free",
  google_spanner_backup_schedule: "free",
  google_spanner_database: "free",
  google_spanner_database_iam_member: "free",
  google_storage_bucket: "free",
  google_storage_bucket_iam_member: "free",
  google_storage_bucket_object: "free",
  time_sleep: "free",
};
