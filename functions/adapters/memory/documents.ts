/**
 * Collections of documents in memory: what consumers write and people read back.
 * It must never hand out an object that it keeps.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { EffectDocument, FieldValue } from "../../flows/consumer-ports.ts";
import type { DocumentReader, StoredDocument } from "../../flows/document-ports.ts";

/** An empty set of collections. */
export function memoryDocuments(): MemoryDocuments {
  const collections = new Map<string, Map<string, Fields>>();
  const all = (collection: string) =>
    [...(collections.get(collection) ?? [])]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([id, fields]) => ({ id, fields: structuredClone(fields) }));
  return {
    put: ({ collection, id, fields }) => {
      const documents = collections.get(collection) ?? new Map<string, Fields>();
      collections.set(collection, documents.set(id, structuredClone(fields)));
    },
    has: (collection, id) => collections.get(collection)?.has(id) ?? false,
    find: async (collection, id) => {
      await nextTurn();
      const fields = collections.get(collection)?.get(id);
      return fields && { id, fields: structuredClone(fields) };
    },
    list: async (collection, limit) => {
      await nextTurn();
      return all(collection).slice(0, limit);
    },
    all,
  };
}

type Fields = Readonly<Record<string, FieldValue>>;

/** The collections. */
export interface MemoryDocuments extends DocumentReader {
  /** Writes or replaces. */
  put(document: Pick<EffectDocument, "collection" | "id" | "fields">): void;
  has(collection: string, id: string): boolean;
  /** All of a collection, for tests. */
  all(collection: string): readonly StoredDocument[];
}
