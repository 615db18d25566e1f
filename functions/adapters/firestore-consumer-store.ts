/**
 * Consumers' markers and documents in Firestore: each put, finish and release is one commit, conditional on what stood there.
 * It must never write a marker without a precondition, nor trust the TTL policy: that only collects garbage.
 */
import { type DocumentSnapshot, type Firestore, Timestamp } from "@google-cloud/firestore";
import { type Marker, verdictOn } from "../domain/consumption.ts";
import { refuse } from "../domain/errors.ts";
import type { ConsumerStore, EffectDocument, HeldMarkers, MarkerOffer } from "../flows/consumer-ports.ts";
import { grpcCodes, hasGrpcCode, translated } from "./firestore-errors.ts";

/** The store over one collection of markers; documents name their own collections. */
export function firestoreConsumerStore(store: MarkerCollection): ConsumerStore {
  return {
    put: (offer, nowMs) => translated(() => put(store, offer, nowMs)),
    finish: (held, marker) => translated(() => finish(store, held, marker)),
    release: (held) => translated(() => release(store, held)),
  };
}

/** Where the markers live; `deleteAfterField` is the timestamp field that the TTL policy watches. */
export interface MarkerCollection {
  readonly database: Firestore;
  readonly collection: string;
  readonly deleteAfterField: string;
}

/** What stands under one marker's id; undefined when nothing does. */
type Standing = { readonly marker: Marker; readonly version: string } | undefined;

/** One Commit when the event is new; only when something stands there, one BatchGetDocuments and perhaps a Commit more. */
async function put(store: MarkerCollection, offer: MarkerOffer, nowMs: number): ReturnType<ConsumerStore["put"]> {
  let standing: readonly Standing[] = offer.ids.map(() => undefined);
  for (let round = 0; round < roundsMax; round += 1) {
    const versions = await writeOver(store, offer, standing);
    if (versions !== undefined) return { kind: "written", held: { ids: offer.ids, versions, marker: offer.marker } };
    const found = await readAll(store, offer);
    standing = found.standing;
    const present = standing.filter((one) => one !== undefined);
    const verdict = verdictOn(
      present.map(({ marker }) => marker),
      offer.marker.token,
      nowMs,
    );
    if (verdict === "ours") {
      return {
        kind: "written",
        held: { ids: offer.ids, versions: present.map(({ version }) => version), marker: offer.marker },
      };
    }
    if (verdict !== "free") return { kind: verdict };
    if (found.isEffectThere) return { kind: "done" };
  }
  throw refuse("store_unavailable", "The markers changed between read and write each time it was tried.");
}

/** Two deliveries that take over one expired lease meet at most once: the second round sees the winner. */
const roundsMax = 3;

/** The new versions; undefined when something stood there otherwise than expected, and then nothing was written. */
async function writeOver(
  store: MarkerCollection,
  { ids, marker, documents }: MarkerOffer,
  standing: readonly Standing[],
): Promise<readonly string[] | undefined> {
  const batch = store.database.batch();
  for (const [index, id] of ids.entries()) {
    const found = standing[index];
    const fields = fieldsOf(store, marker);
    if (found === undefined) batch.create(markerAt(store, id), fields);
    else batch.update(markerAt(store, id), fields, { lastUpdateTime: timestampOf(found.version) });
  }
  for (const document of documents) {
    if (document.write === "create") batch.create(documentAt(store, document), { ...document.fields });
    else batch.set(documentAt(store, document), { ...document.fields });
  }
  const results = await unlessRefused(() => batch.commit());
  return results?.slice(0, ids.length).map(({ writeTime }) => versionOf(writeTime));
}

/** Markers, and whether a document that was to be created stands already: all in one call. */
async function readAll(store: MarkerCollection, { ids, documents }: MarkerOffer) {
  const created = documents.filter(({ write }) => write === "create");
  const snapshots = await store.database.getAll(
    ...ids.map((id) => markerAt(store, id)),
    ...created.map((document) => documentAt(store, document)),
  );
  return {
    standing: snapshots.slice(0, ids.length).map(standingIn),
    isEffectThere: snapshots.slice(ids.length).some(({ exists }) => exists),
  };
}

async function finish(
  store: MarkerCollection,
  { ids, versions }: HeldMarkers,
  marker: Marker,
): Promise<"finished" | "lost"> {
  const batch = store.database.batch();
  for (const [index, id] of ids.entries()) {
    batch.update(markerAt(store, id), fieldsOf(store, marker), {
      lastUpdateTime: timestampOf(versions[index] ?? "0.0"),
    });
  }
  if ((await unlessRefused(() => batch.commit())) !== undefined) return "finished";
  // Our own write, whose reply was lost, fails its own precondition when the client sends it again.
  const found = (await store.database.getAll(...ids.map((id) => markerAt(store, id)))).map(standingIn);
  const isOurs = found.every((one) => one?.marker.token === marker.token && one.marker.state === "done");
  return isOurs ? "finished" : "lost";
}

async function release(store: MarkerCollection, { ids, versions }: HeldMarkers): Promise<void> {
  const batch = store.database.batch();
  for (const [index, id] of ids.entries()) {
    batch.delete(markerAt(store, id), { lastUpdateTime: timestampOf(versions[index] ?? "0.0") });
  }
  await unlessRefused(() => batch.commit());
}

/** Undefined when a precondition failed, and then nothing of the commit was written. */
async function unlessRefused<Answer>(commit: () => Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await commit();
  } catch (error) {
    const refusals = [grpcCodes.alreadyExists, grpcCodes.failedPrecondition, grpcCodes.notFound];
    if (refusals.some((code) => hasGrpcCode(error, code))) return undefined;
    throw error;
  }
}

function markerAt(store: MarkerCollection, id: string) {
  return store.database.collection(store.collection).doc(id);
}

function documentAt(store: MarkerCollection, { collection, id }: EffectDocument) {
  return store.database.collection(collection).doc(id);
}

function fieldsOf(store: MarkerCollection, { deleteAfterMs, ...fields }: Marker): Record<string, unknown> {
  return { ...fields, [store.deleteAfterField]: Timestamp.fromMillis(deleteAfterMs), deleteAfterMs };
}

function standingIn(snapshot: DocumentSnapshot): Standing {
  const fields = snapshot.data();
  if (fields === undefined || snapshot.updateTime === undefined) return undefined;
  const { consumer, eventId, action, token, state, leaseUntilMs, outcome, deleteAfterMs } = fields;
  if ([consumer, eventId, action, token].some((value) => typeof value !== "string")) throw unreadable();
  if ((state !== "in_progress" && state !== "done") || (outcome !== null && typeof outcome !== "string"))
    throw unreadable();
  if (typeof leaseUntilMs !== "number" || typeof deleteAfterMs !== "number") throw unreadable();
  return {
    marker: { consumer, eventId, action, token, state, leaseUntilMs, outcome, deleteAfterMs },
    version: versionOf(snapshot.updateTime),
  };
}

function unreadable(): Error {
  return new Error("A consumer's marker lacks a field or has one of another type.");
}

/** `1735689600.000001000`: exact, because a JavaScript date would cut the microseconds off. */
function versionOf(time: Timestamp): string {
  return `${time.seconds}.${String(time.nanoseconds).padStart(9, "0")}`;
}

function timestampOf(version: string): Timestamp {
  const [seconds, nanoseconds] = version.split(".");
  return new Timestamp(Number(seconds), Number(nanoseconds));
}
