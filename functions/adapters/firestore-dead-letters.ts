/**
 * Dead letters and redrives in Firestore: one document for each, every change of a letter's state in a transaction.
 * It must never change a letter's content once it stands, nor hold a state that only this process knows.
 */
import { type DocumentSnapshot, type Firestore, Timestamp } from "@google-cloud/firestore";
import { deadLetterLifeMs } from "../domain/consumption.ts";
import type { KeptLetter, RedriveReceipt, WaitingLetter } from "../domain/dead-letter.ts";
import type { DeadLetters, Redrive } from "../flows/dead-letter-ports.ts";
import { grpcCodes, hasGrpcCode, translated } from "./firestore-errors.ts";

/** The store over two collections; `deleteAfterField` is the timestamp field that the TTL policies watch. */
export function firestoreDeadLetters(store: DeadLetterCollections): DeadLetters {
  const { database } = store;
  const redriveAt = (id: string) => database.collection(store.redrives).doc(id);
  return {
    record: (letter) =>
      translated(async () => {
        const { data, ...fields } = letter;
        const kept = { ...fields, state: "waiting", redriveId: null, data, isKept: data !== null };
        const place = letterAt(store, letter.id);
        if (await isCreated(() => place.create({ ...kept, ...expiry(store, letter.recordedAtMs) }))) return "recorded";
        // Our own write, whose reply was lost, stands there with our own time.
        return (await place.get()).get("recordedAtMs") === letter.recordedAtMs ? "recorded" : "known";
      }),
    waiting: (limit) => translated(() => waiting(store, limit)),
    findRedrive: (id) => translated(async () => redriveIn(await redriveAt(id).get())),
    startRedrive: (redrive) =>
      translated(async () => {
        const fields = { ...plain(redrive), ...expiry(store, redrive.startedAtMs) };
        if (await isCreated(() => redriveAt(redrive.id).create(fields))) return redrive;
        return redriveIn(await redriveAt(redrive.id).get()) ?? redrive;
      }),
    finishRedrive: (id, receipt) =>
      translated(async () => void (await redriveAt(id).update({ receipt: { ...receipt } }))),
    take: (letterIds, redriveId) => translated(() => take(store, letterIds, redriveId)),
    settle: (letterIds, redriveId) => translated(() => settle(store, letterIds, redriveId)),
  };
}

/** Where they live. */
export interface DeadLetterCollections {
  readonly database: Firestore;
  readonly letters: string;
  readonly redrives: string;
  readonly deleteAfterField: string;
}

/** The content stays where it is: a list of five thousand letters is a few megabytes without it. */
async function waiting(store: DeadLetterCollections, limit: number): Promise<readonly WaitingLetter[]> {
  const found = await store.database
    .collection(store.letters)
    .where("state", "==", "waiting")
    .select("id", "source", "eventId", "eventType", "isKept")
    .limit(limit)
    .get();
  return found.docs.map((document) => document.data() as WaitingLetter);
}

async function take(
  store: DeadLetterCollections,
  letterIds: readonly string[],
  redriveId: string,
): Promise<readonly KeptLetter[]> {
  if (letterIds.length === 0) return [];
  return await store.database.runTransaction(async (transaction) => {
    const snapshots = await transaction.getAll(...letterIds.map((id) => letterAt(store, id)));
    const letters = snapshots.flatMap((snapshot) => letterIn(snapshot) ?? []);
    for (const { id } of letters.filter(({ state }) => state === "waiting")) {
      transaction.update(letterAt(store, id), { state: "sending", redriveId });
    }
    return letters;
  });
}

async function settle(store: DeadLetterCollections, letterIds: readonly string[], redriveId: string): Promise<void> {
  if (letterIds.length === 0) return;
  await store.database.runTransaction(async (transaction) => {
    const snapshots = await transaction.getAll(...letterIds.map((id) => letterAt(store, id)));
    for (const snapshot of snapshots) {
      if (snapshot.get("redriveId") === redriveId) transaction.update(snapshot.ref, { state: "sent" });
    }
  });
}

async function isCreated(create: () => Promise<unknown>): Promise<boolean> {
  try {
    await create();
    return true;
  } catch (error) {
    if (hasGrpcCode(error, grpcCodes.alreadyExists)) return false;
    throw error;
  }
}

function letterAt(store: DeadLetterCollections, id: string) {
  return store.database.collection(store.letters).doc(id);
}

function expiry({ deleteAfterField }: DeadLetterCollections, fromMs: number) {
  return { [deleteAfterField]: Timestamp.fromMillis(fromMs + deadLetterLifeMs) };
}

/** Without the read-only lists, which the client refuses as they are. */
function plain(redrive: Redrive): Record<string, unknown> {
  return structuredClone({ ...redrive }) as Record<string, unknown>;
}

function letterIn(snapshot: DocumentSnapshot): KeptLetter | undefined {
  const fields = snapshot.data();
  if (fields === undefined) return undefined;
  const { id, source, eventId, eventType, deliveries, recordedAtMs, attributes, data, state, redriveId } = fields;
  if (typeof id !== "string" || typeof source !== "string" || typeof recordedAtMs !== "number") throw unreadable();
  if (!["waiting", "sending", "sent"].includes(state) || typeof attributes !== "object") throw unreadable();
  const content = data === null ? null : new Uint8Array(data as Uint8Array);
  return { id, source, eventId, eventType, deliveries, recordedAtMs, attributes, data: content, state, redriveId };
}

/** Checks what the flow relies on: nobody but `startRedrive` and `finishRedrive` writes here. */
function redriveIn(snapshot: DocumentSnapshot): Redrive | undefined {
  const fields = snapshot.data();
  if (fields === undefined) return undefined;
  const { id, events, startedAtMs, receipt } = fields;
  if (typeof id !== "string" || !Array.isArray(events) || typeof startedAtMs !== "number") throw unreadable();
  return { id, events, startedAtMs, receipt: receipt as RedriveReceipt | null };
}

function unreadable(): Error {
  return new Error("A dead letter or a redrive lacks a field or has one of another type.");
}
