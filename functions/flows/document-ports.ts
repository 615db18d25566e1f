/**
 * How people read back what consumers wrote: types only.
 * It never writes.
 */
import type { FieldValue } from "./consumer-ports.ts";

/** One document. */
export interface StoredDocument {
  readonly id: string;
  readonly fields: Readonly<Record<string, FieldValue>>;
}

/** Reads documents. Both methods may reject with `store_unavailable` or `permission_denied`. */
export interface DocumentReader {
  /** The document, or undefined. */
  find(collection: string, id: string): Promise<StoredDocument | undefined>;
  /** At most `limit` documents, in the order of their ids. */
  list(collection: string, limit: number): Promise<readonly StoredDocument[]>;
}
