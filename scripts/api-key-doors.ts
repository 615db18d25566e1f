// The two places where API keys can be managed: the laptop that runs on this machine, and a deployed stage.
// It must never load a cloud client for the laptop, nor fall back from one place to the other.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock, systemRandom } from "../functions/adapters/system.ts";
import type { ApiKey } from "../functions/domain/accounts.ts";
import { createApiKey, listApiKeys, revokeApiKeys } from "../functions/flows/manage-api-keys.ts";
import { isPlaceholder, readSettings, storeNames } from "../infra/settings.ts";
import { withStageFile } from "../infra/stage-file.ts";

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

/** The laptop that `npm start` runs; it says in a file of this user where it listens. */
export function laptopDoor(environment: NodeJS.ProcessEnv): KeyDoor {
  const folder = environment["LAPTOP_FOLDER"] ?? join(import.meta.dirname, "..", ".laptop");
  const control = readControl(join(folder, "control.json"));
  const call = async (verb: string, request: { accountName: string; lastFour?: string | null }) => {
    const response = await fetch(`${control.url}/api-keys/${verb}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${control.token}` },
      body: JSON.stringify(request),
    }).catch(() => {
      throw new Error(NOT_RUNNING);
    });
    if (!response.ok) throw new Error(`the laptop answered with status ${response.status}`);
    return (await response.json()) as { secret: string; keys: ShownKey[]; revoked: number };
  };
  return {
    create: async (accountName) => (await call("create", { accountName })).secret,
    list: async (accountName) => (await call("list", { accountName })).keys,
    revoke: async (accountName, lastFour) => (await call("revoke", { accountName, lastFour })).revoked,
    close: async () => {},
  };
}

/** A deployed stage, through the ledger's own adapter and the application-default credentials of this user. */
export async function stageDoor(environment: NodeJS.ProcessEnv): Promise<KeyDoor> {
  const settings = readSettings(withStageFile(environment), null);
  if (isPlaceholder(settings)) {
    throw new Error("--stage needs PROJECT_ID, the project of the stage, or the file that npm run bootstrap writes");
  }
  const [{ openSpanner }, { spannerAccounts }] = await Promise.all([
    import("../functions/adapters/spanner-client.ts"),
    import("../functions/adapters/spanner-accounts.ts"),
  ]);
  const { spannerInstance: instance, spannerDatabase: database } = storeNames(settings);
  const opened = openSpanner({ projectId: settings.projectId, instance, database }, () => {});
  const deps = { accounts: spannerAccounts(opened), clock: systemClock, random: systemRandom };
  return {
    create: async (account) => (await createApiKey(deps, account)).secret,
    list: async (account) => await listApiKeys(deps, account),
    revoke: async (accountName, lastFour) => await revokeApiKeys(deps, { accountName, lastFour }),
    close: async () => await opened.close(),
  };
}

const NOT_RUNNING = "no laptop is running here: `npm start` first, or --stage for a deployed stage";

function readControl(file: string): { url: string; token: string } {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as { url: string; token: string };
  } catch {
    throw new Error(NOT_RUNNING);
  }
}
