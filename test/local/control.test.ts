// Shows the laptop's door for scripts: closed without the token, and gone with the laptop.
// It must never write into the project's own .laptop folder.
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { memoryPublisher } from "../../functions/adapters/memory/publisher.ts";
import { apiKeyDigest } from "../../functions/domain/accounts.ts";
import { controlFile, openControl } from "../../local/control.ts";
import { memoryStores } from "../../local/embedded.ts";
import { bookingRow, insertOf } from "../support/ledger-rows.ts";

let folder: string;
let file: string;
let control: { close(): void } | undefined;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "control-"));
  file = controlFile({ LAPTOP_FOLDER: folder });
});
afterEach(() => {
  control?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The laptop's jobs are not this file's business. */
const noJob = async () => ({ orders: 3, attempts: 2, open: 1 });

async function call(verb: string, request: object, token?: string) {
  return await ask(`/api-keys/${verb}`, request, token);
}

async function ask(target: string, request: object, token?: string) {
  const { url, token: right } = JSON.parse(readFileSync(file, "utf8"));
  const response = await fetch(`${url}${target}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token ?? right}` },
    body: JSON.stringify(request),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

describe("the control door", () => {
  test("makes a key that the accounts know, shows it once, and lists no more than its end", async () => {
    const stores = memoryStores();
    control = await openControl({ ...stores, publisher: memoryPublisher(), callJob: noJob }, file);

    const created = await call("create", { accountName: "bob" });
    const listed = await call("list", { accountName: "bob" });

    const secret = String(created.body["secret"]);
    expect(await stores.accounts.findKey(apiKeyDigest(secret))).toMatchObject({ revokedAtMs: null });
    expect(listed.body).toMatchObject({ keys: [{ lastFour: secret.slice(-4), revokedAtMs: null }] });
    expect(JSON.stringify(listed.body)).not.toContain(secret.slice(0, -4));
    expect(JSON.stringify(listed.body)).not.toContain(apiKeyDigest(secret));
  });

  test("revokes an account's keys", async () => {
    control = await openControl({ ...memoryStores(), publisher: memoryPublisher(), callJob: noJob }, file);
    await call("create", { accountName: "bob" });

    const revoked = await call("revoke", { accountName: "bob", lastFour: null });

    expect(revoked.body).toEqual({ revoked: 1 });
  });

  test("verifies the ledger, and names the first bad row of it", async () => {
    const stores = memoryStores();
    control = await openControl({ ...stores, publisher: memoryPublisher(), callJob: noJob }, file);
    const sound = await ask("/verify-ledger", {});
    await stores.ledger.insert("orphan", [insertOf("ledger_transactions", bookingRow({ sourceId: "ch_gone" }))]);
    const unsound = await ask("/verify-ledger", {});

    expect(sound.body).toMatchObject({ rows: { ledger_transactions: 0 }, fault: null });
    expect(unsound.body).toMatchObject({ fault: { table: "ledger_transactions", key: "charge/ch_gone" } });
  });

  test("answers nothing without the token", async () => {
    control = await openControl({ ...memoryStores(), publisher: memoryPublisher(), callJob: noJob }, file);

    expect(await call("list", { accountName: "bob" }, "guess")).toEqual({
      status: 401,
      body: { error: "wrong token" },
    });
  });

  test("writes where it is for this user only, even over a file that others could read", async () => {
    writeFileSync(file, "{}", { mode: 0o644 });

    control = await openControl({ ...memoryStores(), publisher: memoryPublisher(), callJob: noJob }, file);

    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test("takes its file away when it closes, but not that of a later laptop", async () => {
    const first = await openControl({ ...memoryStores(), publisher: memoryPublisher(), callJob: noJob }, file);
    control = await openControl({ ...memoryStores(), publisher: memoryPublisher(), callJob: noJob }, file);

    first.close();
    expect(existsSync(file)).toBe(true);

    control.close();
    expect(existsSync(file)).toBe(false);
  });
});
