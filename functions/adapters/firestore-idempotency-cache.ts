/**
 * The idempotency cache in Firestore: one document per key, every write conditional (design section 4).
 * It must never write without a precondition, delete anything, or trust the TTL policy: that only collects garbage.
 */
import { type DocumentSnapshot, type Firestore, Timestamp } from "@google-cloud/firestore";
import { isOwnWrite } from "../domain/claim-storage.ts";
import { refuse } from "../domain/errors.ts";
import type { CacheRecord, IdempotencyCache, VersionedRecord } from "../flows/ports.ts";
import { fieldsOf, recordOf } from "./firestore-claim-fields.ts";
import { grpcCodes, hasGrpcCode, translated } from "./firestore-errors.ts";

/** The cache over one collection; `deleteAfterField` is the timestamp field that the TTL policy watches. */
export function firestoreIdempotencyCache(store: CacheCollection): IdempotencyCache {
  return {
    claim: (keyHash, record) => translated(() => claim(store, keyHash, record)),
    read: (keyHash) => translated(() => read(store, keyHash)),
    replace: (keyHash, version, record) => translated(() => replace(store, keyHash, version, record)),
  };
}

/** Where the cache lives. */
export interface CacheCollection {
  readonly database: Firestore;
  readonly collection: string;
  readonly deleteAfterField: string;
}

/**
 * One Commit and, side by side, one BatchGetDocuments: a replay takes one round trip and a new claim no longer than its
 * create. A record that the read found stood there during this call, so a create at that very moment would have been
 * refused by it: it is what one atomic "create, else give" answers. It may be older than the refusal; a stored answer
 * stays true, and every write that follows from anything else demands the version that was read.
 */
async function claim(
  store: CacheCollection,
  keyHash: string,
  record: CacheRecord,
): ReturnType<IdempotencyCache["claim"]> {
  const fields = await fieldsOf(record, store.deleteAfterField);
  for (let round = 0; round < claimRoundsMax; round += 1) {
    const created = document(store, keyHash).create(fields);
    // Nobody asks for it when the create succeeds, so a failure of it is no more than nothing found.
    const beside = read(store, keyHash).catch(() => undefined);
    try {
      const { writeTime } = await created;
      return { kind: "claimed", record, version: versionOf(writeTime) };
    } catch (error) {
      if (!hasGrpcCode(error, grpcCodes.alreadyExists)) throw error;
    }
    const found = await beside;
    if (found !== undefined) return { kind: isOwnWrite(found.record, record) ? "claimed" : "exists", ...found };
  }
  throw refuse("store_unavailable", "The claim vanished between create and read each time it was tried.");
}

/**
 * Nothing is found beside a refusal when it was read before the twin's create (or before our own, whose reply was lost),
 * or when the TTL policy or a wipe deletes the document in between; twice in a row is no chance.
 */
const claimRoundsMax = 2;

/** One BatchGetDocuments. */
async function read(store: CacheCollection, keyHash: string): Promise<VersionedRecord | undefined> {
  const snapshot = await document(store, keyHash).get();
  if (!snapshot.exists) return undefined;
  return { record: await recordOf(fieldsIn(snapshot)), version: versionOf(updateTimeOf(snapshot)) };
}

/** One Commit; only when its precondition failed, one BatchGetDocuments more to see whether our own write did that. */
async function replace(
  store: CacheCollection,
  keyHash: string,
  version: string,
  record: CacheRecord,
): ReturnType<IdempotencyCache["replace"]> {
  // Every record has every field, so an update of all fields leaves nothing of the former record behind.
  const fields = await fieldsOf(record, store.deleteAfterField);
  try {
    const { writeTime } = await document(store, keyHash).update(fields, { lastUpdateTime: timestampOf(version) });
    return { kind: "replaced", version: versionOf(writeTime) };
  } catch (error) {
    // NOT_FOUND: the document was deleted, so its version cannot be the one asked for.
    if (!hasGrpcCode(error, grpcCodes.failedPrecondition) && !hasGrpcCode(error, grpcCodes.notFound)) throw error;
  }
  const found = await read(store, keyHash);
  if (found === undefined || !isOwnWrite(found.record, record)) return { kind: "lost" };
  return { kind: "replaced", version: found.version };
}

function document(store: CacheCollection, keyHash: string) {
  return store.database.collection(store.collection).doc(keyHash);
}

function fieldsIn(snapshot: DocumentSnapshot): Record<string, unknown> {
  return snapshot.data() ?? {};
}

function updateTimeOf(snapshot: DocumentSnapshot): Timestamp {
  if (snapshot.updateTime === undefined) throw new Error("A document that exists has no update time.");
  return snapshot.updateTime;
}

/** `1735689600.000001000`: exact, because a JavaScript date would cut the microseconds off. */
function versionOf(time: Timestamp): string {
  return `${time.seconds}.${String(time.nanoseconds).padStart(9, "0")}`;
}

function timestampOf(version: string): Timestamp {
  const [seconds, nanoseconds] = version.split(".");
  return new Timestamp(Number(seconds), Number(nanoseconds));
}
