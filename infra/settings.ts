/**
 * What differs between the stages, as plain data: sizes, places, protection, who may call.
 * It must never hold a secret, and nothing outside infra reads it: functions get their settings as environment variables.
 */
import { environmentNames } from "../functions/config.ts";

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
  /** Base URL of the acquirer where the test acquirer is not deployed. */
  readonly acquirerUrl: string;
  /** Folder with one built folder per function; null to synthesize without their zips. */
  readonly sourcesFolder: string | null;
}

/** The stages. */
export const stageNames = ["dev", "staging", "prod"] as const;

/** One of the stages. */
export type StageName = (typeof stageNames)[number];

/** What a stage decides by itself. */
export interface Stage {
  readonly spanner: {
    /** Null: regional, in the region of the functions; else a multi-region configuration such as `nam3`. */
    readonly multiRegion: string | null;
    /** Multiples of 100; 1000 is one node. */
    readonly processingUnits: number;
    readonly edition: "STANDARD" | "ENTERPRISE" | "ENTERPRISE_PLUS";
    /** Whole days that old versions of rows stay readable. */
    readonly versionRetentionDays: number;
  };
  /** Null: in the region of the functions; else `nam5` or `eur3`. */
  readonly firestoreMultiRegion: string | null;
  /** Stores refuse to be deleted, by any tool. */
  readonly isProtected: boolean;
  /** The card network for tests; never where real money moves. */
  readonly hasTestAcquirer: boolean;
  /** Instances of payments-api: kept warm, and at most. */
  readonly instances: { readonly min: number; readonly max: number };
}

/** The stages as data. 100 processing units are the smallest Spanner; 1000 are a whole node, where its guide values hold. */
const stages: Readonly<Record<StageName, Stage>> = {
  dev: {
    spanner: { multiRegion: null, processingUnits: 100, edition: "STANDARD", versionRetentionDays: 1 },
    firestoreMultiRegion: null,
    isProtected: false,
    hasTestAcquirer: true,
    instances: { min: 0, max: 5 },
  },
  staging: {
    spanner: { multiRegion: null, processingUnits: 100, edition: "STANDARD", versionRetentionDays: 1 },
    firestoreMultiRegion: null,
    isProtected: false,
    hasTestAcquirer: true,
    instances: { min: 0, max: 20 },
  },
  prod: {
    spanner: { multiRegion: null, processingUnits: 1000, edition: "STANDARD", versionRetentionDays: 7 },
    firestoreMultiRegion: "nam5",
    isProtected: true,
    hasTestAcquirer: false,
    instances: { min: 1, max: 100 },
  },
};

/** Stands for the project until PROJECT_ID names one. */
export const placeholderProject = "placeholder-project";

/** Where everything runs unless REGION says otherwise: it has every product, and the cheapest price tier. */
const defaultRegion = "us-central1";

/** Stands for the acquirer of a stage without the test acquirer, until ACQUIRER_URL names the real one. */
const placeholderAcquirerUrl = "https://acquirer.example";

/** Longest prefix: with the longest name of a function (20) and a hyphen it fills a service account id (30). */
const prefixLengthMax = 9;

/**
 * Settings from the environment: STAGE, PROJECT_ID, REGION, PREFIX, PUBLIC, ACQUIRER_URL; everything has a default.
 * @throws Error that names the variable whose value is not understood.
 */
export function readSettings(
  environment: Readonly<Record<string, string | undefined>>,
  sourcesFolder: string | null,
): Settings {
  const stage = oneOf("STAGE", environment["STAGE"] ?? "dev", stageNames);
  const prefix = environment["PREFIX"] ?? "";
  if (!/^(?:[a-z](?:[a-z0-9-]*[a-z0-9])?)?$/.test(prefix) || prefix.length > prefixLengthMax) {
    throw new Error(`PREFIX must be at most ${prefixLengthMax} of a-z, 0-9 and inner hyphens, not ${prefix}.`);
  }
  return {
    ...stages[stage],
    stage,
    prefix,
    projectId: environment[environmentNames.project] ?? placeholderProject,
    region: environment["REGION"] ?? defaultRegion,
    isPublic: oneOf("PUBLIC", environment["PUBLIC"] ?? "true", ["true", "false"]) === "true",
    acquirerUrl: environment[environmentNames.acquirerUrl] ?? placeholderAcquirerUrl,
    sourcesFolder,
  };
}

/** The name of a thing in the cloud: plain, or with the prefix in front. */
export function named(settings: Settings, name: string): string {
  return settings.prefix === "" ? name : `${settings.prefix}-${name}`;
}

/** Names of the stores, as the stacks make them and as an operator's scripts find them. */
export function storeNames(settings: Settings): {
  readonly spannerInstance: string;
  readonly spannerDatabase: string;
  readonly firestoreDatabase: string;
} {
  return {
    spannerInstance: named(settings, "payments"),
    spannerDatabase: "ledger",
    firestoreDatabase: named(settings, "payments"),
  };
}

function oneOf<Value extends string>(variable: string, value: string, values: readonly Value[]): Value {
  const found = values.find((candidate) => candidate === value);
  if (found === undefined) throw new Error(`${variable} must be one of ${values.join(", ")}, not ${value}.`);
  return found;
}
