// Shows that each room and house rule can fail, on made-up files.
// It must never read the real tree: test/rooms.test.ts does that.
import {
  barrelFiles,
  filesWithoutOpening,
  longFiles,
  longFunctions,
  registryAddresses,
  undocumentedExports,
  unpinnedVersions,
} from "./house-rules.ts";
import { forbiddenImports, importCycles, infrastructureImports } from "./import-rules.ts";
import { sourceOf } from "./source.ts";

describe("reading a file", () => {
  test.each([
    ["a value import", 'import { a } from "./b.ts";', "functions/edge/b.ts", false],
    [
      "a type import over several lines",
      'import type {\n  A,\n  B,\n} from "../domain/b.ts";',
      "functions/domain/b.ts",
      true,
    ],
    ["a re-export", 'export * from "./b.ts";', "functions/edge/b.ts", false],
    ["a dynamic import", 'const b = await import("./b.ts");', "functions/edge/b.ts", false],
    ["a bare import", 'import "./b.ts";', "functions/edge/b.ts", false],
    [
      "an import behind a template literal",
      `const x = \`$\{{ a: "}" }.a}\`;\nimport b from "./b.ts";`,
      "functions/edge/b.ts",
      false,
    ],
  ])("finds %s", (_title, text, target, typeOnly) => {
    expect(sourceOf("functions/edge/a.ts", text).imports).toEqual([{ target, own: true, typeOnly }]);
  });

  test.each([
    ["a comment", '// import { a } from "./b.ts";\n/* import "./c.ts" */'],
    ["a string", "const text = 'import { a } from \"./b.ts\"';"],
    ["a template literal", 'const text = `import { a } from "./b.ts"`;'],
    ["a string behind a regular expression with a quote", "const quote = /[\"']/;\nconst x = \"import './b.ts'\";"],
  ])("does not take %s for an import", (_title, text) => {
    expect(sourceOf("functions/edge/a.ts", text).imports).toEqual([]);
  });
});

describe("who may import whom", () => {
  test.each([
    ["functions/domain/money.ts", "node:crypto"],
    ["functions/flows/confirm.ts", "../domain/money.ts"],
    ["functions/flows/confirm.ts", "./idempotently.ts"],
    ["functions/adapters/spanner-ledger.ts", "@google-cloud/spanner"],
    ["functions/adapters/spanner-ledger.ts", "./spanner-rows.ts"],
    ["functions/edge/router.ts", "../flows/confirm.ts"],
    ["functions/payments-api.ts", "./adapters/spanner-ledger.ts"],
    ["infra/main.ts", "../functions/config.ts"],
    ["infra/stack.ts", "@cdktf/provider-google/lib/spanner-instance/index.js"],
    ["local/main.ts", "../functions/adapters/memory/ledger.ts"],
    ["test/local/main.test.ts", "../../local/main.ts"],
    ["test/scripts/build.test.ts", "../../scripts/build.ts"],
  ])("%s may import %s", (file, specifier) => {
    expect(forbiddenImports([sourceOf(file, `import { a } from "${specifier}";`)])).toEqual([]);
  });

  test.each([
    ["functions/domain/money.ts", "node:fs"],
    ["functions/domain/money.ts", "../flows/ports.ts"],
    ["functions/flows/confirm.ts", "./capture.ts"],
    ["functions/flows/confirm.ts", "../adapters/spanner-ledger.ts"],
    ["functions/flows/confirm.ts", "node:crypto"],
    ["functions/adapters/spanner-ledger.ts", "../flows/ports.ts"],
    ["functions/adapters/spanner-ledger.ts", "@google-cloud/firestore"],
    ["functions/adapters/spanner-ledger.ts", "./firestore-cache.ts"],
    ["functions/adapters/memory/ledger.ts", "@google-cloud/spanner"],
    ["functions/edge/router.ts", "../adapters/spanner-ledger.ts"],
    ["functions/edge/serialize.ts", "stripe"],
    ["functions/payments-api.ts", "./domain/money.ts"],
    ["functions/config.ts", "./adapters/spanner-ledger.ts"],
    ["infra/main.ts", "../functions/payments-api.ts"],
    ["local/main.ts", "../scripts/build.ts"],
    ["local/main.ts", "cdktf"],
    ["scripts/demo.ts", "../local/main.ts"],
    ["test/flows/confirm.test.ts", "../../local/main.ts"],
    ["elsewhere/file.ts", "node:fs"],
  ])("%s must not import %s", (file, specifier) => {
    expect(forbiddenImports([sourceOf(file, `import { a } from "${specifier}";`)])).toHaveLength(1);
  });

  test("adapters may import the types of the ports", () => {
    const source = sourceOf(
      "functions/adapters/acquirer.ts",
      'import type { Acquirer } from "../flows/acquirer-ports.ts";',
    );
    expect(forbiddenImports([source])).toEqual([]);
  });

  test("CDKTF outside infra is named", () => {
    const source = sourceOf("functions/edge/a.ts", 'import { App } from "cdktf";');
    expect(infrastructureImports([source])).toEqual(["functions/edge/a.ts imports cdktf"]);
  });

  test("a cycle of type imports is found and shown whole", () => {
    const cycle = [
      sourceOf("functions/domain/a.ts", 'import type { B } from "./b.ts";'),
      sourceOf("functions/domain/b.ts", 'import type { A } from "./a.ts";'),
      sourceOf("functions/domain/c.ts", 'import type { A } from "./a.ts";'),
    ];
    expect(importCycles(cycle)).toEqual(["functions/domain/a.ts -> functions/domain/b.ts -> functions/domain/a.ts"]);
  });
});

