/**
 * The events that a receiver has seen, in Firestore: one document per event, written under preconditions only.
 * It must never take another worker's claim for its own, nor its own lost reply for another's.
 */
import { createHash } from "node:crypto";
import { type DocumentReference, type Firestore, Timestamp } from "@google-cloud/firestore";
import type { SeenClaim, SeenEnd, SeenEvents } from "../flows/receiver-ports.ts";
import { grpcCodes, hasGrpcCode, translated } from "./firestore-errors.ts";

/** The events over one collection, whose TTL policy watches `deleteAfter`. */
export function firestoreSeenEvents(store: SeenCollection): SeenEvents {
  return {
    begin: (eventId, claim) => translated(() => begin(store, eventId, claim)),
    finish: (eventId, owner, end) => translated(() => finish(store, eventId, owner, end)),
    release: (eventId, owner) => translated(() => release(store, eventId, owner)),
  };
}

/** Where the marks live. */
export interface SeenCollection {
  readonly database: Firestore;
  readonly collection: string;
}

/** One Commit for a new event; one read and at most one Commit more for one that was seen. */
async function begin(store: SeenCollection, eventId: string, claim: SeenClaim): Promise<"begun" | "done" | "busy"> {
  const { owner, nowMs, leaseUntilMs } = claim;
  const document = documentOf(store, eventId);
  const deleteAfter = Timestamp.fromMillis(leaseUntilMs + unfinishedMs);
  const fields = { eventId, owner, leaseUntilMs, done: false, deleteAfter };
  if (await written(() => document.create(fields))) return "begun";
  const mark = await read(document);
  // Given back, or deleted by its TTL, since the create: the sender's next attempt finds it free.
  if (mark === null) return "busy";
  if (mark.done) return "done";
  if (mark.owner === owner) return "begun";
  if (nowMs < mark.leaseUntilMs) return "busy";
  if (await written(() => document.update(fields, { lastUpdateTime: mark.version }))) return "begun";
  const after = await read(document);
  return after?.owner === owner ? "begun" : after?.done === true ? "done" : "busy";
}

async function finish(
  store: SeenCollection,
  eventId: string,
  owner: string,
  end: SeenEnd,
): Promise<"finished" | "lost"> {
  const document = documentOf(store, eventId);
  const mark = await read(document);
  if (mark?.owner !== owner) return "lost";
  if (mark.done) return "finished";
  const fields = { done: true, doneAtMs: end.doneAtMs, deleteAfter: Timestamp.fromMillis(end.deleteAfterMs) };
  if (await written(() => document.update(fields, { lastUpdateTime: mark.version }))) return "finished";
  const after = await read(document);
  return after?.owner === owner && after.done ? "finished" : "lost";
}

async function release(store: SeenCollection, eventId: string, owner: string): Promise<void> {
  const document = documentOf(store, eventId);
  const mark = await read(document);
  if (mark?.owner === owner && !mark.done) await written(() => document.delete({ lastUpdateTime: mark.version }));
}

/** True when the write took place; false when its precondition failed, perhaps by our own write whose reply was lost. */
async function written(write: () => Promise<unknown>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    const refusals = [grpcCodes.alreadyExists, grpcCodes.failedPrecondition, grpcCodes.notFound];
    if (refusals.some((code) => hasGrpcCode(error, code))) return false;
    throw error;
  }
}

/** The id is a digest, because an id comes from outside and Firestore reserves some names (`a/b`, `.`, `__x__`). */
function documentOf(store: SeenCollection, eventId: string): DocumentReference {
  return store.database.collection(store.collection).doc(createHash("sha256").update(eventId, "utf8").digest("hex"));
}

interface Mark {
  readonly owner: string;
  readonly leaseUntilMs: number;
  readonly done: boolean;
  readonly version: Timestamp;
}

async function read(document: DocumentReference): Promise<Mark | null> {
  const found = await document.get();
  const fields = found.data();
  if (fields === undefined || found.updateTime === undefined) return null;
  const { owner, leaseUntilMs, done } = fields;
  if (typeof owner === "string" && typeof leaseUntilMs === "number" && typeof done === "boolean") {
    return { owner, leaseUntilMs, done, version: found.updateTime };
  }
  throw new Error("A mark of a seen event lacks a field or has one of another type.");
}

/** An unfinished claim is of no use after a day: the sender's later attempts take it over. */
const unfinishedMs = 24 * 3_600_000;
