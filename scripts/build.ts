// `npm run build`: one bundle per deployed function in dist/<name>/, and how big each is.
// It must never build a part of the functions: the stacks deploy them together.
import { readFileSync } from "node:fs";
import path from "node:path";
import type { Metafile } from "esbuild";
import { functionNames } from "../functions/config.ts";
import { bundleFunction } from "./build/bundle.ts";
import type { Lockfile } from "./build/lockfile.ts";
import { sizeLine } from "./build/report.ts";

const root = path.join(import.meta.dirname, "..");

/** A finished bundle: the folder that is deployed, and esbuild's list of what went in. */
export type Built = { name: string; folder: string; metafile: Metafile };

/** Builds every function of functions/config.ts; rejects with all messages of esbuild if one cannot be bundled. */
export async function buildFunctions(): Promise<Built[]> {
  const lockfile = JSON.parse(readFileSync(path.join(root, "package-lock.json"), "utf8")) as Lockfile;
  return Promise.all(
    functionNames.map(async (name) => {
      const folder = path.join(root, "dist", name);
      const entry = path.join(root, "functions", `${name}.ts`);
      return { name, folder, metafile: await bundleFunction({ name, entry, out: folder, lockfile }) };
    }),
  );
}

if (process.argv[1] === import.meta.filename) {
  for (const { name, folder, metafile } of await buildFunctions()) {
    console.log(sizeLine(name, folder, metafile));
  }
}
