// The recipes of the fork guide, applied to a copy of this project as they stand, with the commands under them.
// It must never change this checkout.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const root = path.join(import.meta.dirname, "..", "..");
const guide = readFileSync(path.join(root, "docs/fork-guide.md"), "utf8");
const recipes = guide.split(/^## /m).slice(1);

/** Types, a few tests and a synthesis take seconds each on a quiet machine. */
const recipeMs = 180_000;

let copy: string;
beforeAll(() => {
  copy = mkdtempSync(path.join(tmpdir(), "fork-"));
  // What git knows and what is new but not ignored: neither builds nor installed packages.
  const listed = execFileSync("git", ["ls-files", "-z", "-c", "-o", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
  });
  for (const file of new Set(listed.split("\0").filter((name) => name !== "" && name !== "node_modules"))) {
    mkdirSync(path.join(copy, path.dirname(file)), { recursive: true });
    cpSync(path.join(root, file), path.join(copy, file));
  }
  symlinkSync(path.join(root, "node_modules"), path.join(copy, "node_modules"));
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

const blocksOf = (recipe: string) =>
  [...recipe.matchAll(/^```(ts file=(\S+)|diff|sh recipe)\n(.*?)^```$/gms)].map(
    ([, tag = "", file = "", code = ""]) => ({
      ...{ tag: tag.split(" file=")[0], file, code },
    }),
  );

/** In the copy, as a reader types it there. */
const run = (program: string, args: string[], input = "") =>
  execFileSync(program, args, { cwd: copy, input, stdio: "pipe", env: { ...process.env, SUITE: "embedded" } });

/** The recipes stand beside each other in one copy, so what they all end with is done once for all: types, and their tests. */
const tested = new Set<string>();

test.each(recipes.map((recipe) => [recipe.split("\n")[0] ?? "", recipe]))(
  "%s: applies as it stands, and its commands go through",
  (_title, recipe) => {
    const blocks = blocksOf(recipe);
    for (const { tag, file, code } of blocks) {
      if (tag === "ts") {
        mkdirSync(path.join(copy, path.dirname(file)), { recursive: true });
        writeFileSync(path.join(copy, file), code);
      } else if (tag === "diff") run("git", ["apply", "--unidiff-zero", "-"], code);
      else {
        const commands = code.trimEnd().split("\n");
        expect(commands[0]).toBe("npm run -s types");
        for (const command of commands.slice(1)) {
          const files = /^npm test -- (.*)$/.exec(command)?.[1];
          if (files === undefined) run("bash", ["-e", "-c", command]);
          else for (const file of files.split(" ")) tested.add(file);
        }
      }
    }
    expect(blocks.filter(({ tag }) => tag === "sh recipe")).toHaveLength(1);
    expect(blocks.length).toBeGreaterThan(1);
  },
  recipeMs,
);

test(
  "all of them together have sound types, keep the rooms, and pass their own tests",
  () => {
    run("npm", ["run", "-s", "types"]);
    run("npm", ["test", "--", ...tested]);

    expect(tested.size).toBeGreaterThanOrEqual(4);
  },
  recipeMs,
);
