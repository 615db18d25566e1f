// An esbuild plugin made of a list of edits to files of npm packages, one edit per file.
// It must never pass over an edit in silence: a file or a pattern that is gone after an upgrade stops the build.
import { readFileSync } from "node:fs";
import path from "node:path";
import type { Metafile, Plugin } from "esbuild";

/** One edit: `file` is a path inside the npm package `of`; `edit` gets its text and gives the text to bundle. */
export type Patch = { of: string; file: string; edit: (source: string, folder: string) => string };

/**
 * Applies the patches while esbuild reads the files. It fails the build when a package is in the bundle but one of its
 * patched files is not: then the package was rearranged, and somebody has to look again.
 */
export function patchPlugin(name: string, patches: readonly Patch[]): Plugin {
  return {
    name,
    setup(build) {
      const applied = new Set<Patch>();
      build.onStart(() => applied.clear());
      for (const patch of patches) {
        build.onLoad({ filter: endingOf(patch) }, ({ path: file }) => {
          applied.add(patch);
          const contents = patch.edit(readFileSync(file, "utf8"), path.dirname(file));
          return { contents, loader: file.endsWith(".json") ? "json" : "js", resolveDir: path.dirname(file) };
        });
      }
      build.onEnd(({ metafile }) => {
        const missed = patches.filter((patch) => !applied.has(patch) && bundles(metafile, patch.of));
        return { errors: missed.map(({ of, file }) => ({ text: `${name}: ${of} has no ${file} any more` })) };
      });
    },
  };
}

/** The source with the one occurrence of `pattern` replaced; an error if it occurs never or more than once. */
export function replaceOnce(source: string, pattern: string, replacement: string): string {
  const parts = source.split(pattern);
  if (parts.length !== 2) throw new Error(`expected once, found ${parts.length - 1} times: ${pattern}`);
  return parts.join(replacement);
}

function endingOf(patch: Patch): RegExp {
  const escaped = `node_modules/${patch.of}/${patch.file}`.replace(/[.\\^$*+?()[\]{}|]/g, "\\$&");
  return new RegExp(`${escaped.replaceAll("/", "[\\\\/]")}$`);
}

function bundles(metafile: Metafile | undefined, name: string): boolean {
  return Object.keys(metafile?.inputs ?? {}).some((input) => input.includes(`node_modules/${name}/`));
}
