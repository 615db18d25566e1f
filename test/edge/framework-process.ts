// Bundles the test's entry as a deployed function is bundled, and runs it under the real Functions Framework.
// It must never leave a process or a file behind: whoever starts one calls `end`, and files go with `removeBundles`.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import process from "node:process";
import { build, type Format } from "esbuild";
import { openConnection } from "./http-exchange.ts";

const root = path.join(import.meta.dirname, "../..");
/** Inside the project, so that the bundle finds the framework in node_modules. */
const bundles = path.join(root, `dist/test-edge-${process.pid}`);

/** One function under the framework. */
export interface FrameworkProcess {
  readonly port: number;
  readonly child: ChildProcess;
  /** Everything the entry sent so far. */
  readonly messages: readonly string[];
  /** What it wrote to standard error so far. */
  standardError(): string;
  /** Resolves when the entry has sent this. */
  received(message: string): Promise<void>;
  /** The exit code, once it ended. */
  readonly exited: Promise<number | null>;
  /** Ends it if it still runs. */
  end(): Promise<void>;
}

/** Starts the entry as a CommonJS or ESM bundle; `preload` modules are loaded with the entry. */
export async function startUnderFramework(
  format: Format,
  environment: Readonly<Record<string, string>> = {},
  preload: readonly string[] = [],
): Promise<FrameworkProcess> {
  const source = path.join(bundles, `${format}-${preload.length}.${format === "esm" ? "mjs" : "cjs"}`);
  await bundle(format, source, preload);
  const port = await freePort();
  const framework = path.join(root, "node_modules/@google-cloud/functions-framework/build/src/main.js");
  const child = spawn(process.execPath, [framework, `--source=${source}`, "--target=entry", `--port=${port}`], {
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    env: { ...process.env, NODE_ENV: "production", ...environment },
  });
  const started = watch(child, port);
  await untilListening(started);
  return started;
}

/** Removes what was bundled. */
export function removeBundles(): void {
  rmSync(bundles, { recursive: true, force: true });
}

async function bundle(format: Format, outfile: string, preload: readonly string[]): Promise<void> {
  await build({
    stdin: {
      contents: [...preload, "./framework-entry.ts"].map((name) => `import ${JSON.stringify(name)};`).join("\n"),
      resolveDir: import.meta.dirname,
    },
    outfile,
    format,
    bundle: true,
    minify: true,
    platform: "node",
    external: ["@google-cloud/*"],
  });
}

function watch(child: ChildProcess, port: number): FrameworkProcess {
  const messages: string[] = [];
  let standardError = "";
  child.stderr?.on("data", (chunk) => {
    standardError += String(chunk);
  });
  child.on("message", (message) => messages.push(String(message)));
  const exited = once(child, "exit").then(([code]) => code as number | null);
  return {
    port,
    child,
    messages,
    standardError: () => standardError,
    async received(message) {
      while (!messages.includes(message)) await once(child, "message");
    },
    exited,
    async end() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}

async function untilListening(started: FrameworkProcess): Promise<void> {
  let ended = false;
  void started.exited.then(() => {
    ended = true;
  });
  while (!(await isListening(started.port))) {
    if (ended) throw new Error(`the function ended before it listened: ${started.standardError()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** True when something accepts connections there. */
export async function isListening(port: number): Promise<boolean> {
  try {
    (await openConnection(port, "")).destroy();
    return true;
  } catch {
    return false;
  }
}

/** Resolves when nothing accepts connections there any more. */
export async function untilClosed(port: number): Promise<void> {
  while (await isListening(port)) await new Promise((resolve) => setTimeout(resolve, 5));
}
