// Shows where the API key script looks for keys, and that it says what to do when there is nothing.
// It must never reach a running laptop or a project: the laptop's own tests use the script for real.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { laptopDoor, stageDoor } from "../../scripts/api-key-doors.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "api-key-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("the API key script", () => {
  test("says how to start a laptop when none is running", () => {
    expect(() => laptopDoor({ LAPTOP_FOLDER: folder })).toThrow("no laptop is running here: `npm start` first");
  });

  test("says the same when a laptop ended without taking its file away", async () => {
    const server = createServer();
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    const { port } = server.address() as AddressInfo;
    await new Promise((closed) => server.close(closed));
    writeFileSync(path.join(folder, "control.json"), JSON.stringify({ url: `http://127.0.0.1:${port}`, token: "t" }));

    await expect(laptopDoor({ LAPTOP_FOLDER: folder }).list("bob")).rejects.toThrow("no laptop is running here");
  });

  test("needs to be told the project of a stage, and never guesses one", async () => {
    await expect(stageDoor({ STAGE_FILE: "none" })).rejects.toThrow("--stage needs PROJECT_ID");
  });

  test.each([
    ["no verb", []],
    ["an unknown verb", ["delete", "--account", "bob"]],
    ["no account", ["create"]],
    ["an unknown flag", ["create", "--account", "bob", "--live"]],
    ["a verb too many", ["create", "list", "--account", "bob"]],
  ])(
    "shows how it is used when there is %s",
    async (_title, args) => {
      const script = path.join(import.meta.dirname, "..", "..", "scripts", "api-key.ts");

      const { code, complaint } = await new Promise<{ code: unknown; complaint: string }>((ended) => {
        execFile(process.execPath, [script, ...args], (error, _output, text) =>
          ended({ code: error?.code, complaint: text }),
        );
      });

      expect(code).toBe(1);
      expect(complaint).toMatch(/^npm run api-key -- create\|list\|revoke --account NAME/);
    },
    30_000,
  );
});
