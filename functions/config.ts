/**
 * The names that the code, the stacks and the laptop share, and the typed reading of a function's environment.
 * It never holds a value that differs between stages: those come from the environment.
 */
import type { RateLimit } from "./domain/rate-limit.ts";

export { eventAttributes } from "./domain/events.ts";

/** Every deployed function: its entry file, its Cloud Run service and its bundle carry this name (design section 2). */
export const functionNames = [
  "payments-api",
  "ledger-writer",
  "test-acquirer",
  "notification",
  "invoice",
  "risk",
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
  /** Base URL of the acquirer, without a trailing slash. */
  acquirerUrl: "ACQUIRER_URL",
  /** Audience of the identity token that a closed acquirer wants beside the secret; not set where it wants none. */
  acquirerAudience: "ACQUIRER_AUDIENCE",
  /** Shared secret between us and the acquirer, mounted from Secret Manager. */
  acquirerSecret: "ACQUIRER_SECRET",
  /** E-mail of the service account whose calls a closed function accepts: its schedule's, its queue's, its subscription's. */
  callerAccount: "CALLER_ACCOUNT",
  /** Sender of the e-mails to customers: an address of a domain whose server is named by the URL below. */
  mailFrom: "MAIL_FROM",
  /** `smtps://user:password@host:465`, mounted from Secret Manager; not set where mails are only recorded. */
  smtpUrl: "SMTP_URL",
  /** Requests a second of one API key to one instance, and how many at once after a pause; whole numbers. */
  rateLimitPerSecond: "RATE_LIMIT_PER_SECOND",
  rateLimitBurst: "RATE_LIMIT_BURST",
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

/**
 * Reads the limit of requests per API key and instance; what is not set has the default.
 * @throws Error that names the variable when it holds anything but a whole number from 1.
 */
export function rateLimitOf(environment: Readonly<Record<string, string | undefined>>): RateLimit {
  const { rateLimitPerSecond, rateLimitBurst } = environmentNames;
  return {
    perSecond: countIn(environment, rateLimitPerSecond) ?? defaultRateLimit.perSecond,
    burst: countIn(environment, rateLimitBurst) ?? defaultRateLimit.burst,
  };
}

/**
 * 100 a second, as the API that clients know allows in all; an instance carries 32 requests at once, so one key can keep
 * it busy but not drown it. A burst of two seconds' worth lets a batch job start without a pause.
 */
export const defaultRateLimit: RateLimit = { perSecond: 100, burst: 200 };

function countIn(environment: Readonly<Record<string, string | undefined>>, name: string): number | undefined {
  const value = environment[name];
  if (value === undefined || value === "") return undefined;
  if (!/^[1-9][0-9]{0,5}$/.test(value)) throw new Error(`Environment variable ${name} must be a whole number from 1.`);
  return Number(value);
}
