/**
 * The names that the code, the stacks and the laptop share, and the reading of one variable of an environment.
 * It never holds a value that differs between stages: those come from the environment.
 */
export { eventAttributes } from "./domain/events.ts";
export { type WatchedLine, watchedLines } from "./domain/watched-lines.ts";

/** Every deployed function: its entry file, its Cloud Run service and its bundle carry this name (design section 2). */
export const functionNames = [
  "payments-api",
  "ledger-writer",
  "test-acquirer",
  "notification",
  "invoice",
  "risk",
  "dead-letter-recorder",
  "sample-shop",
  "webhook-dispatcher",
  "dashboard",
] as const;

/** One of the deployed functions. */
export type FunctionName = (typeof functionNames)[number];

/** Names of the environment variables that the stacks set and the entries read. */
export const environmentNames = {
  /** The project that holds the stores; logs name it in their trace field. */
  project: "PROJECT_ID",
  /** Spanner instance id. */
  spannerInstance: "SPANNER_INSTANCE",
  /** Spanner database id. */
  spannerDatabase: "SPANNER_DATABASE",
  /** Firestore database id (a named one, never "(default)"). */
  firestoreDatabase: "FIRESTORE_DATABASE",
  /** Where the idempotency cache is Memorystore: its address, who signs its certificates (PEM), and its password, mounted. */
  redisHost: "REDIS_HOST",
  redisPort: "REDIS_PORT",
  redisAuthorities: "REDIS_AUTHORITIES",
  redisAuth: "REDIS_AUTH",
  /** Base URL of the acquirer, without a trailing slash. */
  acquirerUrl: "ACQUIRER_URL",
  /** Audience of the identity token that a closed acquirer wants beside the secret; not set where it wants none. */
  acquirerAudience: "ACQUIRER_AUDIENCE",
  /** Shared secret between us and the acquirer, mounted from Secret Manager. */
  acquirerSecret: "ACQUIRER_SECRET",
  /** Key under which endpoints' signing secrets are encrypted, mounted from Secret Manager; newest first, commas between. */
  endpointSecretKey: "ENDPOINT_SECRET_KEY",
  /** "true" where webhook endpoints may have plain http URLs. */
  webhookHttpAllowed: "WEBHOOK_HTTP_ALLOWED",
  /** The stage, where the crash tour is open; never set in prod. */
  crashTour: "CRASH_TOUR",
  /** Full name of the topic `payment-events`, `projects/…/topics/…`. */
  eventsTopic: "EVENTS_TOPIC",
  /** Base URL of payments-api as a merchant calls it, without a trailing slash. */
  paymentsUrl: "PAYMENTS_URL",
  /** Audience of the identity token that a closed payments-api wants beside the API key; not set where it wants none. */
  paymentsAudience: "PAYMENTS_AUDIENCE",
  /** What the sample shop's API key is made from, mounted from Secret Manager. */
  shopKeySeed: "SHOP_KEY_SEED",
  /** `project.dataset` of the history's views in BigQuery, and the region where it is. */
  historyDataset: "HISTORY_DATASET",
  historyLocation: "HISTORY_LOCATION",
  /** Key under which the dashboard seals its sessions, mounted from Secret Manager; newest first, commas between. */
  dashboardSessionKey: "DASHBOARD_SESSION_KEY",
  /** Origins of this machine that webhooks may be sent to all the same; set on a laptop only (`parseLoopbackOrigins`). */
  webhookLoopback: "WEBHOOK_LOOPBACK",
  /** Full names of both queues of webhook attempts, shard by shard with commas between; always in the same order. */
  webhookFastQueues: "WEBHOOK_FAST_QUEUES",
  webhookSlowQueues: "WEBHOOK_SLOW_QUEUES",
  /** As which account those queues call, and which function: as with settlements. */
  webhookCaller: "WEBHOOK_CALLER",
  webhookTarget: "WEBHOOK_TARGET",
  /** Base URL of who carries out what a dead worker announced (webhook-dispatcher), and the audience of the token it wants. */
  intentionsUrl: "INTENTIONS_URL",
  intentionsAudience: "INTENTIONS_AUDIENCE",
  /** E-mail of the service account that may ask it for that, and for nothing else. */
  intentionsCaller: "INTENTIONS_CALLER",
  /** Where identity tokens come from instead of the platform's metadata server; set on a laptop only. */
  metadataUrl: "METADATA_URL",
  /** E-mail of the service account whose calls a closed function accepts: its schedule's, its queue's, its subscription's. */
  callerAccount: "CALLER_ACCOUNT",
  /** Full resource name of the queue of settlements. */
  settlementsQueue: "SETTLEMENTS_QUEUE",
  /** E-mail of the service account as which that queue calls. */
  settlementsCaller: "SETTLEMENTS_CALLER",
  /** Base URL of the function that it calls: the name of a service for Cloud Tasks, which is who calls there. */
  settlementsTarget: "SETTLEMENTS_TARGET",
  /** Sender of the e-mails to customers: an address of a domain whose server is named by the URL below. */
  mailFrom: "MAIL_FROM",
  /** `smtps://user:password@host:465`, mounted from Secret Manager; not set where mails are only recorded. */
  smtpUrl: "SMTP_URL",
  /** Requests a second of one API key to one instance, and how many at once after a pause; whole numbers. */
  rateLimitPerSecond: "RATE_LIMIT_PER_SECOND",
  rateLimitBurst: "RATE_LIMIT_BURST",
  /** What we keep of a charge: hundredths of a percent, 0 to 10000, and minor units by currency, `usd:30,eur:25`. */
  feeBasisPoints: "FEE_BASIS_POINTS",
  feeFixedMinor: "FEE_FIXED_MINOR",
  /** Share of traces that are recorded, 0 to 1, and the full URL of the collector that takes them by OTLP. */
  traceSampleRatio: "TRACE_SAMPLE_RATIO",
  traceCollectorUrl: "TRACE_COLLECTOR_URL",
  /** Whole days after which a payment's money is the merchant's to have, 0 to 90. */
  availableAfterDays: "AVAILABLE_AFTER_DAYS",
} as const;

