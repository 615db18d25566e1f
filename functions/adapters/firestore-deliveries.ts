/**
 * Deliveries and endpoints' health in Firestore: a document for each delivery, and one for each endpoint's health.
 * It must never write a delivery without a precondition, and never write its body again after the first time.
 */
import { createHash, randomUUID } from "node:crypto";
import { FieldPath, FieldValue, type Firestore, type Query, Timestamp } from "@google-cloud/firestore";
import type { EndpointHealth } from "../domain/endpoint-health.ts";
import type { WebhookDelivery } from "../domain/webhook-delivery.ts";
import type { Deliveries, DeliveryQuery, EndpointHealthStore } from "../flows/delivery-ports.ts";
import { deliveryOf, fieldsOfDelivery } from "./firestore-delivery-fields.ts";
import { grpcCodes, hasGrpcCode, translated } from "./firestore-errors.ts";

/** The deliveries over one collection. */
export function firestoreDeliveries(store: DeliveryCollections): Deliveries {
  return {
    create: (delivery) => translated(() => create(store, delivery)),
    read: (id) => translated(() => read(store, id)),
    replace: (version, delivery) => translated(() => replace(store, version, delivery)),
    overdue: (nowMs, limit) => translated(() => overdue(store, nowMs, limit)),
    list: (query) => translated(() => list(store, query)),
  };
}

/** Where they live; `deleteAfter` is the timestamp field that the TTL policy watches. */
export interface DeliveryCollections {
  readonly database: Firestore;
  readonly names: Readonly<Record<"webhookDeliveries" | "webhookHealth" | "deleteAfter", string>>;
}

/** The health over another collection. */
export function firestoreEndpointHealth({ database, names }: DeliveryCollections): EndpointHealthStore {
  const document = (endpointId: string) => database.collection(names.webhookHealth).doc(endpointId);
  return {
    read: (endpointId) =>
      translated(async () => {
        const fields = (await document(endpointId).get()).data();
        // Nobody but `write` writes here.
        return fields && { succeededAtMs: fields["succeededAtMs"], failedAtMs: fields["failedAtMs"] };
      }),
    write: (endpointId, { succeededAtMs, failedAtMs }: EndpointHealth) =>
      translated(async () => void (await document(endpointId).set({ succeededAtMs, failedAtMs: [...failedAtMs] }))),
  };
}

/** One Commit. */
async function create(store: DeliveryCollections, delivery: WebhookDelivery): Promise<"created" | "exists"> {
  try {
    await documentIn(store, delivery.id).create({
      ...fieldsIn(store, delivery),
      body: Buffer.from(delivery.body),
      sweepShard: shardOf(delivery.id),
    });
    return "created";
  } catch (error) {
    if (hasGrpcCode(error, grpcCodes.alreadyExists)) return "exists";
    throw error;
  }
}

/** One BatchGetDocuments. */
async function read(store: DeliveryCollections, id: string): ReturnType<Deliveries["read"]> {
  const snapshot = await documentIn(store, id).get();
  const fields = snapshot.data();
  if (fields === undefined || snapshot.updateTime === undefined) return undefined;
  return { delivery: deliveryOf(id, fields), version: versionOf(snapshot.updateTime) };
}

/** One Commit; only when its precondition failed, one BatchGetDocuments more to see whether our own write did that. */
async function replace(
  store: DeliveryCollections,
  version: string,
  delivery: WebhookDelivery,
): ReturnType<Deliveries["replace"]> {
  const document = documentIn(store, delivery.id);
  const fields = { ...fieldsIn(store, delivery), sweepAtMs: delivery.sweepAtMs ?? FieldValue.delete() };
  const writtenBy = randomUUID();
  try {
    const { writeTime } = await document.update({ ...fields, writtenBy }, { lastUpdateTime: timestampOf(version) });
    return { kind: "replaced", version: versionOf(writeTime) };
  } catch (error) {
    if (!hasGrpcCode(error, grpcCodes.failedPrecondition) && !hasGrpcCode(error, grpcCodes.notFound)) throw error;
  }
  const snapshot = await document.get();
  if (snapshot.get("writtenBy") !== writtenBy || snapshot.updateTime === undefined) return { kind: "lost" };
  return { kind: "replaced", version: versionOf(snapshot.updateTime) };
}

/** One query for each shard, at once: rising times in one index would hold all deliveries to 500 writes a second. */
async function overdue(store: DeliveryCollections, nowMs: number, limit: number): ReturnType<Deliveries["overdue"]> {
  const each = Math.ceil(limit / shards);
  const pages = await Promise.all(
    Array.from({ length: shards }, (_, shard) =>
      collectionOf(store)
        .where("sweepShard", "==", shard)
        .where("sweepAtMs", "<=", nowMs)
        .orderBy("sweepAtMs")
        .limit(each)
        .get(),
    ),
  );
  return pages.flatMap(({ docs }) =>
    docs.map((found) => ({ delivery: deliveryOf(found.id, found.data()), version: versionOf(found.updateTime) })),
  );
}

/** One query, of one document more than asked. */
async function list(store: DeliveryCollections, query: DeliveryQuery): ReturnType<Deliveries["list"]> {
  const { startingAfter, endingBefore, limit } = query;
  const isBackward = endingBefore !== null && startingAfter === null;
  const direction = isBackward ? "asc" : "desc";
  let asked: Query = collectionOf(store).where("accountId", "==", query.accountId);
  if (query.endpointId !== null) asked = asked.where("endpointId", "==", query.endpointId);
  if (query.eventId !== null) asked = asked.where("eventId", "==", query.eventId);
  if (query.state !== null) asked = asked.where("state", "==", query.state);
  asked = asked.orderBy("createdAtMs", direction).orderBy(FieldPath.documentId(), direction);
  const cursor = startingAfter ?? endingBefore;
  if (cursor !== null) asked = asked.startAfter(cursor.createdAtMs, cursor.id);
  const { docs } = await asked.limit(limit + 1).get();
  const page = docs.slice(0, limit).map((found) => deliveryOf(found.id, found.data()));
  return { deliveries: isBackward ? page.reverse() : page, hasMore: docs.length > limit };
}

function fieldsIn({ names }: DeliveryCollections, delivery: WebhookDelivery): Record<string, unknown> {
  return { ...fieldsOfDelivery(delivery), [names.deleteAfter]: Timestamp.fromMillis(delivery.deleteAfterMs) };
}

/** Eight: at 500 writes a second for each, 4,000, which is a thousand deliveries a second with all their writes. */
const shards = 8;

function shardOf(id: string): number {
  return createHash("sha256").update(id).digest().readUInt8(0) % shards;
}

function collectionOf({ database, names }: DeliveryCollections) {
  return database.collection(names.webhookDeliveries);
}

function documentIn(store: DeliveryCollections, id: string) {
  return collectionOf(store).doc(id);
}

/** `1735689600.000001000`: exact, because a JavaScript date would cut the microseconds off. */
function versionOf(time: Timestamp): string {
  return `${time.seconds}.${String(time.nanoseconds).padStart(9, "0")}`;
}

function timestampOf(version: string): Timestamp {
  const [seconds, nanoseconds] = version.split(".");
  return new Timestamp(Number(seconds), Number(nanoseconds));
}
