/**
 * Where and how a stage is deployed: what it decides by itself, and what the environment says.
 * It must never hold a secret, and nothing outside infra reads it: functions get their settings as environment variables.
 */
import { environmentNames } from "../functions/config.ts";
import { environmentOfTerms, ledgerTermsOf, rateLimitOf } from "../functions/config-readers.ts";
import { budgetOf, type IdempotencyCacheKind, idempotencyCacheIn, oneOf, senderIn } from "./setting-readers.ts";
import { spannerSizeNamed } from "./spanner-sizes.ts";
import { type Stage, type StageName, stageNames, stages } from "./stages.ts";
import { traceSampleRatioOf } from "./trace-ratio.ts";

/** Everything the stacks need to know about where and how they are deployed. */
export interface Settings extends Stage {
  readonly stage: StageName;
  /** The project that pays; a placeholder until one is named, so that synthesis needs nothing. */
  readonly projectId: string;
  /** Region of functions and regional stores. */
  readonly region: string;
  /** Put before every name, so that two people can share a project; empty for none. */
  readonly prefix: string;
  /** May the whole world reach the functions? Each of them still asks for an API key or a secret. */
  readonly isPublic: boolean;
  /** Who is told when an alert fires; null for nobody. */
  readonly alertEmail: string | null;
  /** Monthly budget of the project in whole units of the billing account's currency; null for none. */
  readonly budget: { readonly billingAccount: string; readonly monthlyUnits: number } | null;
  /** Bucket of Terraform's state; null keeps it in files beside the project, as long as one person deploys. */
  readonly stateBucket: string | null;
  /** Part of every queue's name, from 1; raised by each teardown, because a deleted queue's name stays blocked for a week. */
  readonly queueGeneration: number;
  /** Requests of one API key to one instance of payments-api: for ever, and at once after a pause. */
  readonly rateLimit: { readonly perSecond: number; readonly burst: number };
  /** Share of traces that all functions record, 0 to 1; 0 leaves out variable and grant. */
  readonly traceSampleRatio: number;
  /** Sender of e-mails to customers, which also says that the secret `smtp-url` names a server; null to record them only. */
  readonly mailFrom: string | null;
  /** Fees, and when money becomes available, as the variables of payments-api and ledger-writer. */
  readonly ledgerTerms: Readonly<Record<string, string>>;
  /** Base URL of the acquirer where the test acquirer is not deployed. */
  readonly acquirerUrl: string;
  /** Which store holds the idempotency cache. */
  readonly idempotencyCache: IdempotencyCacheKind;
  /** Folder with one built folder per function; null to synthesize without their zips. */
  readonly sourcesFolder: string | null;
}

/** Stands for the project until PROJECT_ID names one. */
export const placeholderProject = "placeholder-project";

/** True while no project was named: such a stage can be synthesized and looked at, not deployed. */
export function isPlaceholder(settings: Settings): boolean {
  return settings.projectId === placeholderProject;
}

/** What a deploy without a project says, in one line. */
export const NO_PROJECT =
  "No project is named, so there is nowhere to deploy to: npm run bootstrap -- --project PROJECT --region REGION --stage dev";

/** Where everything runs unless REGION says otherwise: it has every product, and the cheapest price tier. */
const defaultRegion = "us-central1";

/** Stands for the acquirer of a stage without the test acquirer, until ACQUIRER_URL names the real one. */
const placeholderAcquirerUrl = "https://acquirer.example";

/** Longest prefix: with the longest name of a function (20) and a hyphen it fills a service account id (30). */
const prefixLengthMax = 9;

/**
 * Settings from the environment: STAGE, PROJECT_ID, REGION, PREFIX, PUBLIC, SPANNER, ALERT_EMAIL, STATE_BUCKET,
 * QUEUE_GENERATION, WEBHOOK_QUEUE_SHARDS, BILLING_ACCOUNT, MONTHLY_BUDGET, MAIL_FROM, ACQUIRER_URL, TRACE_SAMPLE_RATIO, FEE_BASIS_POINTS, FEE_FIXED_MINOR,
 * AVAILABLE_AFTER_DAYS, IDEMPOTENCY_CACHE; everything has a default, and an empty variable counts as none. `withStageFile` puts what bootstrap wrote under the environment.
 * @throws Error that names the variable whose value is not understood.
 */
