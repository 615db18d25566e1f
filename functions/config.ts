/**
 * The names that the code, the stacks and the laptop share, and the typed reading of a function's environment.
 * It never holds a value that differs between stages: those come from the environment.
 */

/** Every deployed function: its entry file, its Cloud Run service and its bundle carry this name (design section 2). */
export const functionNames = ["payments-api", "ledger-writer", "test-acquirer"] as const;

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
  /** Shared secret between us and the acquirer, mounted from Secret Manager. */
  acquirerSecret: "ACQUIRER_SECRET",
  /** E-mail of the service account whose calls a closed function accepts: its schedule's, its queue's, its subscription's. */
  callerAccount: "CALLER_ACCOUNT",
} as const;

/** Collections of the Firestore database, and the field that its TTL policies watch. */
export const firestoreNames = {
  /** The idempotency cache (design section 4). */
  idempotencyKeys: "idempotencyKeys",
  /** The test acquirer's journal of every call by key. */
  acquirerJournal: "acquirerJournal",
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
