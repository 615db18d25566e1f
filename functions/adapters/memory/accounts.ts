/**
 * Accounts and API keys in memory, for the laptop and for tests.
 * It must never see a key itself, and never answer in the same turn of the event loop.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Account, ApiKey } from "../../domain/accounts.ts";
import { refuse } from "../../domain/errors.ts";
import type { Accounts } from "../../flows/ports.ts";

/** No accounts and no keys. */
export function memoryAccounts(): Accounts {
  const accounts = new Map<string, Account>();
  const keys = new Map<string, ApiKey>();
  const keysOf = (accountName: string) => {
    const accountId = accounts.get(accountName)?.id;
    return [...keys.values()].filter((key) => key.accountId === accountId);
  };
  return {
    findKey: async (digest) => {
      await nextTurn();
      return copyOf(keys.get(digest));
    },
    ensureAccount: async (account) => {
      await nextTurn();
      const standing = accounts.get(account.name) ?? { ...account };
      if ([...accounts.values()].some(({ id, name }) => id === standing.id && name !== standing.name)) {
        throw refuse("internal", `Account id ${standing.id} belongs to another name.`);
      }
      accounts.set(account.name, standing);
      return { ...standing };
    },
    addKey: async (key) => {
      await nextTurn();
      const standing = keys.get(key.digest) ?? { ...key };
      if (standing.accountId !== key.accountId) throw refuse("internal", "This key belongs to another account.");
      keys.set(key.digest, standing);
    },
    listKeys: async (accountName) => {
      await nextTurn();
      return keysOf(accountName)
        .sort((one, other) => other.createdAtMs - one.createdAtMs || (one.digest < other.digest ? -1 : 1))
        .map((key) => ({ ...key }));
    },
    revokeKeys: async (accountName, lastFour, atMs) => {
      await nextTurn();
      const live = keysOf(accountName).filter((key) => key.revokedAtMs === null);
      const revoked = live.filter((key) => lastFour === null || key.lastFour === lastFour);
      for (const key of revoked) keys.set(key.digest, { ...key, revokedAtMs: atMs });
      return revoked.length;
    },
  };
}

function copyOf(key: ApiKey | undefined): ApiKey | undefined {
  return key && { ...key };
}
