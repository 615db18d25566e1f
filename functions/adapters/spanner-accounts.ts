/**
 * Accounts and API keys in Spanner.
 * It must never see a key itself: digests come in, digests are compared.
 */
import { type Database, Spanner } from "@google-cloud/spanner";
import type { Account, ApiKey } from "../domain/accounts.ts";
import { refuse } from "../domain/errors.ts";
import type { Accounts } from "../flows/ports.ts";
import { type FoundColumns, reader, sendTime } from "./spanner-columns.ts";
import { insertBlindly } from "./spanner-insert.ts";
import { query } from "./spanner-query.ts";
import { inTransaction } from "./spanner-transaction.ts";

/** The accounts of an open database (see `openSpanner`). */
export function spannerAccounts(deps: { readonly database: Database }): Accounts {
  const { database } = deps;
  return {
    findKey: (digest) => findKey(database, digest),
    ensureAccount: (account) => ensureAccount(database, account),
    addKey: (key) => addKey(database, key),
    listKeys: (accountName) => listKeys(database, accountName),
    revokeKeys: (accountName, lastFour, atMs) => revokeKeys(database, accountName, lastFour, atMs),
  };
}

async function findKey(database: Database, digest: string): Promise<ApiKey | undefined> {
  const sql = "SELECT * FROM api_keys WHERE digest = @digest";
  const [row] = await query(database, "find-key", { sql, params: { digest }, types: { digest: "string" } });
  return row && readKey(row);
}

async function findAccount(database: Database, name: string): Promise<Account | undefined> {
  const sql = "SELECT * FROM accounts@{FORCE_INDEX=accounts_by_name} WHERE name = @name";
  const [row] = await query(database, "find-account", { sql, params: { name }, types: { name: "string" } });
  if (row === undefined) return undefined;
  const read = reader(row);
  return { id: read.text("account_id"), name: read.text("name"), createdAtMs: read.time("created_at") };
}

async function ensureAccount(database: Database, account: Account): Promise<Account> {
  const present = await findAccount(database, account.name);
  if (present !== undefined) return present;
  const inserted = await insertBlindly({ database, tag: "ensure-account" }, (target) =>
    target.insert("accounts", {
      account_id: account.id,
      name: account.name,
      created_at: sendTime(account.createdAtMs),
      committed_at: Spanner.COMMIT_TIMESTAMP,
    }),
  );
  if (inserted === "inserted") return account;
  // A parallel call made it, or our own did and its reply was lost.
  const standing = await findAccount(database, account.name);
  if (standing === undefined) throw refuse("internal", `Account id ${account.id} belongs to another name.`);
  return standing;
}

async function addKey(database: Database, key: ApiKey): Promise<void> {
  const inserted = await insertBlindly({ database, tag: "add-key" }, (target) =>
    target.insert("api_keys", {
      digest: key.digest,
      account_id: key.accountId,
      last_four: key.lastFour,
      created_at: sendTime(key.createdAtMs),
      revoked_at: sendTime(key.revokedAtMs),
      committed_at: Spanner.COMMIT_TIMESTAMP,
    }),
  );
  if (inserted === "inserted") return;
  const standing = await findKey(database, key.digest);
  if (standing?.accountId !== key.accountId) throw refuse("internal", "This key belongs to another account.");
}

async function listKeys(database: Database, accountName: string): Promise<readonly ApiKey[]> {
  const sql =
    "SELECT k.* FROM accounts@{FORCE_INDEX=accounts_by_name} a JOIN api_keys@{FORCE_INDEX=api_keys_by_account} k " +
    "ON k.account_id = a.account_id WHERE a.name = @name ORDER BY k.created_at DESC, k.digest";
  const params = { name: accountName };
  return (await query(database, "list-keys", { sql, params, types: { name: "string" } })).map(readKey);
}

async function revokeKeys(
  database: Database,
  accountName: string,
  lastFour: string | null,
  atMs: number,
): Promise<number> {
  const sql =
    "UPDATE api_keys SET revoked_at = @at, committed_at = PENDING_COMMIT_TIMESTAMP() WHERE revoked_at IS NULL " +
    "AND account_id IN (SELECT a.account_id FROM accounts a WHERE a.name = @name) " +
    "AND (@last_four IS NULL OR last_four = @last_four) THEN RETURN digest";
  const params = { at: sendTime(atMs), name: accountName, last_four: lastFour };
  const types = { at: "timestamp", name: "string", last_four: "string" } as const;
  const revoked = await inTransaction({ database, tag: "revoke-keys" }, (open) => open.query({ sql, params, types }));
  return revoked.length;
}

function readKey(columns: FoundColumns): ApiKey {
  const read = reader(columns);
  return {
    digest: read.text("digest"),
    accountId: read.text("account_id"),
    lastFour: read.text("last_four"),
    createdAtMs: read.time("created_at"),
    revokedAtMs: read.timeOrNull("revoked_at"),
  };
}
