/**
 * Documents of consumers in Firestore, for people who read them back.
 * It must never write.
 */
import { type DocumentSnapshot, type Firestore, Timestamp } from "@google-cloud/firestore";
import type { FieldValue } from "../flows/consumer-ports.ts";
import type { DocumentReader, StoredDocument } from "../flows/document-ports.ts";
import { translated } from "./firestore-errors.ts";

/** The reader over all collections of a database. */
export function firestoreDocuments(database: Firestore): DocumentReader {
  return {
    find: (collection, id) =>
      translated(async () => {
        const snapshot = await database.collection(collection).doc(id).get();
        return snapshot.exists ? documentIn(snapshot) : undefined;
      }),
    list: (collection, limit) =>
      translated(async () => (await database.collection(collection).limit(limit).get()).docs.map(documentIn)),
  };
}

function documentIn(snapshot: DocumentSnapshot): StoredDocument {
  const fields = Object.entries(snapshot.data() ?? {}).map(([name, value]) => [name, valueIn(value)]);
  return { id: snapshot.id, fields: Object.fromEntries(fields) };
}

/** As it was written: the client gives times and bytes in classes of its own. */
function valueIn(value: unknown): FieldValue {
  if (value instanceof Timestamp) return value.toDate();
  return value instanceof Uint8Array ? new Uint8Array(value) : (value as FieldValue);
}
