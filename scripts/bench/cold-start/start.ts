// Starts a function's process and takes the time until its first good answer.
// It must never leave the process behind, nor count an answer that is not the one that was asked for.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { frameworkPackage } from "../../build/bundle.ts";

/** What one start took. */
export type Start = {
  /** From the start of the process to the first good answer. */
  readonly answeredMs: number;
  /** CPU time of the process until then; not a number where the system does not tell. */
  readonly cpuMs: number;
  /** Resident memory then, in bytes; likewise. */
  readonly memoryBytes: number;
};

/** Longest start that is waited for. */
const startMsMax = 20_000;
/** Between two tries to connect: short, because it is part of what is measured. */
const pollMs = 4;

/** Starts what lies in `folder`, asks until it answers 200, and ends it; `before` sees the process before it ends. */
export async function timeStart(
  folder: string,
  environment: Readonly<Record<string, string>>,
  ask: (baseUrl: string) => Promise<Response>,
  before: (child: ChildProcess) => Promise<void> = async () => {},
): Promise<Start> {
  const port = await freePort();
  const began = performance.now();
  const child = spawn(process.execPath, [path.join("node_modules", frameworkPackage, "build/src/main.js")], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env["PATH"] ?? "",
      NODE_ENV: "production",
      FUNCTION_TARGET: "payments-api",
      FUNCTION_SIGNATURE_TYPE: "http",
      K_SERVICE: "payments-api",
      PORT: String(port),
      ...environment,
    },
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk));
  child.stderr.on("data", (chunk: Buffer) => (output += chunk));
  try {
    await answered(child, () => ask(`http://127.0.0.1:${port}`));
    const start = { answeredMs: performance.now() - began, ...spent(child.pid) };
    await before(child);
    return start;
  } catch (error) {
    throw new Error(`it did not start: ${output.slice(-8_000)}`, { cause: error });
  } finally {
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  }
}

/** Only a refused connection is asked again: an answer that is no 200 is a failure. */
async function answered(child: ChildProcess, ask: () => Promise<Response>): Promise<void> {
  const deadline = performance.now() + startMsMax;
  while (performance.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`it ended with code ${child.exitCode}`);
    const response = await ask().catch(() => undefined);
    if (response !== undefined) {
      const text = await response.text();
      if (response.status !== 200) throw new Error(`it answered ${response.status}: ${text.slice(0, 300)}`);
      return;
    }
    await pause(pollMs);
  }
  throw new Error(`no answer within ${startMsMax} ms`);
}

/** Linux tells by files, in hundredths of a second and in pages of 4 KiB. */
function spent(pid: number | undefined): { cpuMs: number; memoryBytes: number } {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /, "")
      .split(" ");
    const [user, system, pages] = [fields[11], fields[12], fields[21]].map(Number);
    return { cpuMs: ((user ?? 0) + (system ?? 0)) * 10, memoryBytes: (pages ?? 0) * 4_096 };
  } catch {
    return { cpuMs: Number.NaN, memoryBytes: Number.NaN };
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no free port");
  return address.port;
}
