// Looks into a finished bundle for what must not be deployed.
// It must never read the code itself: esbuild's list of inputs and imports is exact.
import { builtinModules } from "node:module";
import path from "node:path";
import type { Metafile } from "esbuild";
import { frameworkPackage } from "./bundle.ts";

/** Packages of infrastructure, tests and tools; a name also covers what begins with it and a dash (`jest-circus`). */
const forbiddenPackages = [
  "cdktf",
  "@cdktf",
  "constructs",
  "jest",
  "@jest",
  "stripe",
  "fast-check",
  "esbuild",
  "typescript",
];

/** Own folders that never run in the cloud. */
const forbiddenFolders = /^(?:\.\.\/)*(?:infra|local|scripts|test)\//;

/** Inputs of the bundle that belong to infrastructure, laptop, scripts or tests; empty when all is well. */
export function forbiddenInputs(metafile: Metafile): string[] {
  return Object.keys(metafile.inputs).filter((input) => {
    const owner = /.*node_modules\/(@[^/]+\/[^/]+|[^/]+)/.exec(input)?.[1];
    if (owner === undefined) return forbiddenFolders.test(input);
    const isOf = (name: string) => owner === name || owner.startsWith(`${name}/`) || owner.startsWith(`${name}-`);
    return forbiddenPackages.some(isOf);
  });
}

/** What the bundle imports at run time beside Node's own modules, the framework and its own files; empty when all is well. */
export function foreignImports(metafile: Metafile): string[] {
  const outside = Object.values(metafile.outputs).flatMap(({ imports }) => imports.filter(({ external }) => external));
  const own = Object.keys(metafile.outputs).map((file) => `./${path.basename(file)}`);
  const known = new Set([...builtinModules, frameworkPackage, ...own]);
  const foreign = outside.map((found) => found.path).filter((name) => !name.startsWith("node:") && !known.has(name));
  return [...new Set(foreign)];
}
