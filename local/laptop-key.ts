// The API keys that a start of the laptop knows: one for people, so that a pasted command works tomorrow too, and the shop's.
// It must never be written anywhere but into the stores of a laptop, which hold no money and die with it.

import { shopApiKeyOf } from "../functions/config-readers.ts";
import { registerApiKey } from "../functions/flows/manage-api-keys.ts";
import type { Accounts, Clock, Random } from "../functions/flows/ports.ts";
import type { Host } from "./host.ts";

/** The key in clear: it opens nothing but a laptop, so there is nothing to hide. */
export const laptopKey = "sk_test_laptop_only_4242424242424242";

/** Name of the account that it belongs to. */
export const laptopAccount = "laptop";

type Seeding = { accounts: Accounts; clock: Clock; random: Random };

/** Makes the account and its key. */
export async function seedLaptopKey(deps: Seeding): Promise<void> {
  await registerApiKey(deps, { accountName: laptopAccount, secret: laptopKey });
}

/** Name of the account that the sample shop sells under. */
export const shopAccount = "sample-shop";

/** Makes the shop's account and the key that follows from the secret it was started with, if it was started. */
export async function seedShopKey(deps: Seeding, { environments }: Pick<Host, "environments">): Promise<void> {
  const environment = environments.get("sample-shop");
  if (environment === undefined) return;
  await registerApiKey(deps, { accountName: shopAccount, secret: shopApiKeyOf(environment) });
}
