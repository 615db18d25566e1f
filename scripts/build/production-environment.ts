// The environment that a bundle is started with when it is only looked at: settings as a deployed stage has them.
// It must never hold an address at which anything listens.
import { environmentNames } from "../../functions/config.ts";

/** All variables; what they name does not exist, so only answers that touch nothing can be had. */
export function productionEnvironment(): Record<string, string> {
  const variables = Object.entries(productionSettings) as [keyof typeof environmentNames, string][];
  const environment = Object.fromEntries(variables.map(([key, value]) => [environmentNames[key], value]));
  // Without a metadata server the clients would look for one for seconds.
  return { ...environment, METADATA_SERVER_DETECTION: "none" };
}

const productionSettings: Record<keyof typeof environmentNames, string> = {
  project: "sample-project",
  spannerInstance: "payments",
  spannerDatabase: "ledger",
  firestoreDatabase: "payments",
  redisHost: "redis.invalid",
  redisPort: "6378",
  redisAuthorities: "",
  redisAuth: "not-a-secret-only-a-check",
  acquirerUrl: "https://acquirer.invalid",
  acquirerAudience: "https://acquirer.invalid",
  acquirerSecret: "not-a-secret-only-a-check",
  webhookHttpAllowed: "true",
  crashTour: "dev",
  webhookLoopback: "http://127.0.0.1:*",
  webhookFastQueues: "projects/sample-project/locations/l/queues/webhook-fast-g1",
  webhookSlowQueues: "projects/sample-project/locations/l/queues/webhook-slow-g1",
  webhookCaller: "webhook-caller@sample-project.iam.gserviceaccount.com",
  webhookTarget: "https://webhook-dispatcher.invalid",
  endpointSecretKey: "not-a-key-only-a-check-of-the-bundle",
  eventsTopic: "projects/sample-project/topics/payment-events",
  paymentsUrl: "https://payments.invalid",
  paymentsAudience: "https://payments.invalid",
  historyDataset: "sample-project.payments_history",
  historyLocation: "us-central1",
  dashboardSessionKey: "not-a-key-only-a-check-of-the-bundle",
  shopKeySeed: "not_a_seed_but_only_a_check_of_the_bundle",
  settlementsQueue: "projects/sample-project/locations/us-central1/queues/settlements-g1",
  settlementsCaller: "tasks@sample-project.iam.gserviceaccount.com",
  settlementsTarget: "https://ledger-writer.invalid",
  intentionsUrl: "https://webhook-dispatcher.invalid",
  intentionsAudience: "https://webhook-dispatcher.invalid",
  intentionsCaller: "ledger-writer@sample-project.iam.gserviceaccount.com",
  metadataUrl: "http://127.0.0.1:9",
  callerAccount: "schedule@sample-project.iam.gserviceaccount.com",
  mailFrom: "receipts@shop.example",
  smtpUrl: "smtps://mail.invalid:465",
  rateLimitPerSecond: "100",
  rateLimitBurst: "200",
  feeBasisPoints: "290",
  feeFixedMinor: "usd:30",
  availableAfterDays: "2",
  // Recorded, so that the clients' own spans are tried too; nothing listens there.
  traceSampleRatio: "1",
  traceCollectorUrl: "http://127.0.0.1:9/v1/traces",
};
