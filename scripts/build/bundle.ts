// Bundles one function into one minified CommonJS file, next to the package.json and lockfile it is deployed with.
// It must never bundle functions-framework: a second copy would register the function where nobody looks.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { build, type Metafile } from "esbuild";
import { gcpPatches } from "./gcp.ts";
import { type Lockfile, lockfileFor } from "./lockfile.ts";
import { patchPlugin } from "./patch.ts";
import { prunePatches } from "./prune.ts";
import { slimPatches } from "./slim.ts";

/** The server that Google's buildpack starts; it stays outside the bundle and in the deployed package.json. */
export const frameworkPackage = "@google-cloud/functions-framework";

/**
 * Writes `index.js`, `package.json` and `package-lock.json` into the folder `out` and gives esbuild's list of inputs.
 * Any warning of esbuild fails the build: a file that is looked for at run time is a crash in the cloud.
 */
export async function bundleFunction(bundle: {
  name: string;
  entry: string;
  out: string;
  lockfile: Lockfile;
}): Promise<Metafile> {
  rmSync(bundle.out, { recursive: true, force: true });
  mkdirSync(bundle.out, { recursive: true });
  const { metafile, warnings } = await build({
    entryPoints: [bundle.entry],
    outfile: path.join(bundle.out, "index.js"),
    bundle: true,
    minify: true,
    // The names of error classes stand in log lines.
    keepNames: true,
    platform: "node",
    target: "node24",
    format: "cjs",
    external: [frameworkPackage],
    metafile: true,
    logLevel: "silent",
    plugins: [patchPlugin("gcp", gcpPatches), patchPlugin("slim", slimPatches), patchPlugin("prune", prunePatches)],
  });
  if (warnings.length > 0) throw new Error(warnings.map(({ text }) => `${bundle.name}: ${text}`).join("\n"));
  const deployed = deployedPackage(bundle);
  writeJson(path.join(bundle.out, "package.json"), deployed);
  writeJson(path.join(bundle.out, "package-lock.json"), lockfileFor(deployed, bundle.lockfile));
  return metafile;
}

function deployedPackage({ name, lockfile }: { name: string; lockfile: Lockfile }) {
  const version = lockfile.packages[`node_modules/${frameworkPackage}`]?.version;
  if (version === undefined) throw new Error(`package-lock.json has no ${frameworkPackage}`);
  return {
    name,
    version: "0.0.0",
    private: true,
    type: "commonjs",
    main: "index.js",
    engines: { node: "24" },
    dependencies: { [frameworkPackage]: version },
  };
}

function writeJson(file: string, content: object): void {
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
}
