// Stores of the comparison: a Map that keeps a copy and answers in its next turn, the same for every side.
// It must never do more or less for one side; this project's ledger row is one more call, which is told apart.
import { setImmediate as nextTurn } from "node:timers/promises";
import { memoryLedger } from "../../../functions/adapters/memory/ledger.ts";
import type { IdempotencyCache, Ledger, VersionedRecord } from "../../../functions/flows/ports.ts";

/** A cache for this project's flow. */
export function mapCache(): IdempotencyCache {
  const records = new Map<string, VersionedRecord>();
  let writes = 0;
  const put = (keyHash: string, record: VersionedRecord["record"]): string => {
    writes += 1;
    const version = String(writes);
    records.set(keyHash, { record: { ...record }, version });
    return version;
  };
  return {
    claim: async (keyHash, record) => {
      await nextTurn();
      const found = records.get(keyHash);
      if (found !== undefined) return { kind: "exists", ...found };
      return { kind: "claimed", record, version: put(keyHash, record) };
    },
    read: async (keyHash) => {
      await nextTurn();
      return records.get(keyHash);
    },
    replace: async (keyHash, version, record) => {
      await nextTurn();
      if (records.get(keyHash)?.version !== version) return { kind: "lost" };
      return { kind: "replaced", version: put(keyHash, record) };
    },
  };
}

/** Takes every key row at once and keeps none: what is left is the work that the others do too. */
export function absentLedger(): Ledger {
  return { ...memoryLedger(), insert: async () => "inserted" };
}

/** A ledger that keeps key rows; nothing else of it is reached by a new request that depends on no row. */
export function mapLedger(): Ledger {
  const rows = new Map<string, unknown>();
  return {
    ...memoryLedger(),
    insert: async (_tag, changes) => {
      await nextTurn();
      const keys = changes.flatMap((change) => (change.table === "idempotency_keys" ? [change.row] : []));
      if (keys.some(({ keyHash }) => rows.has(keyHash))) return "exists";
      for (const row of keys) rows.set(row.keyHash, { ...row });
      return "inserted";
    },
  };
}
