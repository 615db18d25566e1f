// Says how big each bundle is and what is inside.
// It must never judge: limits live in scripts/check-bundle.ts.
import { readFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import type { Metafile } from "esbuild";

/** How many packages a line of the report names: the rest is below two per cent each. */
const packagesShown = 4;

/** One line: name, bytes, bytes after gzip, and the largest packages with their share of the bundle in `folder`. */
export function sizeLine(name: string, folder: string, metafile: Metafile): string {
  const files = Object.keys(metafile.outputs).map((output) => path.join(folder, path.basename(output)));
  const code = Buffer.concat(files.map((file) => readFileSync(file)));
  const largest = bytesByPackage(metafile)
    .slice(0, packagesShown)
    .map(([owner, bytes]) => `${owner} ${Math.round((100 * bytes) / code.length)}%`);
  const sizes = `${code.length.toLocaleString("en")} bytes, ${gzipSync(code).length.toLocaleString("en")} gzip`;
  return `${name}: ${sizes}; ${largest.join(", ")}`;
}

function bytesByPackage(metafile: Metafile): [string, number][] {
  const sums = new Map<string, number>();
  for (const output of Object.values(metafile.outputs)) {
    for (const [input, { bytesInOutput }] of Object.entries(output.inputs)) {
      const owner = ownerOf(input);
      sums.set(owner, (sums.get(owner) ?? 0) + bytesInOutput);
    }
  }
  return [...sums].sort(([, left], [, right]) => right - left);
}

function ownerOf(input: string): string {
  return /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1] ?? "own code";
}