export function readSettings(
  environment: Readonly<Record<string, string | undefined>>,
  sourcesFolder: string | null,
): Settings {
  const stage = oneOf("STAGE", environment["STAGE"] || "dev", stageNames);
  const prefix = environment["PREFIX"] ?? "";
  if (!/^(?:[a-z](?:[a-z0-9-]*[a-z0-9])?)?$/.test(prefix) || prefix.length > prefixLengthMax) {
    throw new Error(`PREFIX must be at most ${prefixLengthMax} of a-z, 0-9 and inner hyphens, not ${prefix}.`);
  }
  const spanner = environment["SPANNER"];
  const defaults = stages[stage];
  return {
    ...defaults,
    spanner: { ...defaults.spanner, ...(spanner ? spannerSizeNamed(spanner) : {}) },
    stage,
    prefix,
    projectId: environment[environmentNames.project] || placeholderProject,
    region: environment["REGION"] || defaultRegion,
    isPublic: oneOf("PUBLIC", environment["PUBLIC"] || "false", ["true", "false"]) === "true",
    alertEmail: environment["ALERT_EMAIL"] || null,
    budget: budgetOf(environment["BILLING_ACCOUNT"], environment["MONTHLY_BUDGET"]),
    stateBucket: environment["STATE_BUCKET"] || null,
    queueGeneration: generation(environment["QUEUE_GENERATION"] || "1"),
    webhookQueueShards: shards(environment["WEBHOOK_QUEUE_SHARDS"] || String(defaults.webhookQueueShards)),
    rateLimit: rateLimitOf(environment),
    traceSampleRatio: traceSampleRatioOf(environment, stage),
    mailFrom: senderIn(environment[environmentNames.mailFrom]),
    ledgerTerms: environmentOfTerms(ledgerTermsOf(environment)),
    idempotencyCache: idempotencyCacheIn(environment["IDEMPOTENCY_CACHE"]),
    acquirerUrl: environment[environmentNames.acquirerUrl] || placeholderAcquirerUrl,
    sourcesFolder,
  };
}

/** The name of a thing in the cloud: plain, or with the prefix in front. */
export function named(settings: Settings, name: string): string {
  return settings.prefix === "" ? name : `${settings.prefix}-${name}`;
}

/** The name of a queue in its present generation; 60 letters leave room for both in the 100 that a queue may have. */
export function queueName(settings: Settings, name: string): string {
  return `${named(settings, name)}-g${settings.queueGeneration}`;
}

/** Folder of a stack's state in the bucket: two stages, or two people's prefixes, never meet in it. */
export function stateFolder({ prefix, stage }: Settings, stack: string): string {
  return prefix === "" ? `${stage}/${stack}` : `${prefix}/${stage}/${stack}`;
}

/** Names of the stores, as the stacks make them and as an operator's scripts find them. */
export function storeNames(settings: Settings): {
  readonly spannerInstance: string;
  readonly spannerDatabase: string;
  readonly firestoreDatabase: string;
  /** `project.dataset` of the history's views in BigQuery. */
  readonly historyDataset: string;
  /** Where the sample shop keeps its orders: a merchant's data, and none of the platform's. */
  readonly shopDatabase: string;
  /** Id of the custom role under which functions use the ledger. */
  readonly ledgerRole: string;
} {
  return {
    spannerInstance: named(settings, "payments"),
    spannerDatabase: "ledger",
    firestoreDatabase: named(settings, "payments"),
    historyDataset: `${settings.projectId}.${named(settings, "payments-history").replaceAll("-", "_")}`,
    shopDatabase: named(settings, "sample-shop"),
    // Stable for ever: a deleted role's id stays blocked for up to 37 days. Hyphens are not allowed in it.
    ledgerRole: named(settings, "paymentsLedgerRuntime").replaceAll("-", "_"),
  };
}

/**
 * Secrets whose values `npm run bootstrap` generates and stores before the first deploy. The stacks adopt the secrets by
 * these names and never see a value.
 */
export const generatedSecrets = [
  "acquirer-secret",
  "endpoint-secret-key",
  "shop-key-seed",
  "dashboard-session-key",
] as const;
/** One of the generated secrets. */
export type GeneratedSecret = (typeof generatedSecrets)[number];

/** Those of a stage: without the shop nothing mounts the seed of its API key. */
export function generatedSecretsOf({ hasSampleShop }: Settings): readonly GeneratedSecret[] {
  return generatedSecrets.filter((name) => name !== "shop-key-seed" || hasSampleShop);
}

function generation(value: string): number {
  if (!/^[1-9][0-9]{0,5}$/.test(value))
    throw new Error(`QUEUE_GENERATION must be a whole number from 1, not ${value}.`);
  return Number(value);
}

/** 32 fast queues start 16,000 attempts a second: a hundred million payments a day, five times over. */
const shardsMax = 32;

function shards(value: string): number {
  if (!/^[1-9][0-9]?$/.test(value) || Number(value) > shardsMax)
    throw new Error(`WEBHOOK_QUEUE_SHARDS must be a whole number from 1 to ${shardsMax}, not ${value}.`);
  return Number(value);
}
