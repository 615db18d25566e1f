/**
 * The typed readings of a function's environment, one for each thing that a function is given.
 * It never keeps a default that a stage should choose knowingly, and never shows a secret in an error.
 */
import { environmentNames, requiredVariable, settingsIn } from "./config.ts";
import { apiKeyOfSeed } from "./domain/accounts.ts";
import { fixedFeesIn, type LedgerTerms, standardTerms } from "./domain/ledger-terms.ts";
import type { RateLimit } from "./domain/rate-limit.ts";
import { parseLoopbackOrigins, type UrlPolicy } from "./domain/webhook-url.ts";

/** Reads where the ledger is, as `openSpanner` takes it; throws as `requiredVariable` does. */
export function ledgerNamesIn(environment: Readonly<Record<string, string | undefined>>) {
  const setting = settingsIn(environment);
  return { projectId: setting("project"), instance: setting("spannerInstance"), database: setting("spannerDatabase") };
}

/** Reads where the acquirer is, its secret, and the audience of the token that it wants; throws as `requiredVariable` does. */
export function acquirerNamesIn(environment: Readonly<Record<string, string | undefined>>) {
  return {
    baseUrl: requiredVariable(environment, environmentNames.acquirerUrl),
    secret: requiredVariable(environment, environmentNames.acquirerSecret),
    audience: environment[environmentNames.acquirerAudience],
  };
}

/** Reads where what a dead worker announced is carried out, and where the token for it comes from; throws as `requiredVariable` does. */
export function intentionsNamesIn(environment: Readonly<Record<string, string | undefined>>) {
  const setting = settingsIn(environment);
  const metadataUrl = environment[environmentNames.metadataUrl];
  return {
    baseUrl: setting("intentionsUrl"),
    token: { audience: setting("intentionsAudience"), ...(metadataUrl ? { metadataUrl } : {}) },
  };
}

/**
 * Reads what is traced and where spans go, as `openTracing` takes it; nothing is traced where no ratio is set. The revision
 * is the platform's own variable.
 * @throws Error that names the variable when the ratio is no number from 0 to 1, and as `requiredVariable` does
 */
export function traceSettingsIn(environment: Readonly<Record<string, string | undefined>>) {
  const { project, traceSampleRatio, traceCollectorUrl } = environmentNames;
  const text = environment[traceSampleRatio] ?? "0";
  const sampleRatio = /^(0|1|0\.[0-9]{1,6})$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(sampleRatio)) throw new Error(`Environment variable ${traceSampleRatio} must be from 0 to 1.`);
  return {
    ...{ projectId: requiredVariable(environment, project), sampleRatio },
    collectorUrl: environment[traceCollectorUrl] || undefined,
    revision: environment["K_REVISION"],
  };
}

/**
 * Reads where the idempotency cache's Redis is, as `openRedis` takes it; undefined where the cache is Firestore.
 * A server without a name for its signer is reached in the clear: on a laptop. Throws as `requiredVariable` does.
 */
export function redisServerIn(environment: Readonly<Record<string, string | undefined>>) {
  const host = environment[environmentNames.redisHost];
  if (host === undefined || host === "") return undefined;
  return {
    host,
    port: Number(requiredVariable(environment, environmentNames.redisPort)),
    password: requiredVariable(environment, environmentNames.redisAuth),
    authorities: environment[environmentNames.redisAuthorities] || undefined,
  };
}

/** Reads where the history is, as `bigqueryHistory` takes it; throws as `requiredVariable` does. */
export function historyNamesIn(environment: Readonly<Record<string, string | undefined>>) {
  const setting = settingsIn(environment);
  return { projectId: setting("project"), dataset: setting("historyDataset"), location: setting("historyLocation") };
}

/** The sample shop's API key, from the seed that it mounts; throws an Error that says what is wrong and shows no seed. */
export function shopApiKeyOf(environment: Readonly<Record<string, string | undefined>>): string {
  return apiKeyOfSeed(requiredVariable(environment, environmentNames.shopKeySeed));
}

/** Reads everything that payments-api is given; throws as the single readings do, before anything is opened. */
export function paymentsSettingsIn(environment: Readonly<Record<string, string | undefined>>) {
  const setting = settingsIn(environment);
  return {
    ledger: ledgerNamesIn(environment),
    documents: { projectId: setting("project"), databaseId: setting("firestoreDatabase") },
    bus: { projectId: setting("project"), topic: setting("eventsTopic") },
    cacheServer: redisServerIn(environment),
    acquirer: acquirerNamesIn(environment),
    settlements: settlementsIn(environment),
    settlementsTarget: setting("settlementsTarget"),
    webhookQueues: webhookQueuesIn(environment),
    webhookTarget: setting("webhookTarget"),
    webhookUrls: webhookUrlsIn(environment),
    endpointSecretKey: setting("endpointSecretKey"),
    rateLimit: rateLimitOf(environment),
    tracing: traceSettingsIn(environment),
    terms: ledgerTermsOf(environment),
    isTourOpen: crashTourIn(environment),
  };
}

/** What payments-api is given. */
export type PaymentsSettings = ReturnType<typeof paymentsSettingsIn>;

