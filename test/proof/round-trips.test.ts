// The budgets on memory stores: each call of a port counts as what it costs on the real stores.
// It must never be the only proof of the costs: the emulator's run counts the real clients' calls.
import { memoryAccounts } from "../../functions/adapters/memory/accounts.ts";
import { memoryIdempotencyCache } from "../../functions/adapters/memory/idempotency-cache.ts";
import { type MemoryLedger, memoryLedger } from "../../functions/adapters/memory/ledger.ts";
import type { IdempotencyCache, Ledger } from "../../functions/flows/ports.ts";
import { openHeldApi } from "../support/held-api.ts";
import { describeRoundTrips, type StoreCall } from "./round-trip-budgets.ts";

describeRoundTrips("counted at the ports", async () => {
  const trips: StoreCall[] = [];
  const ledger = memoryLedger();
  const cache = memoryIdempotencyCache();
  const stores = {
    ledger: countedLedger(ledger, trips),
    cache: countedCache(cache, trips),
    accounts: memoryAccounts(),
  };
  const api = await openHeldApi(stores);
  return {
    ...api,
    take: () => trips.splice(0),
    snapshot: async () => [cache.records(), tables.map((table) => ledger.rows(table))],
  };
});

const tables = [
  "idempotency_keys",
  "payment_intents",
  "attempts",
  "charges",
  "ledger_transactions",
  "events",
  "outbox",
] as const satisfies readonly Parameters<MemoryLedger["rows"]>[0][];

/** One each, but for a claim, which creates and reads side by side, and a replace that is lost, which reads it then. */
function countedCache(cache: IdempotencyCache, trips: StoreCall[]): IdempotencyCache {
  return {
    claim: async (keyHash, record) => {
      note(trips, "cache create", "cache read");
      return await cache.claim(keyHash, record);
    },
    read: counting("cache read", cache.read, trips),
    replace: async (keyHash, version, record) => {
      note(trips, "cache update");
      const replaced = await cache.replace(keyHash, version, record);
      if (replaced.kind === "lost") note(trips, "cache read");
      return replaced;
    },
  };
}

/** One each, but for a transaction: its reads, and a commit even when it wrote nothing. */
function countedLedger(ledger: Ledger, trips: StoreCall[]): Ledger {
  return {
    ...ledger,
    insert: counting("ledger insert", ledger.insert, trips),
    read: counting("ledger read", ledger.read, trips),
    transact: async (tag, body) => {
      const result = await ledger.transact(tag, (scope) =>
        body({ read: counting("ledger read", scope.read, trips), write: scope.write }),
      );
      note(trips, "ledger commit");
      return result;
    },
  };
}

function counting<Asked extends unknown[], Answer>(
  name: string,
  call: (...asked: Asked) => Promise<Answer>,
  trips: StoreCall[],
): (...asked: Asked) => Promise<Answer> {
  return async (...asked) => {
    note(trips, name);
    return await call(...asked);
  };
}

/** Notes calls that run side by side, all of them after those that were noted before. */
function note(trips: StoreCall[], ...names: string[]): void {
  moment += 1;
  trips.push(...names.map((name) => ({ name, began: moment, ended: moment })));
}

let moment = 0;
