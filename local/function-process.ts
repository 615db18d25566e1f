// One function's bundle under the Functions Framework, in a process of its own, as the cloud runs it.
// It must never listen beyond loopback, see this user's shell variables, or outlive the laptop.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { bundleFolder } from "./bundles.ts";

/** A started function. */
export type FunctionProcess = {
  /** Resolves when it answers its health path; rejects when it ends before, or stays silent. */
  ready: Promise<void>;
  /** Resolves with a sentence for people when it ends, whoever ended it. */
  ended: Promise<string>;
  /** Lets it finish what it works on, then ends it. */
  stop(): Promise<void>;
};

/** Starts the bundle in `dist/<name>`; its output goes to this terminal, and `onLine` hears each line that is JSON. */
export function startFunction(options: {
  name: string;
  port: number;
  inspect: boolean;
  environment: Record<string, string>;
  onLine: (line: Readonly<Record<string, unknown>>) => void;
}): FunctionProcess {
  const { name, port, inspect } = options;
  const inspector = inspect ? ["--inspect=127.0.0.1"] : [];
  const framework = ["--source", bundleFolder(name), "--target", name, "--port", String(port)];
  const child = spawn(process.execPath, [...inspector, "--import", GUARD, FRAMEWORK, ...framework], {
    // The channel tells the child when this process is gone, whatever ended it.
    stdio: ["ignore", "pipe", "inherit", "ipc"],
    env: {
      PATH: process.env["PATH"],
      // Only here: the cloud keeps no compiled code between two instances.
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
      ...{ NODE_ENV: "production", K_SERVICE: name, ...options.environment },
    },
  });
  createInterface({ input: child.stdout as Readable }).on("line", (line) => {
    process.stdout.write(`${line}\n`);
    const members = membersOf(line);
    if (members !== undefined) options.onLine(members);
  });
  const ended = once(child, "exit").then(([code, signal]) => `${name} ended (${signal ?? `code ${code}`})`);
  return { ready: untilHealthy(name, port, child), ended, stop: () => end(child) };
}

const GUARD = join(import.meta.dirname, "function-guard.ts");

/** The framework's program; its package names its files for `require` only. */
const FRAMEWORK = join(dirname(createRequire(import.meta.url).resolve("@google-cloud/functions-framework")), "main.js");

/** The Spanner client loads in a second on an idle machine; this is for a busy one, where all functions start at once. */
const READY_TIMEOUT_MS = 30_000;

/** Between two looks at a starting function. */
const POLL_MS = 50;

/** A function may take 9 s to end by itself; nobody waits that long for a laptop whose clients are gone. */
const GRACE_MS = 5_000;

/** Undefined for a line that is no JSON object, as some of the framework's are. */
function membersOf(line: string): Readonly<Record<string, unknown>> | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    return JSON.parse(line) as Readonly<Record<string, unknown>>;
  } catch {
    return undefined;
  }
}

async function untilHealthy(name: string, port: number, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (Date.now() < deadline) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`${name} ended before it answered`);
    const response = await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined);
    await response?.body?.cancel();
    if (response?.ok) return;
    await delay(POLL_MS);
  }
  throw new Error(`${name} did not answer within ${READY_TIMEOUT_MS} ms`);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  const kill = setTimeout(() => child.kill("SIGKILL"), GRACE_MS);
  await exited;
  clearTimeout(kill);
}
