/**
 * An operator's verbs for API keys: make one, list an account's, revoke them.
 * It never keeps a key: who makes one sees it once.
 */
import { type ApiKey, apiKeyDigest } from "../domain/accounts.ts";
import type { Accounts, Clock, Random } from "./ports.ts";

/** Makes a key for the account with this name, and the account if there is none. `secret` is shown here and never again. */
export async function createApiKey(
  deps: KeyDependencies & { readonly random: Random },
  accountName: string,
): Promise<{ readonly secret: string; readonly key: ApiKey }> {
  const createdAtMs = deps.clock.now();
  const account = await deps.accounts.ensureAccount({ id: deps.random.id("acct"), name: accountName, createdAtMs });
  const secret = deps.random.id("sk_test");
  const key = keyOf(account.id, secret, createdAtMs);
  await deps.accounts.addKey(key);
  return { secret, key };
}

/**
 * Makes a key that somebody else holds already known, and the account if there is none; a key that is known stays as it
 * is, revoked or not.
 */
export async function registerApiKey(
  deps: KeyDependencies & { readonly random: Random },
  request: { readonly accountName: string; readonly secret: string },
): Promise<void> {
  const createdAtMs = deps.clock.now();
  const id = deps.random.id("acct");
  const account = await deps.accounts.ensureAccount({ id, name: request.accountName, createdAtMs });
  await deps.accounts.addKey(keyOf(account.id, request.secret, createdAtMs));
}

/** The keys of the account with this name, newest first, revoked ones too; none when there is no such account. */
export async function listApiKeys(
  deps: { readonly accounts: Accounts },
  accountName: string,
): Promise<readonly ApiKey[]> {
  return await deps.accounts.listKeys(accountName);
}

/**
 * Revokes the account's live keys that end in `lastFour`, or all of them when it is null; returns how many.
 * An instance that knew a key goes on taking it for `apiKeyCacheMs`.
 */
export async function revokeApiKeys(
  deps: KeyDependencies,
  request: { readonly accountName: string; readonly lastFour: string | null },
): Promise<number> {
  return await deps.accounts.revokeKeys(request.accountName, request.lastFour, deps.clock.now());
}

function keyOf(accountId: string, secret: string, createdAtMs: number): ApiKey {
  return { digest: apiKeyDigest(secret), accountId, lastFour: secret.slice(-4), createdAtMs, revokedAtMs: null };
}

/** What the verbs need. */
export interface KeyDependencies {
  readonly accounts: Accounts;
  readonly clock: Clock;
}
