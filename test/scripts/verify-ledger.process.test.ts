// Shows what the verifying script says and how it exits, against a control door of this test.
// It must never reach a running laptop or a project: the laptop's own tests use the script for real.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { json } from "node:stream/consumers";
import type { Verification } from "../../functions/flows/verify-ledger.ts";

let folder: string;
let control: Server | undefined;
/** What the script sent. */
let asked: unknown;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "verify-ledger-"));
});
afterEach(() => {
  control?.closeAllConnections();
  control?.close();
  control = undefined;
  rmSync(folder, { recursive: true, force: true });
});

/** A process starts in well under this, even when all cores are busy. */
const patienceMs = 30_000;

function run(args: string[] = [], environment: NodeJS.ProcessEnv = {}) {
  const script = path.join(import.meta.dirname, "..", "..", "scripts", "verify-ledger.ts");
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, LAPTOP_FOLDER: folder, ...environment };
  return new Promise<{ code: unknown; said: string; complaint: string }>((ended) => {
    execFile(process.execPath, [script, ...args], { env }, (error, said, complaint) =>
      ended({ code: error?.code ?? 0, said, complaint }),
    );
  });
}

/** A control door that gives one answer to the right question. */
async function laptopThatFinds(fault: Verification["fault"]): Promise<void> {
  const rows = {
    ledger_transactions: 4,
    refunds: 1,
    charges: 3,
    payment_intents: 9,
    balance_checkpoints: 5,
    ledger_seals: 2,
  };
  control = createServer(async (request, response) => {
    const isRight = request.url === "/verify-ledger" && request.headers.authorization === "Bearer t";
    asked = await json(request);
    response.writeHead(isRight ? 200 : 401).end(JSON.stringify({ rows, fault }));
  });
  await new Promise<void>((listening) => control?.listen(0, "127.0.0.1", listening));
  const { port } = control.address() as AddressInfo;
  writeFileSync(path.join(folder, "control.json"), JSON.stringify({ url: `http://127.0.0.1:${port}`, token: "t" }));
}

describe("the verifying script", () => {
  test(
    "exits with 0 and says what it read when the ledger is sound",
    async () => {
      await laptopThatFinds(null);
      expect(await run()).toEqual({
        code: 0,
        said: "the ledger is sound: 4 ledger transactions, 1 refunds, 3 charges, 9 payment intents, 5 balance checkpoints, 2 ledger seals\n",
        complaint: "",
      });
    },
    patienceMs,
  );

  test(
    "exits with 1 and names the first bad row, and holds the chains to the roots that it is given",
    async () => {
      const problem = "it was anchored outside the database and is gone: its chain ends at 2";
      await laptopThatFinds({ table: "ledger_seals", key: "3/3", problem });
      const root = "0af1".repeat(16);

      const ended = await run(["--root", `3:9:${root}`, "--root", `0:1:${root}`]);

      expect(ended).toMatchObject({ code: 1, complaint: `bad row: ledger_seals 3/3: ${problem}\n` });
      expect(asked).toEqual({
        anchors: [
          { shard: 3, number: 9, root },
          { shard: 0, number: 1, root },
        ],
      });
    },
    patienceMs,
  );

  test.each([
    ["no laptop runs", [], /^verify-ledger: no laptop is running here: `npm start` first/],
    ["a stage has no project", ["--stage"], /^verify-ledger: --stage needs PROJECT_ID/],
    ["it is told what it does not know", ["--all"], /^npm run verify-ledger -- \[--root/],
    ["a root is cut short", ["--root", "3:9:0af1"], /^verify-ledger: --root 3:9:0af1 is not SHARD:NUMBER:HASH/],
  ])(
    "exits with 2, which is no verdict, when %s",
    async (_title, args, complaint) => {
      const ended = await run(args, { STAGE_FILE: "none" });
      expect([ended.code, ended.said]).toEqual([2, ""]);
      expect(ended.complaint).toMatch(complaint);
    },
    patienceMs,
  );
});
