/**
 * Collections of documents in memory: what consumers write and people read back.
 * It must never hand out an object that it keeps.
 */
import type { EffectDocument, FieldValue } from "../../flows/consumer-ports.ts";

/** An empty set of collections. */
export function memoryDocuments(): MemoryDocuments {
  const collections = new Map<string, Map<string, Fields>>();
  return {
    put: ({ collection, id, fields }) => {
      const documents = collections.get(collection) ?? new Map<string, Fields>();
      collections.set(collection, documents.set(id, structuredClone(fields)));
    },
    find: (collection, id) => structuredClone(collections.get(collection)?.get(id)),
    list: (collection) =>
      [...(collections.get(collection) ?? [])]
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([id, fields]) => ({ id, fields: structuredClone(fields) })),
  };
}

type Fields = Readonly<Record<string, FieldValue>>;

/** The collections. */
export interface MemoryDocuments {
  /** Writes or replaces. */
  put(document: Pick<EffectDocument, "collection" | "id" | "fields">): void;
  /** The fields, or undefined. */
  find(collection: string, id: string): Fields | undefined;
  /** All of a collection, in the order of their ids, as Firestore lists them. */
  list(collection: string): readonly { readonly id: string; readonly fields: Fields }[];
}
