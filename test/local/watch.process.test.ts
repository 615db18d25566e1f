// Shows that a watched program is started again when its code changes, one at a time, and ends with its watcher.
// It must never touch the project's own files: a program of three lines in a folder of its own is watched.
import { type ChildProcess, spawn } from "node:child_process";
import { on, once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { isAlive } from "./running-laptop.ts";

const watcher = path.join(import.meta.dirname, "..", "..", "local", "watch.ts");
const patienceMs = 30_000;

let folder: string;
let child: ChildProcess | undefined;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "watched-"));
});
afterEach(async () => {
  if (child?.exitCode === null && child.signalCode === null) {
    child.kill("SIGKILL");
    await once(child, "exit");
  }
  rmSync(folder, { recursive: true, force: true });
});

/** Starts the watcher over a program that says its version and its process id, and runs until it is told to end. */
function startWatching(): AsyncIterator<[string]> {
  mkdirSync(path.join(folder, "code"));
  const program = writeProgram(1);
  const supervisor = path.join(folder, "supervisor.ts");
  writeFileSync(
    supervisor,
    `import { superviseLaptop } from ${JSON.stringify(watcher)};
process.exitCode = await superviseLaptop([], { program: ${JSON.stringify(program)}, folders: [${JSON.stringify(path.dirname(program))}] });\n`,
  );
  const started = spawn(process.execPath, [supervisor], { stdio: ["ignore", "pipe", "inherit"] });
  child = started;
  // Keeps every line until it is asked for, also when two arrive at once.
  return on(createInterface({ input: started.stdout }), "line") as AsyncIterator<[string]>;
}

function writeProgram(version: number): string {
  const program = path.join(folder, "code", "program.ts");
  writeFileSync(
    program,
    `process.on("SIGTERM", () => process.exit(0)).on("SIGINT", () => process.exit(0)).on("disconnect", () => process.exit(0));
console.log("version ${version} " + process.pid);\n`,
  );
  return program;
}

/** The process id that the program says with its version. */
async function saying(lines: AsyncIterator<[string]>, version: number): Promise<number> {
  for (;;) {
    const [line] = (await lines.next()).value as [string];
    const id = new RegExp(`^version ${version} (\\d+)$`).exec(line)?.[1];
    if (id !== undefined) return Number(id);
  }
}

describe("--watch", () => {
  test(
    "starts the program again after a change, when the last one is gone, and ends it with itself",
    async () => {
      const lines = startWatching();
      const first = await saying(lines, 1);

      writeProgram(2);
      const second = await saying(lines, 2);
      const firstAlive = isAlive(first);
      child?.kill("SIGINT");
      const [code] = child === undefined ? [] : await once(child, "exit");

      expect(firstAlive).toBe(false);
      expect(second).not.toBe(first);
      expect(code).toBe(0);
      expect(isAlive(second)).toBe(false);
    },
    patienceMs,
  );
});
