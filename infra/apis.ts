/**
 * The Google APIs that a stage needs, and why: what the foundation stack turns on and `npm run doctor` looks at.
 * It must never hold an API that nothing uses: each one is a door.
 */

/** What Terraform itself needs before it can turn on anything: bootstrap turns these on. */
export const bootstrapApis = [
  "cloudresourcemanager.googleapis.com", // grants on the project
  "serviceusage.googleapis.com", // turning on the others
  "iam.googleapis.com", // service accounts and the ledger's role
  "iamcredentials.googleapis.com", // identity tokens of callers
  "storage.googleapis.com", // Terraform's state, and the functions' code
] as const;

/** What Memorystore as the idempotency cache needs beside them. */
export const memoryStoreApis = [
  "redis.googleapis.com", // the cache
  "compute.googleapis.com", // its network
  "vpcaccess.googleapis.com", // the connector into that network
] as const;

/** All of them but those; the foundation stack lists the first ones again, so that they stand in the plan. */
export const requiredApis = [
  ...bootstrapApis,
  "run.googleapis.com", // the services that functions are
  "cloudfunctions.googleapis.com", // functions
  "cloudbuild.googleapis.com", // their builds
  "artifactregistry.googleapis.com", // their images
  "firestore.googleapis.com", // the idempotency cache
  "spanner.googleapis.com", // the ledger
  "pubsub.googleapis.com", // events
  "cloudtasks.googleapis.com", // webhook attempts and settlements
  "cloudscheduler.googleapis.com", // sweeps
  "secretmanager.googleapis.com", // the acquirer's secret
  "bigquery.googleapis.com", // history and logs
  "logging.googleapis.com", // the sink and the metrics of logs
  "monitoring.googleapis.com", // alerts and the dashboard
  "telemetry.googleapis.com", // spans by OTLP
  "cloudtrace.googleapis.com", // where they are kept; switched off, they are discarded
] as const;