describe("house rules", () => {
  test("a file that only re-exports is a barrel, one that also defines something is not", () => {
    const barrel = sourceOf(
      "functions/domain/all.ts",
      '// All.\nexport * from "./a.ts";\nexport type { B } from "./b.ts";\n',
    );
    const indirect = sourceOf("functions/domain/b.ts", 'import { a } from "./a.ts";\nexport { a };\n');
    const useful = sourceOf("functions/domain/c.ts", 'export { a } from "./a.ts";\nexport const c = 1;\n');
    expect(barrelFiles([barrel, indirect, useful])).toEqual(["functions/domain/all.ts", "functions/domain/b.ts"]);
  });

  test.each([
    ["functions/flows/long.ts", 250],
    ["functions/payments-api.ts", 60],
    ["test/flows/long.test.ts", 300],
  ])("%s may have %i lines and not one more", (file, limit) => {
    expect(longFiles([sourceOf(file, "a;\n".repeat(limit))])).toEqual([]);
    expect(longFiles([sourceOf(file, "a;\n".repeat(limit + 1))])).toHaveLength(1);
  });

  test("a function may have 70 lines and not one more", () => {
    const functionOf = (lines: number) => `export async function story() {\n${"  a;\n".repeat(lines - 2)}}\n`;
    expect(longFunctions([sourceOf("functions/flows/a.ts", functionOf(70))])).toEqual([]);
    expect(longFunctions([sourceOf("functions/flows/a.ts", functionOf(71))])).toHaveLength(1);
    expect(longFunctions([sourceOf("test/contracts/a.ts", functionOf(71))])).toEqual([]);
  });

  test("an export of functions needs a docstring directly above", () => {
    const text =
      "/** Documented. */\nexport const a = 1;\n\nexport type B = string;\n// A plain comment.\nexport function c() {}\nexport function c(d) {}\n";
    expect(undocumentedExports([sourceOf("functions/domain/a.ts", text)])).toEqual([
      "functions/domain/a.ts: B",
      "functions/domain/a.ts: c",
    ]);
  });

  test("a file must open with a comment that also says what it never does", () => {
    const good = sourceOf("functions/domain/a.ts", "// What it is for.\n// It must never do this.\n");
    const bare = sourceOf("functions/domain/b.ts", 'import { a } from "./a.ts";\n');
    const half = sourceOf("functions/domain/c.ts", "// What it is for.\nexport const c = 1;\n");
    const test = sourceOf("test/domain/a.test.ts", "// What it shows.\n");
    expect(filesWithoutOpening([good, bare, half, test])).toEqual(["functions/domain/b.ts", "functions/domain/c.ts"]);
  });

  test.each(["^1.2.3", "~1.2.3", "1.2", "latest", "*", "npm:other@^1.0.0", "https://example.com/a.tgz"])(
    "the version %s is not a pin",
    (version) => {
      expect(unpinnedVersions({ dependencies: { exact: "1.2.3", other: "npm:@a/b@1.2.3", loose: version } })).toEqual([
        `dependencies: loose ${version}`,
      ]);
    },
  );

  test("a download address in the lockfile is shown", () => {
    const line = '"resolved": "https://packages.example.com/a.tgz",';
    expect(registryAddresses(`{\n${line}\n"url": "https://example.com/fund"\n}`)).toEqual([line]);
  });
});
