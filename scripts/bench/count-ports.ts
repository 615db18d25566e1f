// Counts at the ports: what each call costs in round trips once a real store stands behind it.
// It must never differ from the real clients: the same table comes out of the part `requests-on-emulators`, RPC by RPC.
import type { Acquirer } from "../../functions/flows/acquirer-ports.ts";
import type { Accounts, IdempotencyCache, Ledger } from "../../functions/flows/ports.ts";
import { keyLookUp, type Tally } from "./tally.ts";

/** A claim is a create and a read side by side; when there is a record, nothing was written. */
export function countedCache(cache: IdempotencyCache, tally: Tally): IdempotencyCache {
  return {
    claim: async (keyHash, record) => {
      const [create, read] = [tally.count("cache", "create"), tally.count("cache", "read")];
      const claimed = await cache.claim(keyHash, record);
      create.wrote = claimed.kind === "claimed";
      tally.close(create);
      tally.close(read);
      return claimed;
    },
    read: async (keyHash) => {
      tally.count("cache", "read");
      return await cache.read(keyHash);
    },
    replace: async (keyHash, version, record) => {
      const update = tally.count("cache", "update");
      const replaced = await cache.replace(keyHash, version, record);
      if (replaced.kind === "lost") tally.count("cache", "read");
      else update.wrote = true;
      return replaced;
    },
  };
}

/** A transaction is its reads and one commit; everything else is one round trip. */
export function countedLedger(ledger: Ledger, tally: Tally): Ledger {
  return {
    insert: async (tag, changes) => {
      const insert = tally.count("ledger", "insert");
      const inserted = await ledger.insert(tag, changes);
      insert.wrote = inserted === "inserted";
      return inserted;
    },
    transact: async (tag, body) => {
      let changes = 0;
      const result = await ledger.transact(tag, (scope) => {
        changes = 0;
        return body({
          read: async (keys) => {
            tally.count("ledger", "read");
            return await scope.read(keys);
          },
          write: (written) => {
            changes += written.length;
            scope.write(written);
          },
        });
      });
      tally.count("ledger", "commit").wrote = changes > 0;
      return result;
    },
    read: async (keys) => {
      tally.count("ledger", "read");
      return await ledger.read(keys);
    },
    listIntents: async (query) => {
      tally.count("ledger", "list");
      return await ledger.listIntents(query);
    },
    listRefunds: async (query) => {
      tally.count("ledger", "list");
      return await ledger.listRefunds(query);
    },
    listEvents: async (query) => {
      tally.count("ledger", "list");
      return await ledger.listEvents(query);
    },
    overdueHolds: async (beforeMs, limit) => {
      tally.count("ledger", "list");
      return await ledger.overdueHolds(beforeMs, limit);
    },
    overdueAttempts: async (beforeMs, limit) => {
      tally.count("ledger", "list");
      return await ledger.overdueAttempts(beforeMs, limit);
    },
    abandonedIntentions: async (beforeMs, limit) => {
      tally.count("ledger", "list");
      return await ledger.abandonedIntentions(beforeMs, limit);
    },
    // No request scans.
    scan: ledger.scan,
  };
}

/** The look-up of an API key is remembered for 60 s, so it is no part of a request's budget. */
export function countedAccounts(accounts: Accounts, tally: Tally): Accounts {
  return {
    ...accounts,
    findKey: async (digest) => {
      tally.count("apart", keyLookUp);
      return await accounts.findKey(digest);
    },
  };
}

/** The card network is no store; nothing of ours makes it faster. */
export function countedAcquirer(acquirer: Acquirer, tally: Tally): Acquirer {
  const counted =
    <Order, Result>(call: (order: Order) => Promise<Result>) =>
    async (order: Order) => {
      tally.count("apart", "acquirer");
      return await call(order);
    };
  return {
    authorize: counted(acquirer.authorize),
    capture: counted(acquirer.capture),
    void: counted(acquirer.void),
    refund: counted(acquirer.refund),
    lookup: counted(acquirer.lookup),
    voidKey: counted(acquirer.voidKey),
  };
}
