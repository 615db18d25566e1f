/**
 * The idempotency cache in memory, for the laptop and for tests: same answers as Firestore's, call by call.
 * It must never hand out an object that it keeps, and never answer in the same turn of the event loop.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { isOwnWrite, packBody } from "../../domain/claim-storage.ts";
import type { CacheRecord, IdempotencyCache, VersionedRecord } from "../../flows/ports.ts";

/** An empty cache. */
export function memoryIdempotencyCache(): MemoryIdempotencyCache {
  const records = new Map<string, VersionedRecord>();
  let writes = 0;
  const put = (keyHash: string, record: CacheRecord): string => {
    writes += 1;
    const version = String(writes);
    records.set(keyHash, { record, version });
    return version;
  };
  return {
    claim: async (keyHash, offered) => {
      const record = await asStored(offered);
      await nextTurn();
      const found = records.get(keyHash);
      if (found === undefined) return { kind: "claimed", record: copyOf(offered), version: put(keyHash, record) };
      return {
        kind: isOwnWrite(found.record, record) ? "claimed" : "exists",
        record: copyOf(found.record),
        version: found.version,
      };
    },
    read: async (keyHash) => {
      await nextTurn();
      const found = records.get(keyHash);
      return found && { ...found, record: copyOf(found.record) };
    },
    replace: async (keyHash, version, offered) => {
      const record = await asStored(offered);
      await nextTurn();
      const found = records.get(keyHash);
      if (found?.version === version) return { kind: "replaced", version: put(keyHash, record) };
      if (found === undefined || !isOwnWrite(found.record, record)) return { kind: "lost" };
      return { kind: "replaced", version: found.version };
    },
    wipe: () => records.clear(),
    records: () =>
      new Map([...records].map(([keyHash, found]) => [keyHash, { ...found, record: copyOf(found.record) }])),
  };
}

/** The cache with what tests may do beyond the port. */
export interface MemoryIdempotencyCache extends IdempotencyCache {
  /** Forgets every record, as a deleted collection does; versions go on rising. */
  wipe(): void;
  /** A copy of everything, by key hash. */
  records(): ReadonlyMap<string, VersionedRecord>;
}

const compress = promisify(gzip);

/** A copy under the same size rule as a document's, so that a large answer behaves here as in the cloud. */
async function asStored(record: CacheRecord): Promise<CacheRecord> {
  const copy = copyOf(record);
  if (copy.outcome === null || copy.outcome === "in_ledger" || copy.outcome.body === null) return copy;
  const { form } = await packBody(copy.outcome.body, compress);
  return form === "in_ledger" ? { ...copy, outcome: "in_ledger" } : copy;
}

/** A record that shares no bytes with the given one; `structuredClone` would copy the whole pool behind a small Buffer. */
function copyOf(record: CacheRecord): CacheRecord {
  const { outcome } = record;
  if (outcome === null || outcome === "in_ledger") return { ...record };
  return { ...record, outcome: { status: outcome.status, body: outcome.body && Uint8Array.from(outcome.body) } };
}
