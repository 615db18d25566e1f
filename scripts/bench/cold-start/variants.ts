// The folders that the cold start compares: an empty handler, a function unbundled, bundled, and bundled with a code cache.
// It must never change what is deployed: `bundle` is exactly what scripts/build makes.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { build } from "esbuild";
import type { FunctionName } from "../../../functions/config.ts";
import { bundleFunction, frameworkPackage } from "../../build/bundle.ts";
import type { Lockfile } from "../../build/lockfile.ts";

/** One of them. */
export type Variant = "empty handler" | "unbundled" | "bundle" | "bundle with code cache";

/** Folders by variant, each with a `node_modules` that holds what it may import; `remove` deletes them. */
export type Variants = { readonly folders: ReadonlyMap<Variant, string>; remove(): void };

const root = path.join(import.meta.dirname, "..", "..", "..");

/** Makes the folders of a function. The code cache is empty until a process is told to write it (SIGUSR2). */
export async function makeVariants(name: FunctionName): Promise<Variants> {
  const place = mkdtempSync(path.join(tmpdir(), "cold-start-"));
  const folder = (variant: string) => path.join(place, variant);
  makeEmpty(name, folder("empty"));
  await makeUnbundled(name, folder("unbundled"));
  const lockfile = JSON.parse(readFileSync(path.join(root, "package-lock.json"), "utf8")) as Lockfile;
  await bundleFunction({ name, entry: entryOf(name), out: folder("bundle"), lockfile });
  makeCached(folder("cached"), folder("bundle"));
  for (const variant of ["empty", "bundle", "cached"]) linkFramework(folder(variant));
  return {
    folders: new Map<Variant, string>([
      ["empty handler", folder("empty")],
      ["unbundled", folder("unbundled")],
      ["bundle", folder("bundle")],
      ["bundle with code cache", folder("cached")],
    ]),
    remove: () => rmSync(place, { recursive: true, force: true }),
  };
}

function entryOf(name: FunctionName): string {
  return path.join(root, "functions", `${name}.ts`);
}

/** The least that a function can be: what no code of ours is in. */
function makeEmpty(name: FunctionName, folder: string): void {
  mkdirSync(folder, { recursive: true });
  writePackage(name, folder);
  const code = `require("${frameworkPackage}").http("${name}", (_request, response) => void response.json({}));\n`;
  writeFileSync(path.join(folder, "index.js"), code);
}

/** Own code as one file, because Node would spend time on removing its types; every package from node_modules, as npm put it. */
async function makeUnbundled(name: FunctionName, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  writePackage(name, folder);
  symlinkSync(path.join(root, "node_modules"), path.join(folder, "node_modules"));
  await build({
    entryPoints: [entryOf(name)],
    outfile: path.join(folder, "index.js"),
    ...{ bundle: true, packages: "external", platform: "node", target: "node24", format: "cjs", logLevel: "silent" },
  });
}

/** The same files, each loaded through a cache of its compiled code. */
function makeCached(folder: string, bundle: string): void {
  cpSync(bundle, folder, { recursive: true });
  cpSync(path.join(folder, "index.js"), path.join(folder, "function.js"));
  cpSync(path.join(import.meta.dirname, "code-cache.cjs"), path.join(folder, "index.js"));
}

function linkFramework(folder: string): void {
  const link = path.join(folder, "node_modules", frameworkPackage);
  mkdirSync(path.dirname(link), { recursive: true });
  symlinkSync(path.join(root, "node_modules", frameworkPackage), link);
}

function writePackage(name: FunctionName, folder: string): void {
  const content = { name, version: "0.0.0", private: true, type: "commonjs", main: "index.js" };
  writeFileSync(path.join(folder, "package.json"), JSON.stringify(content));
}
