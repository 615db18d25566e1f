/**
 * Synthesizes the stacks of one stage: `npm run synth`, the first step of `cdktf deploy`, and what the laptop reads.
 * It must never need a network, Terraform, or code that was built; SOURCES=none leaves the code out altogether,
 * and then takes stacks that the same sources made before; STACKS=afresh makes them again.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { functionNames } from "../functions/config.ts";
import { isDeploying } from "./deploy-guard.ts";
import { writeStacks } from "./remembered-stacks.ts";
import { isPlaceholder, NO_PROJECT, readSettings } from "./settings.ts";
import { withStageFile } from "./stage-file.ts";

const projectFolder = join(import.meta.dirname, "..");
const sourcesFolder = process.env["SOURCES"] === "none" ? null : join(projectFolder, "dist");
const settings = readSettings(withStageFile(process.env), sourcesFolder);

if (isPlaceholder(settings) && isDeploying()) {
  process.stderr.write(`deploy: ${NO_PROJECT}\n`);
  process.exit(1);
}

// The CLI of CDKTF names its output folder in this variable.
const outdir = process.env["CDKTF_OUTDIR"] ?? join(projectFolder, "cdktf.out");
if (sourcesFolder === null && process.env["STACKS"] !== "afresh") await writeStacks(settings, outdir);
else (await import("./payments-app.ts")).paymentsApp(settings, outdir).synth();

if (sourcesFolder !== null && !functionNames.every((name) => existsSync(join(sourcesFolder, name)))) {
  process.stderr.write("synth: the functions are not built, so there is nothing to upload; `npm run build` first.\n");
}
