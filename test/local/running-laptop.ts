// Starts the laptop as a person does, in a process of its own, and watches it come and go.
// It must never leave that process or anything it started behind.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";

const root = path.join(import.meta.dirname, "..", "..");

/** A laptop in its own process. */
export interface RunningLaptop {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Every line on standard output and standard error so far. */
  readonly lines: readonly string[];
  /** The folder of its control file. */
  readonly folder: string;
  /** Ids of the process and of everything below it. */
  processes(): number[];
  /** Sends the signal and resolves with the exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>;
  /** Ends it whatever its state, and removes its folder. */
  remove(): Promise<void>;
}

/** Runs `npm start -- ARGS` without npm, and resolves at its `ready` line; rejects with its output when it ends before. */
export async function startLaptop(
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<RunningLaptop> {
  const folder = mkdtempSync(path.join(tmpdir(), "laptop-"));
  const child = spawn(process.execPath, ["scripts/node.cjs", "local/main.ts", ...args], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env["PATH"], LAPTOP_FOLDER: folder, ...environment },
  });
  const lines: string[] = [];
  const exited = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
  const remove = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      for (const id of descendants(child.pid ?? 0)) endProcess(id);
      await exited;
    }
    rmSync(folder, { recursive: true, force: true });
  };
  const ready = readyLine(child, lines);
  const first = await Promise.race([ready, exited]);
  if (!("groups" in first)) {
    await remove();
    throw new Error(`the laptop ended with ${first[0]}:\n${lines.join("\n")}`);
  }
  return {
    baseUrl: first.groups?.["url"] ?? "",
    apiKey: first.groups?.["key"] ?? "",
    lines,
    folder,
    processes: () => descendants(child.pid ?? 0),
    end: async (signal) => {
      child.kill(signal);
      return (await exited)[0];
    },
    remove,
  };
}

/** Those of the processes that still exist, once none does or `GONE_MS` have passed: a killed group dies one by one. */
export async function survivors(ids: readonly number[]): Promise<number[]> {
  const deadline = performance.now() + GONE_MS;
  while (ids.some(isAlive) && performance.now() < deadline) await pause(POLL_MS);
  return ids.filter(isAlive);
}

/** The kernel takes milliseconds; this is for a machine with many tests on it. */
const GONE_MS = 5_000;
const POLL_MS = 10;

/** True while a process with this id exists. */
export function isAlive(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch {
    return false;
  }
}

function readyLine(child: ChildProcess, lines: string[]): Promise<RegExpExecArray> {
  return new Promise((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on("line", (line) => {
        lines.push(line);
        const match = /^ready (?<url>http:\S+) (?<key>\S+)$/.exec(line);
        if (match !== null) resolve(match);
      });
    }
  });
}

/** The process and everything below it, by the table of `ps`. */
function descendants(id: number): number[] {
  const table = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" }).trim().split("\n");
  const pairs = table.map((row) => row.trim().split(/\s+/).map(Number));
  const below = (parent: number): number[] =>
    pairs.filter(([, its]) => its === parent).flatMap(([child = 0]) => [child, ...below(child)]);
  return [id, ...below(id)];
}

function endProcess(id: number): void {
  try {
    process.kill(id, "SIGKILL");
  } catch {
    // It ended by itself.
  }
}
