// Synthesizes a stage with built functions in it, in this process and afresh.
// It must never leave its folder behind; whoever needs no zips reads `synthesized.ts`, which is much cheaper.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { paymentsApp } from "../../infra/payments-app.ts";
import { readSettings } from "../../infra/settings.ts";
import { readPlan, type SynthesizedPlan } from "./synthesized.ts";

/** The stage that the variables describe; `sourcesFolder` holds the built functions, if any. */
export function synthesizedBuilt(
  variables: Readonly<Record<string, string>>,
  sourcesFolder: string | null,
): SynthesizedPlan {
  const outdir = mkdtempSync(path.join(tmpdir(), "stacks-"));
  try {
    paymentsApp(readSettings(variables, sourcesFolder), outdir).synth();
    return readPlan(outdir);
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}
