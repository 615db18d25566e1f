// Starts one bundle the way the cloud does: functions-framework, production settings, nothing else to import.
// It must never let the bundle see the project's node_modules, or a forgotten dependency would only fail in the cloud.
import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import { frameworkPackage } from "./bundle.ts";

/** A running function. `stop` sends SIGTERM and gives how it ended and after how many milliseconds. */
export type StartedBundle = {
  baseUrl: string;
  /** From the start of the process to its first answer to `GET /health`, in milliseconds. */
  coldStartMs: number;
  /** What the process has written so far. */
  output: () => string;
  stop: () => Promise<{ code: number | null; signal: NodeJS.Signals | null; stopMs: number }>;
  /** Ends the process at once, as a failing machine does; `stop` must follow, it waits for the end and removes the folder. */
  kill: () => void;
};

/** Cloud Run's default start-up probe would wait longer, but a start that takes this long here is broken. */
const startMsMax = 15_000;
/** Between two tries to connect: short, because it is part of the measured cold start. */
const pollMs = 5;
/** Cloud Run sends SIGKILL 10 s after SIGTERM. */
const graceMs = 10_000;

/** Starts the bundle in `folder` as function `name`; rejects with its output when it does not come up. */
export async function startBundle(bundle: {
  name: string;
  folder: string;
  environment: Record<string, string>;
}): Promise<StartedBundle> {
  const place = copyAlone(bundle.folder);
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const began = performance.now();
  const child = spawn(process.execPath, [path.join("node_modules", frameworkPackage, "build/src/main.js")], {
    cwd: place,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env["PATH"] ?? "",
      NODE_ENV: "production",
      FUNCTION_TARGET: bundle.name,
      FUNCTION_SIGNATURE_TYPE: "http",
      K_SERVICE: bundle.name,
      PORT: String(port),
      ...bundle.environment,
    },
  });
  const output = collect(child);
  const stop = () => end(child, place);
  try {
    await answered(child, `${baseUrl}/health`);
  } catch (error) {
    await stop();
    throw new Error(`${bundle.name} did not start: ${output()}`, { cause: error });
  }
  return { baseUrl, coldStartMs: performance.now() - began, output, stop, kill: () => void child.kill("SIGKILL") };
}

/** A new folder with the bundle and a link to the framework; the framework finds its own dependencies from its true place. */
function copyAlone(folder: string): string {
  const place = mkdtempSync(path.join(tmpdir(), "bundle-"));
  cpSync(folder, place, { recursive: true });
  const link = path.join(place, "node_modules", frameworkPackage);
  mkdirSync(path.dirname(link), { recursive: true });
  symlinkSync(path.join(import.meta.dirname, "..", "..", "node_modules", frameworkPackage), link);
  return place;
}

async function answered(child: ChildProcess, url: string): Promise<void> {
  const deadline = performance.now() + startMsMax;
  while (performance.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`it ended with code ${child.exitCode}`);
    const response = await fetch(url).catch(() => undefined);
    if (response !== undefined) {
      await response.arrayBuffer();
      return;
    }
    await pause(pollMs);
  }
  throw new Error(`no answer within ${startMsMax} ms`);
}

async function end(child: ChildProcess, place: string) {
  const began = performance.now();
  if (child.exitCode === null && child.signalCode === null) {
    const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    child.kill("SIGTERM");
    const kill = setTimeout(() => child.kill("SIGKILL"), graceMs);
    await exited;
    clearTimeout(kill);
  }
  rmSync(place, { recursive: true, force: true });
  return { code: child.exitCode, signal: child.signalCode, stopMs: performance.now() - began };
}

function collect(child: ChildProcess): () => string {
  let text = "";
  child.stdout?.on("data", (chunk: Buffer) => (text += chunk));
  child.stderr?.on("data", (chunk: Buffer) => (text += chunk));
  return () => text;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no free port");
  return address.port;
}
