// Shows that edits to npm packages never fail in silence.
// It must never bundle the real clients: scripts/check-bundle.ts does that.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { build } from "esbuild";
import { lateFiles } from "../../scripts/build/late-files.ts";
import { type Patch, patchPlugin, replaceOnce } from "../../scripts/build/patch.ts";

let place = "";

beforeEach(() => {
  place = mkdtempSync(path.join(tmpdir(), "patch-"));
  mkdirSync(path.join(place, "node_modules/client/lib"), { recursive: true });
  writeFileSync(path.join(place, "node_modules/client/index.js"), 'exports.where = require("./lib/where.js");');
  writeFileSync(path.join(place, "node_modules/client/lib/where.js"), 'module.exports = "on disk";');
  writeFileSync(path.join(place, "entry.js"), 'console.log(require("client").where);');
});

afterEach(() => rmSync(place, { recursive: true, force: true }));

async function bundle(patches: readonly Patch[]): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [path.join(place, "entry.js")],
    bundle: true,
    platform: "node",
    write: false,
    metafile: true,
    logLevel: "silent",
    plugins: [patchPlugin("example", patches)],
  });
  return outputFiles[0]?.text ?? "";
}

describe("patching a package while it is bundled", () => {
  test("the edited text goes into the bundle", async () => {
    const patch: Patch = { of: "client", file: "lib/where.js", edit: (source) => replaceOnce(source, "disk", "board") };
    const code = await bundle([patch]);
    expect(code).toContain("on board");
    expect(code).not.toContain("on disk");
  });

  test("a pattern that is gone stops the build and names the pattern", async () => {
    const patch: Patch = {
      of: "client",
      file: "lib/where.js",
      edit: (source) => replaceOnce(source, "moved", "board"),
    };
    await expect(bundle([patch])).rejects.toThrow("expected once, found 0 times: moved");
  });

  test("a file that is gone stops the build and names the file", async () => {
    const patch: Patch = { of: "client", file: "lib/renamed.js", edit: (source) => source };
    await expect(bundle([patch])).rejects.toThrow("example: client has no lib/renamed.js any more");
  });

  test("a package that is not in the bundle needs no patch", async () => {
    const patch: Patch = { of: "another-client", file: "lib/where.js", edit: () => "" };
    await expect(bundle([patch])).resolves.toContain("on disk");
  });

  test("a pattern that occurs twice is refused, because nobody can say which one was meant", () => {
    expect(() => replaceOnce("a b a", "a", "c")).toThrow("expected once, found 2 times: a");
  });
});

describe("a file of ours that is loaded late", () => {
  test("stays out of the bundle and is named, while a package that is loaded late stays in", async () => {
    writeFileSync(path.join(place, "late.ts"), 'export const late = "very late";');
    writeFileSync(
      path.join(place, "entry.js"),
      'export const open = () => [import("./late.ts"), import("client/lib/where.js")];',
    );
    const { plugin, files } = lateFiles();

    const { outputFiles } = await build({
      ...{ entryPoints: [path.join(place, "entry.js")], bundle: true, platform: "node", format: "cjs", write: false },
      ...{ supported: { "dynamic-import": false }, logLevel: "silent", plugins: [plugin] },
    });
    const code = outputFiles[0]?.text ?? "";

    expect([...files]).toEqual([["late", path.join(place, "late.ts")]]);
    expect(code).toContain('require("./late.js")');
    expect(code).not.toContain("very late");
    expect(code).toContain("on disk");
  });
});
