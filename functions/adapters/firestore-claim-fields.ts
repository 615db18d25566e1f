/**
 * A claim as the fields of one Firestore document, and back.
 * It must never leave a field out: a replace overwrites exactly the fields it names.
 */
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { Timestamp } from "@google-cloud/firestore";
import { claimOfFields, fieldsOfClaim, keptUntilMs } from "../domain/claim-fields.ts";
import type { CacheRecord } from "../flows/ports.ts";

/** The document's fields; `deleteAfterField` names the one that the TTL policy watches. */
export async function fieldsOf(record: CacheRecord, deleteAfterField: string): Promise<Record<string, unknown>> {
  const fields = await fieldsOfClaim(record, (body) => promisify(gzip)(body));
  return { ...fields, [deleteAfterField]: Timestamp.fromMillis(keptUntilMs(record)) };
}

/**
 * The claim in a document's fields.
 * @throws Error when a field is missing or of another type: somebody else wrote into the collection
 */
export async function recordOf(fields: Readonly<Record<string, unknown>>): Promise<CacheRecord> {
  return await claimOfFields(fields, (bytes, maxOutputLength) => promisify(gunzip)(bytes, { maxOutputLength }));
}
