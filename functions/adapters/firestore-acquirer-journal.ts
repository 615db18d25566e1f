/**
 * The test acquirer's journal in Firestore: one document per key, created once.
 * It must never update or delete a line: the number of lines is the number of effects.
 */
import { createHash } from "node:crypto";
import { FieldPath, type Firestore } from "@google-cloud/firestore";
import { type Currency, currencies } from "../domain/money.ts";
import type { AcquirerJournal, JournalLine } from "../flows/acquirer-ports.ts";
import { grpcCodes, hasGrpcCode, translated } from "./firestore-errors.ts";

/** The journal over one collection. */
export function firestoreAcquirerJournal(store: JournalCollection): AcquirerJournal {
  return {
    record: (line) => translated(() => record(store, line)),
    read: (key) => translated(() => read(store, key)),
    list: (limit) => translated(() => list(store, limit)),
    between: (written, after, limit) => translated(() => between(store, written, after, limit)),
  };
}

/** Where the journal lives. */
export interface JournalCollection {
  readonly database: Firestore;
  readonly collection: string;
}

/** One Commit; only when the key is known, one BatchGetDocuments more. Our own write after a lost reply is the same line. */
async function record(store: JournalCollection, line: JournalLine): Promise<JournalLine> {
  try {
    await document(store, line.key).create(fieldsOf(line));
    return line;
  } catch (error) {
    if (!hasGrpcCode(error, grpcCodes.alreadyExists)) throw error;
  }
  const standing = await read(store, line.key);
  if (standing === undefined) throw new Error("A journal line vanished; nothing may delete it.");
  return standing;
}

async function read(store: JournalCollection, key: string): Promise<JournalLine | undefined> {
  const fields = (await document(store, key).get()).data();
  return fields && lineOf(fields);
}

async function list(store: JournalCollection, limit: number): Promise<readonly JournalLine[]> {
  const newestFirst = store.database.collection(store.collection).orderBy("createdAtMs", "desc").limit(limit);
  return (await newestFirst.get()).docs.map((found) => lineOf(found.data()));
}

/** Documents of one millisecond come in the order of their ids, which Firestore's own index of the field has, too. */
async function between(
  store: JournalCollection,
  { fromMs, beforeMs }: { readonly fromMs: number; readonly beforeMs: number },
  after: JournalLine | null,
  limit: number,
): Promise<readonly JournalLine[]> {
  const oldestFirst = store.database
    .collection(store.collection)
    .where("createdAtMs", ">=", fromMs)
    .where("createdAtMs", "<", beforeMs)
    .orderBy("createdAtMs")
    .orderBy(FieldPath.documentId());
  const rest = after === null ? oldestFirst : oldestFirst.startAfter(after.createdAtMs, document(store, after.key).id);
  return (await rest.limit(limit).get()).docs.map((found) => lineOf(found.data()));
}

/** The id is a digest, because a key comes from outside and Firestore reserves some names (`a/b`, `.`, `__x__`). */
function document(store: JournalCollection, key: string) {
  return store.database.collection(store.collection).doc(createHash("sha256").update(key, "utf8").digest("hex"));
}

/** The amount is kept as decimal text: the client library reads integers as doubles, which are exact to 2^53 only. */
function fieldsOf({ amountMinor, ...fields }: JournalLine): Record<string, unknown> {
  return { ...fields, amountMinor: String(amountMinor) };
}

function lineOf(fields: Record<string, unknown>): JournalLine {
  const { kind, key, amountMinor, currency, paymentMethodToken, reference, captureLater, result, createdAtMs } = fields;
  const { challengeReturnUrl, authentication } = fields;
  if (typeof key !== "string" || typeof amountMinor !== "string" || !/^\d+$/.test(amountMinor)) throw unreadable();
  if (!isKind(kind) || !isCurrency(currency) || typeof captureLater !== "boolean") throw unreadable();
  if (!isTextOrNull(paymentMethodToken) || !isTextOrNull(reference) || typeof createdAtMs !== "number")
    throw unreadable();
  if (!isTextOrNull(challengeReturnUrl) || !isTextOrNull(authentication)) throw unreadable();
  const order = { kind, key, amountMinor: BigInt(amountMinor), currency, paymentMethodToken, reference, captureLater };
  return { ...order, challengeReturnUrl, authentication, result: resultOf(result), createdAtMs };
}

function isKind(value: unknown): value is JournalLine["kind"] {
  return kinds.some((kind) => kind === value);
}

const kinds: readonly JournalLine["kind"][] = [
  "authorize",
  "capture",
  "void",
  "refund",
  "challenge_answer",
  "key_void",
  "first_sight",
];

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === "string";
}

/** Checks the discriminator only: nobody but `fieldsOf` writes here. */
function resultOf(value: unknown): JournalLine["result"] {
  const kind = typeof value === "object" && value !== null && "kind" in value ? value.kind : undefined;
  if (typeof kind !== "string" || !["approved", "declined", "challenge", "pending"].includes(kind)) throw unreadable();
  return value as JournalLine["result"];
}

function isCurrency(value: unknown): value is Currency {
  return typeof value === "string" && Object.hasOwn(currencies, value);
}

function unreadable(): Error {
  return new Error("A journal document lacks a field or has one of another type.");
}
