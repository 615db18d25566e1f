// Which Google API makes a resource, by its Terraform type.
// It must never say "none" for a type that it does not know: an unknown type stops the test.

/** Full name of the API; undefined for what no API makes, or what turns APIs on. */
export function apiOf(type: string): string | undefined {
  const found = apis.find(([prefix]) => type.startsWith(prefix));
  if (found === undefined) throw new Error(`which API makes ${type}?`);
  return found[1] === undefined ? undefined : `${found[1]}.googleapis.com`;
}

/** The first prefix that fits decides. */
const apis: readonly (readonly [string, string | undefined])[] = [
  ["time_", undefined],
  ["google_project_service", undefined],
  ["google_project_iam_custom_role", "iam"],
  ["google_project_iam_", "cloudresourcemanager"],
  ["data.google_project", "cloudresourcemanager"],
  ["google_service_account", "iam"],
  ["google_artifact_registry_", "artifactregistry"],
  ["google_storage_", "storage"],
  ["google_spanner_", "spanner"],
  ["google_firestore_", "firestore"],
  ["google_secret_manager_", "secretmanager"],
  ["google_redis_", "redis"],
  ["google_compute_", "compute"],
  ["google_vpc_access_", "vpcaccess"],
  ["google_cloudfunctions2_", "cloudfunctions"],
  ["google_cloud_run_v2_", "run"],
  ["google_cloud_scheduler_", "cloudscheduler"],
  ["google_cloud_tasks_", "cloudtasks"],
  ["google_pubsub_", "pubsub"],
  ["google_bigquery_", "bigquery"],
  ["google_logging_", "logging"],
  ["google_monitoring_", "monitoring"],
  ["google_billing_", "billingbudgets"],
];
