// The API key that every start of the laptop knows, so that a pasted command works tomorrow too.
// It must never be written anywhere but into the stores of a laptop, which hold no money and die with it.

import { apiKeyDigest } from "../functions/domain/accounts.ts";
import type { Accounts, Clock, Random } from "../functions/flows/ports.ts";

/** The key in clear: it opens nothing but a laptop, so there is nothing to hide. */
export const laptopKey = "sk_test_laptop_only_4242424242424242";

/** Name of the account that it belongs to. */
export const laptopAccount = "laptop";

/** Makes the account and its key. */
export async function seedLaptopKey(deps: { accounts: Accounts; clock: Clock; random: Random }): Promise<void> {
  const createdAtMs = deps.clock.now();
  const account = await deps.accounts.ensureAccount({ id: deps.random.id("acct"), name: laptopAccount, createdAtMs });
  await deps.accounts.addKey({
    digest: apiKeyDigest(laptopKey),
    accountId: account.id,
    lastFour: laptopKey.slice(-4),
    createdAtMs,
    revokedAtMs: null,
  });
}
