// Shows that the key which a deployed shop derives is the one that the ledger learns, without anybody seeing it.
// It must never reach a project: gcloud is a function of this file.

import { memoryAccounts } from "../../functions/adapters/memory/accounts.ts";
import { systemClock, systemRandom } from "../../functions/adapters/system.ts";
import { environmentNames } from "../../functions/config.ts";
import { shopApiKeyOf } from "../../functions/config-readers.ts";
import { apiKeyDigest } from "../../functions/domain/accounts.ts";
import { registerApiKey } from "../../functions/flows/manage-api-keys.ts";
import { readSettings } from "../../infra/settings.ts";
import type { Gcloud } from "../../scripts/gcloud.ts";
import type { Answer } from "../../scripts/run-command.ts";
import { ensureShopKey } from "../../scripts/shop-key.ts";

const seed = "0123456789abcdef".repeat(4);

/** Runs it against memory; `calls` are what gcloud was asked. */
async function ensure(stage: string, answer: Answer = { code: 0, output: seed, complaint: "" }) {
  const accounts = memoryAccounts();
  const calls: string[] = [];
  const gcloud: Gcloud = async (args) => {
    calls.push(args.join(" "));
    return answer;
  };
  const register = async (accountName: string, secret: string) =>
    await registerApiKey({ accounts, clock: systemClock, random: systemRandom }, { accountName, secret });
  const settings = readSettings({ STAGE: stage, PREFIX: "anna" }, null);
  const run = async () => await ensureShopKey(settings, { gcloud, register });
  return { accounts, calls, run };
}

describe("the key of a deployed shop", () => {
  test("is known to the ledger once, however often it is asked for, and is the one that the shop derives", async () => {
    const { accounts, calls, run } = await ensure("dev");

    const said = [await run(), await run()];

    const keys = await accounts.listKeys("sample-shop");
    expect(keys.map(({ digest }) => digest)).toEqual([
      apiKeyDigest(shopApiKeyOf({ [environmentNames.shopKeySeed]: seed })),
    ]);
    expect(calls).toEqual(Array(2).fill("secrets versions access 1 --secret=anna-shop-key-seed"));
    expect(said.join()).not.toContain(seed);
  });

  test("is no affair of a stage without a shop", async () => {
    const { calls, run } = await ensure("prod");

    expect([await run(), calls]).toEqual([null, []]);
  });

  test("says which command makes the secret when there is none", async () => {
    const { run } = await ensure("dev", { code: 1, output: "", complaint: "NOT_FOUND" });

    await expect(run()).rejects.toThrow(/npm run bootstrap makes it\): NOT_FOUND$/);
  });

  test.each(["short", `${seed}-`])(
    "is refused when the secret cannot be one, without showing it: %s",
    async (output) => {
      const { run } = await ensure("dev", { code: 0, output, complaint: "" });

      await expect(run()).rejects.toThrow(/^The seed of an API key is too short or has wrong characters\.$/);
    },
  );
});
