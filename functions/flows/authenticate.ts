/**
 * Whose request is it: an API key to its account.
 * It never keeps a key, only its digest, and never for longer than the revocation delay.
 */
import { apiKeyCacheMs, apiKeyDigest, isApiKeyShaped } from "../domain/accounts.ts";
import { refuse } from "../domain/errors.ts";
import type { Accounts, Clock } from "./ports.ts";

/**
 * Makes the look-up; a hit is remembered for 60 s, a miss never, so that a new key works at once.
 * It rejects with `api_key_missing` or `api_key_invalid` (401; contract section 4).
 */
export function authenticator(deps: { readonly accounts: Accounts; readonly clock: Clock }): Authenticate {
  const remembered = new Map<string, { readonly accountId: string; readonly untilMs: number }>();
  return async (secret) => {
    if (secret === undefined || secret === "") {
      throw refuse(
        "api_key_missing",
        "You did not provide an API key. Send it as 'Authorization: Bearer YOUR_KEY', or as the user name of HTTP Basic.",
      );
    }
    const digest = isApiKeyShaped(secret) ? apiKeyDigest(secret) : undefined;
    if (digest === undefined) throw unknownKey(secret);
    const hit = remembered.get(digest);
    if (hit !== undefined && hit.untilMs > deps.clock.now()) return hit.accountId;
    remembered.delete(digest);
    const key = await deps.accounts.findKey(digest);
    if (key === undefined || key.revokedAtMs !== null) throw unknownKey(secret);
    if (remembered.size >= rememberedMax) remembered.clear();
    remembered.set(digest, { accountId: key.accountId, untilMs: deps.clock.now() + apiKeyCacheMs });
    return key.accountId;
  };
}

/** From a key, or none, to the id of its account. */
export type Authenticate = (secret: string | undefined) => Promise<string>;

/** Bound of the memory: 10,000 keys are about 2 MB, and starting over costs one read a key. */
const rememberedMax = 10_000;

/** Shows at most the kind and the last four characters, as people need to tell keys apart. */
function unknownKey(secret: string) {
  const shown = isApiKeyShaped(secret) ? `sk_test_…${secret.slice(-4)}` : "of unknown form";
  return refuse("api_key_invalid", `Invalid API Key provided: ${shown}`);
}
