// Writes a stage's stacks for a test: a copy of what was synthesized before, else by a process of its own.
// It must never load CDKTF into a test's process: Jest needs three seconds for it, in each test file again.
import { spawnSync } from "node:child_process";
import path from "node:path";
import process from "node:process";
import { takeStacks } from "../../infra/remembered-stacks.ts";
import { readSettings } from "../../infra/settings.ts";

/** The stage that the variables describe, without its functions' zips. @throws Error with what synthesis complains about. */
export function writtenStacks(variables: Readonly<Record<string, string>>, outdir: string): void {
  if (takeStacks(readSettings(variables, null), outdir)) return;
  const { status, stderr } = spawnSync(process.execPath, [main], {
    encoding: "utf8",
    env: {
      PATH: process.env["PATH"],
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
      ...{ ...variables, STAGE_FILE: "none", SOURCES: "none", CDKTF_OUTDIR: outdir },
    },
  });
  if (status !== 0) throw new Error(`the stacks cannot be synthesized:\n${stderr}`);
}

const main = path.join(import.meta.dirname, "../../infra/main.ts");
