// The demonstration's merchant on a running laptop: made once, whatever is repeated.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { memoryAccounts } from "../../functions/adapters/memory/accounts.ts";
import { memoryPublisher } from "../../functions/adapters/memory/publisher.ts";
import { apiKeyDigest } from "../../functions/domain/accounts.ts";
import { openControl } from "../../local/control.ts";
import { memoryStores } from "../../local/embedded.ts";

const script = path.join(import.meta.dirname, "..", "..", "scripts", "demo-merchant.ts");
let folder: string;
let control: { close(): void };
let accounts: ReturnType<typeof memoryAccounts>;
beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "demo-merchant-"));
  accounts = memoryAccounts();
  control = await openControl(
    { ...memoryStores(), publisher: memoryPublisher(), accounts, callJob: async () => ({}) },
    path.join(folder, "control.json"),
  );
});
afterEach(() => {
  control.close();
  rmSync(folder, { recursive: true, force: true });
});

const run = (...args: string[]) =>
  new Promise<{ code: unknown; output: string; complaint: string }>((ended) => {
    const env = { ...process.env, LAPTOP_FOLDER: folder };
    execFile(process.execPath, [script, ...args], { env }, (error, output, complaint) =>
      ended({ code: error?.code ?? 0, output, complaint }),
    );
  });

const live = async () => (await accounts.listKeys("demo-merchant")).filter((key) => key.revokedAtMs === null);

describe("the demonstration's merchant", () => {
  test("gets one key, which is shown once", async () => {
    const first = await run();
    const again = await run();
    const [key, ...more] = await live();
    const secret = first.output.split("\n")[0] ?? "";
    expect([first.code, again.code, more]).toEqual([0, 0, []]);
    expect(key?.digest).toBe(apiKeyDigest(secret));
    expect(again.output).toBe(`demo-merchant has a key that ends in ${key?.lastFour}; --new-key replaces it\n`);
  });

  test("gets another key when it is asked for, and the first one stops working", async () => {
    const first = (await run()).output.split("\n")[0] ?? "";
    const second = (await run("--new-key")).output.split("\n")[0] ?? "";
    expect((await live()).map(({ digest }) => digest)).toEqual([apiKeyDigest(second)]);
    expect(second).not.toBe(first);
  });

  test("is not made by a command line that is not understood", async () => {
    const refused = await run("--account", "bob");
    expect([refused.code, refused.complaint.split("\n")[0]]).toEqual([
      1,
      "npm run demo-merchant -- [--stage] [--new-key]",
    ]);
    expect(await live()).toEqual([]);
  });
});
