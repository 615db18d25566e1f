// The two places where API keys can be managed: the laptop that runs on this machine, and a deployed stage.
// It must never show more of a stored key than its end.

import { systemClock, systemRandom } from "../functions/adapters/system.ts";
import type { ApiKey } from "../functions/domain/accounts.ts";
import { createApiKey, listApiKeys, registerApiKey, revokeApiKeys } from "../functions/flows/manage-api-keys.ts";
import { laptopCall, openStageLedger } from "./doors.ts";

/** A key as it is shown: nothing of its secret but the end. */
export type ShownKey = Pick<ApiKey, "lastFour" | "createdAtMs" | "revokedAtMs">;

/** The verbs, wherever the keys are. */
export type KeyDoor = {
  /** Returns the new key, which is kept nowhere. */
  create(account: string): Promise<string>;
  list(account: string): Promise<readonly ShownKey[]>;
  /** How many live keys of the account were revoked: those that end in `lastFour`, all when it is null. */
  revoke(account: string, lastFour: string | null): Promise<number>;
  close(): Promise<void>;
};

/** The laptop that `npm start` runs. */
export function laptopDoor(environment: NodeJS.ProcessEnv): KeyDoor {
  const call = laptopCall(environment);
  return {
    create: async (accountName) => (await call<{ secret: string }>("/api-keys/create", { accountName })).secret,
    list: async (accountName) => (await call<{ keys: ShownKey[] }>("/api-keys/list", { accountName })).keys,
    revoke: async (accountName, lastFour) =>
      (await call<{ revoked: number }>("/api-keys/revoke", { accountName, lastFour })).revoked,
    close: async () => {},
  };
}

/** A deployed stage, through the ledger's own adapter; `register` makes a key known that somebody else holds. */
export async function stageDoor(
  environment: NodeJS.ProcessEnv,
): Promise<KeyDoor & { register(account: string, secret: string): Promise<void> }> {
  const opened = await openStageLedger(environment);
  const { spannerAccounts } = await import("../functions/adapters/spanner-accounts.ts");
  const deps = { accounts: spannerAccounts(opened), clock: systemClock, random: systemRandom };
  return {
    create: async (account) => (await createApiKey(deps, account)).secret,
    register: async (accountName, secret) => await registerApiKey(deps, { accountName, secret }),
    list: async (account) => await listApiKeys(deps, account),
    revoke: async (accountName, lastFour) => await revokeApiKeys(deps, { accountName, lastFour }),
    close: async () => await opened.close(),
  };
}
