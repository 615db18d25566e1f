// What every store of accounts and API keys must do.
// It must never know a product: it sees the port alone.
import type { ApiKey } from "../../functions/domain/accounts.ts";
import type { Accounts } from "../../functions/flows/ports.ts";
import { atMs, newId } from "../support/ledger-rows.ts";

/** Declares the suite for one kind of store; all its tests share one. */
export function describeAccounts(
  name: string,
  open: () => Promise<{ accounts: Accounts; close(): Promise<void> }>,
): void {
  describe(`accounts on ${name}`, () => {
    let store: Awaited<ReturnType<typeof open>>;
    beforeAll(async () => {
      store = await open();
    });
    afterAll(async () => {
      await store?.close();
    });

    const newAccount = () =>
      store.accounts.ensureAccount({ id: newId("acct"), name: newId("Zoë & Co"), createdAtMs: atMs });
    const addKey = async (accountId: string, changes: Partial<ApiKey> = {}) => {
      const digest = newId("digest");
      const key = { digest, accountId, lastFour: "1111", createdAtMs: atMs, revokedAtMs: null, ...changes };
      await store.accounts.addKey(key);
      return key;
    };

    test("a name gets one account, however often and in parallel it is asked for", async () => {
      const wished = ["acct_a", "acct_b", "acct_c"].map((id) => ({ id, name: "twins", createdAtMs: atMs }));

      const [first, ...others] = await Promise.all(wished.map((account) => store.accounts.ensureAccount(account)));

      expect(wished).toContainEqual(first);
      for (const other of others) expect(other).toStrictEqual(first);
      expect(await store.accounts.ensureAccount({ id: "acct_d", name: "twins", createdAtMs: atMs + 1 })).toStrictEqual(
        first,
      );
    });

    test("a key is found by its digest as it was added, and an unknown digest is not", async () => {
      const account = await newAccount();
      const key = await addKey(account.id);

      expect(await store.accounts.findKey(key.digest)).toStrictEqual(key);
      expect(await store.accounts.findKey("no such digest")).toBeUndefined();
    });

    test("adding a key again changes nothing, and no other account can take it", async () => {
      const [account, other] = [await newAccount(), await newAccount()];
      const key = await addKey(account.id);

      await store.accounts.addKey({ ...key, lastFour: "9999" });

      await expect(store.accounts.addKey({ ...key, accountId: other.id })).rejects.toMatchObject({ code: "internal" });
      expect(await store.accounts.findKey(key.digest)).toStrictEqual(key);
    });

    test("the keys of an account are listed newest first, those of others and of unknown names never", async () => {
      const account = await newAccount();
      const older = await addKey(account.id, { createdAtMs: atMs - 5 });
      const newer = await addKey(account.id, { createdAtMs: atMs + 5, revokedAtMs: atMs + 6 });
      await addKey((await newAccount()).id);

      expect(await store.accounts.listKeys(account.name)).toStrictEqual([newer, older]);
      expect(await store.accounts.listKeys("nobody")).toStrictEqual([]);
    });

    test("revoking marks the live keys with these last characters, or all of them, and counts them", async () => {
      const account = await newAccount();
      const [first, second] = [await addKey(account.id), await addKey(account.id, { lastFour: "2222" })];
      const bystander = await addKey((await newAccount()).id);

      expect(await store.accounts.revokeKeys(account.name, "2222", atMs + 10)).toBe(1);
      expect(await store.accounts.revokeKeys(account.name, "2222", atMs + 20)).toBe(0);
      expect(await store.accounts.findKey(second.digest)).toStrictEqual({ ...second, revokedAtMs: atMs + 10 });

      expect(await store.accounts.revokeKeys(account.name, null, atMs + 30)).toBe(1);
      expect(await store.accounts.findKey(first.digest)).toStrictEqual({ ...first, revokedAtMs: atMs + 30 });
      expect(await store.accounts.findKey(bystander.digest)).toStrictEqual(bystander);
    });

    test("a revoked key stays revoked when it is added again", async () => {
      const account = await newAccount();
      const key = await addKey(account.id);
      await store.accounts.revokeKeys(account.name, null, atMs + 10);

      await store.accounts.addKey(key);

      expect((await store.accounts.findKey(key.digest))?.revokedAtMs).toBe(atMs + 10);
    });
  });
}
