/**
 * Stacks that were synthesized before, kept by everything that decides them: CDKTF needs two seconds of a core to load and
 * write what has not changed. It must never serve a deployment: stacks with code in them are always synthesized.
 */
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import process from "node:process";
import type { Settings } from "./settings.ts";

/**
 * Writes the stacks of a stage without its functions' zips to `outdir`: a copy, if there is one, else synthesized now and kept.
 * @throws Error with what a stack complains about
 */
export async function writeStacks(settings: Settings, outdir: string): Promise<void> {
  if (takeStacks(settings, outdir)) return;
  // Imported here, because loading CDKTF is half of what a copy saves.
  const { paymentsApp } = await import("./payments-app.ts");
  paymentsApp({ ...settings, sourcesFolder: null }, outdir).synth();
  keep(outdir, placeOf(settings));
}

/**
 * Copies to `outdir` what the same sources made of the same settings; false when they have not done so yet. The sources are
 * the files of `infra/` and `functions/` and the locked packages.
 */
export function takeStacks(settings: Settings, outdir: string): boolean {
  const kept = placeOf(settings);
  if (!existsSync(kept)) return false;
  cpSync(kept, outdir, { recursive: true });
  return true;
}

/** The working directory is part of it, because Terraform's state is kept there unless it has a bucket. */
function placeOf(settings: Settings): string {
  const asked = JSON.stringify([process.cwd(), { ...settings, sourcesFolder: null }]);
  return join(cacheFolder, sourcesDigest(), digestOf(asked));
}

/** Beside the compiled code that Node keeps; `npm ci` empties it. */
const cacheFolder = join(import.meta.dirname, "..", "node_modules", ".cache", "stacks");

/** By renaming, so that another process sees all of it or nothing; a folder that cannot be written to costs only the time. */
function keep(outdir: string, kept: string): void {
  let copy: string | undefined;
  try {
    mkdirSync(dirname(kept), { recursive: true });
    forgetOlderSources(dirname(kept));
    copy = mkdtempSync(`${kept}-`);
    for (const name of ["manifest.json", "stacks"]) cpSync(join(outdir, name), join(copy, name), { recursive: true });
    renameSync(copy, kept);
  } catch {
    // Another process kept the same, or nothing can be kept here.
    if (copy !== undefined) rmSync(copy, { recursive: true, force: true });
  }
}

/** Stacks of sources that were changed since are of no use; the newest are those of a checkout beside this one. */
function forgetOlderSources(current: string): void {
  const folders = readdirSync(cacheFolder).filter((name) => join(cacheFolder, name) !== current);
  if (folders.length < sourcesMax) return;
  for (const name of folders) rmSync(join(cacheFolder, name), { recursive: true, force: true });
}

/** A stage takes 0.7 MB and the tests know thirty. */
const sourcesMax = 8;

let digest: string | undefined;

/** Content of every file that a synthesis reads or imports, and the Node that runs it. */
function sourcesDigest(): string {
  digest ??= digestOf([process.version, lockFile(), ...["infra", "functions"].flatMap(contentsOf)].join("\0"));
  return digest;
}

function lockFile(): string {
  return readFileSync(join(projectFolder, "package-lock.json"), "utf8");
}

function contentsOf(name: string): string[] {
  const place = join(projectFolder, name);
  const files = readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return files.sort().flatMap((file) => [relative(projectFolder, file), readFileSync(file, "utf8")]);
}

const projectFolder = join(import.meta.dirname, "..");

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
