// Builds the functions' bundles, as they are deployed.
// It must never run a bundle of yesterday's code: every start builds, which takes two seconds.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";

/** Builds all of them into `dist/`; rejects with the builder's own words. */
export async function buildBundles(): Promise<void> {
  const child = spawn(process.execPath, [join(ROOT, "scripts", "build.ts")], { stdio: ["ignore", "ignore", "pipe"] });
  const [complaint, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
  if (code !== 0) throw new Error(`the functions cannot be built:\n${complaint}`);
}

/** The folder of one function's bundle. */
export function bundleFolder(name: string): string {
  return join(ROOT, "dist", name);
}

const ROOT = join(import.meta.dirname, "..");
