// The list of deliberate faults must fit the tree: each one's text stands once, and the test that must catch it is there.
// It must never run a mutant: `npm run mutants` does, and takes minutes.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { faultProblem, readMutants } from "../../scripts/mutants/list.ts";

const root = path.join(import.meta.dirname, "..", "..");
const mutants = readMutants(root);

describe("the deliberate faults of npm run mutants", () => {
  test("are at least thirty, each under a name of its own, in files of the product", () => {
    expect(mutants.length).toBeGreaterThanOrEqual(30);
    expect(new Set(mutants.map(({ id }) => id)).size).toBe(mutants.length);
    expect(mutants.filter(({ file }) => !file.startsWith("functions/"))).toEqual([]);
  });

  test("can all be put in: what each replaces stands exactly once in its file", () => {
    expect(mutants.flatMap((mutant) => faultProblem(root, mutant) ?? [])).toEqual([]);
  });

  test("can all be put in where the simulation's invariants must notice them", () => {
    const text = readFileSync(path.join(root, "test/simulation/mutants.json"), "utf8");
    const faults: { invariant: string; edits: { file: string; find: string; replace: string }[] }[] = JSON.parse(text);
    const edits = faults.flatMap(({ invariant: id, edits: all }) => all.map((edit) => ({ ...edit, id })));

    expect(edits.flatMap((edit) => faultProblem(root, edit) ?? [])).toEqual([]);
  });

  test("each name a test file that is there", () => {
    expect(mutants.filter(({ killedBy: { file } }) => !existsSync(path.join(root, file)))).toEqual([]);
  });

  test("are found missing when their text is not there, or twice", () => {
    const [mutant] = mutants;
    if (mutant === undefined) throw new Error("There is no mutant.");
    const text = readFileSync(path.join(root, mutant.file), "utf8");

    expect(faultProblem(root, { ...mutant, find: `${mutant.find} not` })).toContain("stands 0 times");
    expect(faultProblem(root, { ...mutant, find: text.slice(0, 1) })).toMatch(/stands \d+ times .* not once/);
    expect(faultProblem(root, { ...mutant, replace: mutant.find })).toContain("changes nothing");
  });
});
