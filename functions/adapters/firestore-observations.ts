/**
 * Tries to pay in Firestore, under names that begin with who paid and go on with when: a range of names is a range of time.
 * It must never need an index: one over rising times would be a hot spot, and names are sorted anyway.
 */
import { createHash } from "node:crypto";
import { FieldPath, type Firestore, Timestamp } from "@google-cloud/firestore";
import { type Observation, observationLifeMs } from "../domain/velocity.ts";
import type { Observations } from "../flows/risk-ports.ts";
import { translated } from "./firestore-errors.ts";

/** The observations over one collection; each may be deleted `observationLifeMs` after its own time. */
export function firestoreObservations(store: ObservationCollection): Observations {
  return {
    record: (observations) => translated(() => record(store, observations)),
    between: (subject, fromMs, untilMs, limit) => translated(() => between(store, subject, fromMs, untilMs, limit)),
  };
}

/** Where they live; `deleteAfterField` is the timestamp field that the TTL policy watches. */
export interface ObservationCollection {
  readonly database: Firestore;
  readonly collection: string;
  readonly deleteAfterField: string;
}

/** One Commit; the same observation has the same name and the same fields, so writing it again changes nothing. */
async function record(store: ObservationCollection, observations: readonly Observation[]): Promise<void> {
  if (observations.length === 0) return;
  const batch = store.database.batch();
  for (const observation of observations) {
    const name = `${placeOf(observation.subject, observation.atMs)}_${digestOf(observation.chargeId)}`;
    batch.set(store.database.collection(store.collection).doc(name), {
      ...observation,
      [store.deleteAfterField]: Timestamp.fromMillis(observation.atMs + observationLifeMs),
    });
  }
  await batch.commit();
}

async function between(
  store: ObservationCollection,
  subject: string,
  fromMs: number,
  untilMs: number,
  limit: number,
): Promise<readonly Observation[]> {
  const found = await store.database
    .collection(store.collection)
    .orderBy(FieldPath.documentId())
    .startAt(placeOf(subject, fromMs + 1))
    .endBefore(placeOf(subject, untilMs))
    .limit(limit)
    .get();
  return found.docs.map((document) => observationIn(document.data()));
}

/** Thirteen digits hold every time until the year 2286, and have one length, so that names sort as times do. */
function placeOf(subject: string, atMs: number): string {
  return `${subject}_${String(Math.max(0, atMs)).padStart(13, "0")}`;
}

function digestOf(chargeId: string): string {
  return createHash("sha256").update(chargeId, "utf8").digest("hex").slice(0, 32);
}

function observationIn({ subject, chargeId, atMs }: Record<string, unknown>): Observation {
  if (typeof subject !== "string" || typeof chargeId !== "string" || typeof atMs !== "number")
    throw new Error("An observation lacks a field or has one of another type.");
  return { subject, chargeId, atMs };
}
