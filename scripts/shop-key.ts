// The sample shop's API key on a deployed stage: it follows from a secret of the stage, and the ledger has to know it.
// It must never show the secret or the key, nor make another one: the shop that runs holds this one.

import { apiKeyOfSeed } from "../functions/domain/accounts.ts";
import { generatedSecretsOf, named, type Settings } from "../infra/settings.ts";
import type { Gcloud } from "./gcloud.ts";

/** Name of the account that the sample shop sells under. */
export const shopAccount = "sample-shop";

/**
 * Stores the key's digest, however often; returns a sentence for people, or null where the stage has no shop.
 * @throws Error when the secret cannot be read or has no key in it
 */
export async function ensureShopKey(
  settings: Settings,
  deps: { gcloud: Gcloud; register: (account: string, secret: string) => Promise<void> },
): Promise<string | null> {
  const [seedName] = generatedSecretsOf(settings).filter((name) => name === "shop-key-seed");
  if (seedName === undefined) return null;
  const secret = named(settings, seedName);
  // The version that the shop's function mounts.
  const { code, output, complaint } = await deps.gcloud(["secrets", "versions", "access", "1", `--secret=${secret}`]);
  if (code !== 0) throw new Error(`the shop's key cannot be read (npm run bootstrap makes it): ${complaint}`);
  await deps.register(shopAccount, apiKeyOfSeed(output));
  return `${shopAccount} can pay: its key follows from the secret ${secret}`;
}
