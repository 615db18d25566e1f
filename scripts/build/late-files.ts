// Puts what an entry of ours loads late, by `import("./file.ts")`, into a file of its own beside the bundle.
// It must never split off a package: two files would then hold the same client twice.
import path from "node:path";
import type { Plugin } from "esbuild";

/** Finds them: `files` has the path of each by the name that it gets, once the build has ended. */
export function lateFiles(): { plugin: Plugin; files: ReadonlyMap<string, string> } {
  const files = new Map<string, string>();
  const plugin: Plugin = {
    name: "late files",
    setup(build) {
      build.onResolve({ filter: /^\..*\.ts$/ }, ({ kind, path: asked, resolveDir, importer }) => {
        if (kind !== "dynamic-import" || importer.includes("node_modules")) return undefined;
        const name = path.basename(asked, ".ts");
        files.set(name, path.join(resolveDir, asked));
        return { path: `./${name}.js`, external: true };
      });
    },
  };
  return { plugin, files };
}