/** Collections of the Firestore database, and the field that its TTL policies watch. */
export const firestoreNames = {
  /** The idempotency cache (design section 4). */
  idempotencyKeys: "idempotencyKeys",
  /** The test acquirer's journal of every call by key. */
  acquirerJournal: "acquirerJournal",
  /** What consumers of events have done: one marker for each event and each business action (design section 6). */
  consumerMarkers: "consumerMarkers",
  /** E-mails of a stage without a mail server. */
  mails: "mails",
  /** Invoices, each under its payment's id. */
  invoices: "invoices",
  /** Tries to pay, as the velocity rule looks at them, and the payments that it flagged. */
  riskObservations: "riskObservations",
  riskFlags: "riskFlags",
  /** Webhook endpoints, which of them an account has, and the changes of them that were made under a key. */
  webhookEndpoints: "webhookEndpoints",
  webhookAccounts: "webhookAccounts",
  webhookChanges: "webhookChanges",
  /** Events that a consumer gave up, and the redrives that sent them again. */
  deadLetters: "deadLetters",
  redrives: "redrives",
  /** Deliveries of an event to an endpoint, and how endpoints fare. */
  webhookDeliveries: "webhookDeliveries",
  webhookHealth: "webhookHealth",
  /** The sample shop's orders, its webhook endpoint with the secret sealed, and the events that it has dealt with. */
  shopOrders: "shopOrders",
  shopEndpoints: "shopEndpoints",
  shopSeenEvents: "shopSeenEvents",
  /** Timestamp field after which the TTL policy may delete a document. */
  deleteAfter: "deleteAfter",
} as const;

/**
 * Reads one required variable.
 * @throws Error that names the variable when it is missing or empty, so that a wrong deployment fails at its start.
 */
export function requiredVariable(
  environment: Readonly<Record<string, string | undefined>>,
  name: (typeof environmentNames)[keyof typeof environmentNames],
): string {
  const value = environment[name];
  if (value === undefined || value === "") throw new Error(`Environment variable ${name} is missing.`);
  return value;
}

/** Reads required variables by their name in `environmentNames`; each call may throw as `requiredVariable` does. */
export function settingsIn(environment: Readonly<Record<string, string | undefined>>) {
  return (name: keyof typeof environmentNames) => requiredVariable(environment, environmentNames[name]);
}
