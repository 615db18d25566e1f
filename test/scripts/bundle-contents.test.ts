// Shows what the look into a finished bundle finds.
// It must never depend on a real bundle: esbuild's list is made up here.
import { forbiddenInputs, foreignImports } from "../../scripts/build/bundle-contents.ts";

type Metafile = Parameters<typeof forbiddenInputs>[0];

function metafile(inputs: readonly string[], imports: readonly string[] = []): Metafile {
  const external = imports.map((path) => ({ path, kind: "require-call" as const, external: true }));
  return {
    inputs: Object.fromEntries(inputs.map((input) => [input, { bytes: 1, imports: [] }])),
    outputs: { "index.js": { bytes: 1, inputs: {}, imports: external, exports: [] } },
  };
}

describe("what must not be deployed", () => {
  test.each([
    "node_modules/cdktf/lib/app.js",
    "node_modules/@cdktf/provider-google/lib/index.js",
    "node_modules/jest-circus/build/index.js",
    "node_modules/stripe/cjs/stripe.cjs.node.js",
    "node_modules/a/node_modules/constructs/lib/index.js",
    "infra/settings.ts",
    "test/setup.ts",
    "local/main.ts",
  ])("%s is found", (input) => {
    expect(forbiddenInputs(metafile(["functions/config.ts", input]))).toEqual([input]);
  });

  test("functions, their clients and names that only look alike are allowed", () => {
    const allowed = [
      "functions/payments-api.ts",
      "node_modules/@google-cloud/spanner/build/src/index.js",
      "node_modules/jester/index.js",
      "node_modules/@google-cloud/spanner/test/data.js",
    ];
    expect(forbiddenInputs(metafile(allowed))).toEqual([]);
  });

  test("a file of the bundle itself is no stranger, and one that is not there is", () => {
    expect(foreignImports(metafile([], ["./index.js", "./payments-service.js"]))).toEqual(["./payments-service.js"]);
  });

  test("a package that would have to be installed beside the framework is found", () => {
    const imports = ["node:crypto", "fs", "fs/promises", "@google-cloud/functions-framework", "google-gax"];
    expect(foreignImports(metafile([], imports))).toEqual(["google-gax"]);
  });
});
