/**
 * Firestore: a named database, and per collection the field after which a document may go and the indexes it can do without.
 * It must never be the project's "(default)" database, which may belong to somebody else.
 */
import { FirestoreDatabase } from "@cdktf/provider-google/lib/firestore-database/index.js";
import { FirestoreField } from "@cdktf/provider-google/lib/firestore-field/index.js";
import { FirestoreIndex } from "@cdktf/provider-google/lib/firestore-index/index.js";
import { Construct } from "constructs";
import { firestoreNames } from "../../functions/config.ts";
import { type Settings, storeNames } from "../settings.ts";

/** A database: the platform's, with the idempotency cache and the test acquirer's journal, or the sample shop's. */
export class DocumentDatabase extends Construct {
  readonly database: FirestoreDatabase;
  readonly #isProtected: boolean;

  constructor(scope: Construct, id: string, settings: Settings, name = storeNames(settings).firestoreDatabase) {
    super(scope, id);
    const { isProtected } = settings;
    this.#isProtected = isProtected;
    this.database = new FirestoreDatabase(this, "database", {
      project: settings.projectId,
      name,
      locationId: locationOf(settings),
      type: "FIRESTORE_NATIVE",
      databaseEdition: "STANDARD",
      // With the default, ABANDON, destroying succeeds and leaves the database alive and its name taken.
      deletionPolicy: isProtected ? "ABANDON" : "DELETE",
      deleteProtectionState: isProtected ? "DELETE_PROTECTION_ENABLED" : "DELETE_PROTECTION_DISABLED",
      // Seven days back to any minute, where losing documents would hurt; the free hour elsewhere.
      pointInTimeRecoveryEnablement: isProtected ? "POINT_IN_TIME_RECOVERY_ENABLED" : "POINT_IN_TIME_RECOVERY_DISABLED",
      lifecycle: { preventDestroy: isProtected },
    });
  }

  /** Lets Firestore delete each document of the collection after the time in its `deleteAfter`. */
  expires(collection: string): this {
    new FirestoreField(this, `${collection}-expires`, {
      ...this.#field(collection, firestoreNames.deleteAfter),
      ttlConfig: {},
      // An index over a rising time would hold the collection at 500 writes a second, and no query reads it.
      indexConfig: {},
    });
    return this;
  }

  /**
   * Takes every field of the collection out of the automatic indexes. For documents that are only read by their id, an
   * index is pure cost on every write, and one over rising times is a hot spot. `*` is Firestore's name for all fields.
   */
  withoutIndexes(collection: string): this {
    new FirestoreField(this, `${collection}-without-indexes`, { ...this.#field(collection, "*"), indexConfig: {} });
    return this;
  }

  /**
   * An index over several fields, each with its direction, for queries that no automatic index answers. Firestore reads an
   * index in one direction only, so a list that is paged both ways has two.
   */
  composite(
    collection: string,
    fields: readonly (readonly [field: string, order: "ASCENDING" | "DESCENDING"])[],
  ): this {
    const name = fields.map(([field, order]) => (order === "DESCENDING" ? `${field}-down` : field)).join("-");
    new FirestoreIndex(this, `${collection}-by-${name}`, {
      project: this.database.project,
      database: this.database.name,
      collection,
      fields: fields.map(([fieldPath, order]) => ({ fieldPath, order })),
      timeouts: { create: FIELD_TIMEOUT, delete: FIELD_TIMEOUT },
      lifecycle: { preventDestroy: this.#isProtected },
    });
    return this;
  }

  #field(collection: string, field: string) {
    return {
      project: this.database.project,
      database: this.database.name,
      collection,
      field,
      timeouts: { create: FIELD_TIMEOUT, update: FIELD_TIMEOUT, delete: FIELD_TIMEOUT },
      // Destroying a field clears its settings on the live database, expiry included.
      lifecycle: { preventDestroy: this.#isProtected },
    };
  }
}

/** Firestore changes one field at a time and each takes minutes, so the provider's 20 minutes are too few for several. */
const FIELD_TIMEOUT = "60m";

/** The places in several regions, by the first part of a region's name; a continent without one has regional places only. */
const MULTI_REGIONS: Readonly<Record<string, string>> = { us: "nam5", northamerica: "nam5", europe: "eur3" };

/** Documents stay on the functions' continent: for the way they travel, and for the law. */
function locationOf({ isFirestoreMultiRegion, region }: Settings): string {
  const multiRegion = MULTI_REGIONS[region.split("-")[0] ?? ""];
  return isFirestoreMultiRegion && multiRegion !== undefined ? multiRegion : region;
}
