// Bundles one function into minified CommonJS, one file and one more for what it loads late, next to the package.json and lockfile it is deployed with.
// It must never bundle functions-framework: a second copy would register the function where nobody looks.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { build, type Metafile } from "esbuild";
import { gcpPatches } from "./gcp.ts";
import { lateFiles } from "./late-files.ts";
import { type Lockfile, lockfileFor } from "./lockfile.ts";
import { patchPlugin } from "./patch.ts";
import { protoPatches } from "./proto.ts";
import { prunePatches } from "./prune.ts";
import { slimPatches } from "./slim.ts";

/** The server that Google's buildpack starts; it stays outside the bundle and in the deployed package.json. */
export const frameworkPackage = "@google-cloud/functions-framework";

/**
 * Writes `index.js`, a file for each own file that it loads late, `package.json` and `package-lock.json` into the folder
 * `out`, and gives esbuild's list of inputs of all of them. Any warning of esbuild fails the build: a file that is looked
 * for at run time is a crash in the cloud.
 */
export async function bundleFunction(bundle: {
  name: string;
  entry: string;
  out: string;
  lockfile: Lockfile;
}): Promise<Metafile> {
  rmSync(bundle.out, { recursive: true, force: true });
  mkdirSync(bundle.out, { recursive: true });
  const metafile: Metafile = { inputs: {}, outputs: {} };
  const waiting = new Map([["index", bundle.entry]]);
  // A Map also goes over what is added meanwhile, and over no name twice.
  for (const [name, entry] of waiting) {
    const made = await bundleFile(bundle.name, entry, path.join(bundle.out, `${name}.js`));
    Object.assign(metafile.inputs, made.metafile.inputs);
    Object.assign(metafile.outputs, made.metafile.outputs);
    for (const [late, file] of made.late) waiting.set(late, file);
  }
  const deployed = deployedPackage(bundle);
  writeJson(path.join(bundle.out, "package.json"), deployed);
  writeJson(path.join(bundle.out, "package-lock.json"), lockfileFor(deployed, bundle.lockfile));
  return metafile;
}

async function bundleFile(name: string, entry: string, outfile: string) {
  const { plugin, files: late } = lateFiles();
  const { metafile, warnings } = await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    minify: true,
    // The names of error classes stand in log lines.
    keepNames: true,
    platform: "node",
    target: "node24",
    format: "cjs",
    // Node's own `import()` of a CommonJS file takes a detour through its loader of ES modules.
    supported: { "dynamic-import": false },
    external: [frameworkPackage],
    metafile: true,
    logLevel: "silent",
    plugins: [
      plugin,
      patchPlugin("gcp", gcpPatches),
      patchPlugin("slim", slimPatches),
      patchPlugin("prune", prunePatches),
      patchPlugin("proto", protoPatches),
    ],
  });
  if (warnings.length > 0) throw new Error(warnings.map(({ text }) => `${name}: ${text}`).join("\n"));
  return { metafile, late };
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
