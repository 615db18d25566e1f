// Shows the life of an API key: made, used, revoked; seen once and kept as a digest.
// It must never find a key in clear in what the port was given.
import { memoryAccounts } from "../../functions/adapters/memory/accounts.ts";
import { systemRandom } from "../../functions/adapters/system.ts";
import { apiKeyDigest, isApiKeyShaped } from "../../functions/domain/accounts.ts";
import { createApiKey, listApiKeys, revokeApiKeys } from "../../functions/flows/manage-api-keys.ts";
import { manualClock } from "../support/manual-clock.ts";

const beginMs = Date.UTC(2026, 0, 15, 12, 0, 0);

function deps() {
  return { accounts: memoryAccounts(), clock: manualClock(beginMs), random: systemRandom };
}

describe("an API key", () => {
  test("is made with its account, has the shape of a test key, and is kept as a digest", async () => {
    const given = deps();

    const { secret, key } = await createApiKey(given, "bob");

    expect(isApiKeyShaped(secret)).toBe(true);
    expect(key).toEqual({
      digest: apiKeyDigest(secret),
      accountId: expect.stringMatching(/^acct_/),
      lastFour: secret.slice(-4),
      createdAtMs: beginMs,
      revokedAtMs: null,
    });
    expect(await given.accounts.findKey(apiKeyDigest(secret))).toEqual(key);
    expect(JSON.stringify(key)).not.toContain(secret);
  });

  test("joins the account that has the name already", async () => {
    const given = deps();

    const [first, second] = [await createApiKey(given, "bob"), await createApiKey(given, "bob")];

    expect(second.key.accountId).toBe(first.key.accountId);
    expect(second.secret).not.toBe(first.secret);
    expect(await listApiKeys(given, "bob")).toHaveLength(2);
  });

  test("is revoked alone by its last four characters, and the others go on", async () => {
    const given = deps();
    const [first, second] = [await createApiKey(given, "bob"), await createApiKey(given, "bob")];

    const revoked = await revokeApiKeys(given, { accountName: "bob", lastFour: first.key.lastFour });

    expect(revoked).toBe(1);
    expect(await given.accounts.findKey(first.key.digest)).toMatchObject({ revokedAtMs: beginMs });
    expect(await given.accounts.findKey(second.key.digest)).toMatchObject({ revokedAtMs: null });
  });

  test("is revoked with all of its account's, but not with another account's", async () => {
    const given = deps();
    await createApiKey(given, "bob");
    await createApiKey(given, "bob");
    const other = await createApiKey(given, "eve");

    expect(await revokeApiKeys(given, { accountName: "bob", lastFour: null })).toBe(2);
    expect(await given.accounts.findKey(other.key.digest)).toMatchObject({ revokedAtMs: null });
  });
});
