/**
 * What differs between the stages, as plain data: sizes, protection, what is only there for trying things out.
 * It must never hold a secret, nor what an environment says: those are the settings.
 */
import { type SpannerSize, spannerSizes } from "./spanner-sizes.ts";

/** The stages. */
export const stageNames = ["dev", "staging", "prod"] as const;

/** One of the stages. */
export type StageName = (typeof stageNames)[number];

/** What a stage decides by itself. */
export interface Stage {
  readonly spanner: SpannerSize & {
    /** Whole days that old versions of rows stay readable, 1 to 7. */
    readonly versionRetentionDays: number;
    /** Whole days that a daily backup is kept; null for no backups, which would keep the instance from being deleted. */
    readonly backupRetentionDays: number | null;
  };
  /** Firestore in several regions of the continent, where there is such a place; else in the region of the functions. */
  readonly isFirestoreMultiRegion: boolean;
  /** Stores refuse to be deleted, by any tool. */
  readonly isProtected: boolean;
  /** The card network for tests; never where real money moves. */
  readonly hasTestAcquirer: boolean;
  /** The merchant for demonstrations, which anybody may buy from; never where real money moves. */
  readonly hasSampleShop: boolean;
  /** Size of the idempotency cache where it is Memorystore: alone, or with a replica in another zone that takes over. */
  readonly memoryStore: { readonly tier: "BASIC" | "STANDARD_HA"; readonly memoryGb: number };
  /** Instances of payments-api: kept warm, and at most. */
  readonly instances: { readonly min: number; readonly max: number };
  /** Pairs of webhook queues; each fast one starts 500 attempts a second. Endpoints are spread over them by a digest. */
  readonly webhookQueueShards: number;
}

/**
 * The stages as data. Thirty days of backups outlast a mistake that is found at the end of a month. A record of the cache
 * takes about 2 KB, so a GB holds the answers of 400 000 requests, and a day's of five a second.
 */
export const stages: Readonly<Record<StageName, Stage>> = {
  dev: {
    spanner: { ...spannerSizes.smallest, versionRetentionDays: 1, backupRetentionDays: null },
    isFirestoreMultiRegion: false,
    isProtected: false,
    hasTestAcquirer: true,
    hasSampleShop: true,
    memoryStore: { tier: "BASIC", memoryGb: 1 },
    instances: { min: 0, max: 5 },
    webhookQueueShards: 1,
  },
  staging: {
    spanner: { ...spannerSizes.smallest, versionRetentionDays: 1, backupRetentionDays: null },
    isFirestoreMultiRegion: false,
    isProtected: false,
    hasTestAcquirer: true,
    hasSampleShop: true,
    memoryStore: { tier: "BASIC", memoryGb: 1 },
    instances: { min: 0, max: 20 },
    webhookQueueShards: 1,
  },
  prod: {
    spanner: { ...spannerSizes["one-node"], versionRetentionDays: 7, backupRetentionDays: 30 },
    isFirestoreMultiRegion: true,
    isProtected: true,
    hasTestAcquirer: false,
    hasSampleShop: false,
    memoryStore: { tier: "STANDARD_HA", memoryGb: 2 },
    instances: { min: 1, max: 100 },
    webhookQueueShards: 1,
  },
};