/** Reads everything that ledger-writer is given; throws as the single readings do, before anything is opened. */
export function ledgerWriterSettingsIn(environment: Readonly<Record<string, string | undefined>>) {
  const setting = settingsIn(environment);
  return {
    ledger: ledgerNamesIn(environment),
    bus: { projectId: setting("project"), topic: setting("eventsTopic") },
    acquirer: acquirerNamesIn(environment),
    intentions: intentionsNamesIn(environment),
    settlements: settlementsIn(environment),
    callers: { callerAccount: setting("callerAccount"), settlementsCaller: setting("settlementsCaller") },
    tracing: traceSettingsIn(environment),
    terms: ledgerTermsOf(environment),
  };
}

/** Reads the queue of settlements, as the adapter of the queues takes it; throws as `requiredVariable` does. */
export function settlementsIn(environment: Readonly<Record<string, string | undefined>>) {
  const setting = settingsIn(environment);
  return { queues: { settlements: [setting("settlementsQueue")] }, callerAccount: setting("settlementsCaller") };
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

/** Reads the queues of webhook attempts, as the adapter of the queues takes it; throws as `requiredVariable` does. */
export function webhookQueuesIn(environment: Readonly<Record<string, string | undefined>>) {
  const setting = settingsIn(environment);
  const shards = (name: "webhookFastQueues" | "webhookSlowQueues") => setting(name).split(",");
  const queues = { webhookFast: shards("webhookFastQueues"), webhookSlow: shards("webhookSlowQueues") };
  return { queues, callerAccount: setting("webhookCaller") };
}

/** Reads where webhooks may go beyond https to public hosts; throws as `requiredVariable` and `parseLoopbackOrigins` do. */
export function webhookUrlsIn(environment: Readonly<Record<string, string | undefined>>): UrlPolicy {
  return {
    httpAllowed: requiredVariable(environment, environmentNames.webhookHttpAllowed) === "true",
    loopback: parseLoopbackOrigins(environment[environmentNames.webhookLoopback] ?? ""),
  };
}

/**
 * True where the crash tour is open: the stage stands in the variable, and prod is none where it may be.
 * @throws Error when it holds anything but a stage's name, or `prod`, so that an instance of prod does not start with it
 */
export function crashTourIn(environment: Readonly<Record<string, string | undefined>>): boolean {
  const stage = environment[environmentNames.crashTour];
  if (stage === undefined || stage === "") return false;
  // A fork's own stages may have it too; a word that only says yes names no stage.
  if (/^(?!(?:prod|true|false|yes|on)$)[a-z][a-z0-9-]{1,19}$/.test(stage)) return true;
  throw new Error(`Environment variable ${environmentNames.crashTour} must name a stage, and never prod.`);
}

/**
 * 100 a second, as the API that clients know allows in all; an instance carries 32 requests at once, so one key can keep
 * it busy but not drown it. A burst of two seconds' worth lets a batch job start without a pause.
 */
export const defaultRateLimit: RateLimit = { perSecond: 100, burst: 200 };

/**
 * Reads the terms on which payments are booked; what is not set is as in `standardTerms`, an empty list of fees is none.
 * @throws Error that names the variable whose value is not understood.
 */
export function ledgerTermsOf(environment: Readonly<Record<string, string | undefined>>): LedgerTerms {
  const { feeBasisPoints, feeFixedMinor, availableAfterDays } = environmentNames;
  const { fees } = standardTerms;
  const fixed = environment[feeFixedMinor];
  return {
    fees: {
      basisPoints: wholeIn(environment, feeBasisPoints, basisPointsMax) ?? fees.basisPoints,
      fixedMinor:
        fixed === undefined
          ? fees.fixedMinor
          : fixedFeesIn(fixed, (problem) => new Error(`Environment variable ${feeFixedMinor} ${problem}.`)),
    },
    availableAfterDays:
      wholeIn(environment, availableAfterDays, availableAfterDaysMax) ?? standardTerms.availableAfterDays,
  };
}

/** The variables that `ledgerTermsOf` reads the same terms from. */
export function environmentOfTerms({ fees, availableAfterDays }: LedgerTerms): Readonly<Record<string, string>> {
  const fixed = Object.entries(fees.fixedMinor).map(([currency, amountMinor]) => `${currency}:${amountMinor}`);
  return {
    [environmentNames.feeBasisPoints]: String(fees.basisPoints),
    [environmentNames.feeFixedMinor]: fixed.join(","),
    [environmentNames.availableAfterDays]: String(availableAfterDays),
  };
}

/** The whole: a fee of more would be paid by the merchant for being paid. */
const basisPointsMax = 10_000;

/** A quarter of a year: whoever types more meant hours. */
const availableAfterDaysMax = 90;

function wholeIn(
  environment: Readonly<Record<string, string | undefined>>,
  name: string,
  max: number,
): number | undefined {
  const value = environment[name];
  if (value === undefined || value === "") return undefined;
  if (!/^(0|[1-9][0-9]{0,4})$/.test(value) || Number(value) > max) {
    throw new Error(`Environment variable ${name} must be a whole number from 0 to ${max}.`);
  }
  return Number(value);
}

function countIn(environment: Readonly<Record<string, string | undefined>>, name: string): number | undefined {
  const value = environment[name];
  if (value === undefined || value === "") return undefined;
  if (!/^[1-9][0-9]{0,5}$/.test(value)) throw new Error(`Environment variable ${name} must be a whole number from 1.`);
  return Number(value);
}
