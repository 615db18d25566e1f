// The pages tell only what is true: their commands run on a laptop that just started, and print what the page says.
// It must never skip a block silently: each has a tag, and each tag says what becomes of it.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { freePortFrom } from "../../local/listen.ts";
import { type Block, blocksOf, patternOf, root, runBlock, runnable, tags } from "./documents.ts";
import { type RunningLaptop, startLaptop } from "./running-laptop.ts";

const pages = [
  "README.md",
  "CONTRIBUTING.md",
  ...["docs", "docs/runbooks"].flatMap((folder) =>
    readdirSync(path.join(root, folder))
      .filter((name) => name.endsWith(".md"))
      .map((name) => `${folder}/${name}`),
  ),
];
const scripts: Record<string, string> = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")).scripts;

/** The two that `.ci/run` types itself, in a fresh clone; here they would install the very packages that run this test. */
const typedByCi = ["npm ci && npm start\n", "npm ci && npm test\n"];

const pageMs = 120_000;

describe("the pages", () => {
  test.each(pages)("%s has only blocks whose tag says what becomes of them", (page) => {
    const unknown = blocksOf(page).filter(({ tag }) => tags[tag] === undefined);

    expect(unknown.map(({ line, tag }) => `${page}:${line} ${tag}`)).toEqual([]);
  });

  test.each(pages)("%s has only commands that a shell understands and scripts that exist", (page) => {
    const typed = blocksOf(page).filter(({ tag }) => tag.startsWith("sh"));

    for (const { code } of typed) execFileSync("bash", ["-n"], { input: code });
    const named = typed.flatMap(({ code }) =>
      [...code.matchAll(/npm run (?:-s )?([a-z:-]+)/g)].map((found) => found[1] ?? ""),
    );
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
  });

  test("the commands that install are those that the CI run types in a fresh clone", () => {
    const ci = readFileSync(path.join(root, ".ci/run"), "utf8");

    expect(
      blocksOf("README.md")
        .filter(({ tag }) => tag === "sh")
        .slice(0, 2)
        .map(({ code }) => code),
    ).toEqual(typedByCi);
    expect(ci).toMatch(/^step install npm ci$/m);
    expect(ci).toMatch(/^step test .*npm test$/m);
  });
});

describe.each(pages.filter((page) => runnable(page).length > 0 && existsSync(path.join(root, page))))("%s", (page) => {
  let laptop: RunningLaptop;
  beforeAll(async () => {
    laptop = await startLaptop(["--port", String(await freePortFrom(undefined))], { EMULATORS: "none" });
  }, pageMs);
  afterAll(async () => await laptop.remove(), pageMs);

  test(
    "prints what it says, command by command",
    async () => {
      const port = new URL(laptop.baseUrl).port;
      const here = (text: string) =>
        text.replaceAll("4242,", `${port},`).replaceAll(":4242", `:${port}`).replaceAll("/tmp/", `${laptop.folder}/`);
      const there = (text: string) => text.replaceAll(`:${port}`, ":4242");
      for (const { block, printed } of runnable(page)) {
        const isTyped = typedByCi.includes(block.code);
        const output = isTyped
          ? await typed(block, laptop)
          : await runBlock({ ...block, code: here(block.code) }, { LAPTOP_FOLDER: laptop.folder, EMULATORS: "none" });
        const where = `${page}:${block.line}`;
        expect(`${where} ${/\nended with .*$/.exec(output)?.[0] ?? "ended well"}`).toBe(`${where} ended well`);
        if (printed !== null && output !== "") expect(`${there(output).trimEnd()}\n`).toMatch(patternOf(printed));
      }
    },
    pageMs,
  );
});

/** What the laptop of this test printed at its start; the run of all tests cannot be shown inside itself. */
async function typed({ code }: Block, { lines }: RunningLaptop): Promise<string> {
  return code.includes("npm start") ? `${lines.join("\n")}\n` : "";
}
