// `npm run simulate:mutants`: for each invariant a fault of the product that this invariant notices, and no other one.
// It must never change the tree that it stands in: faults are put into a copy of what the simulation loads.
import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { invariants } from "./invariants.ts";

const run = promisify(execFile);

/** One deliberate fault. */
interface Mutant {
  readonly invariant: string;
  /** What the product does wrong with it, in one clause. */
  readonly fault: string;
  /** Each text stands in its file exactly once. */
  readonly edits: readonly { readonly file: string; readonly find: string; readonly replace: string }[];
}

/** Seeds of each run: enough for every fault to show, and for no second invariant to be missed by luck. */
const seeds = 40;

const root = path.join(import.meta.dirname, "..", "..");
const all = JSON.parse(readFileSync(path.join(import.meta.dirname, "mutants.json"), "utf8")) as readonly Mutant[];
const asked = process.argv.slice(2);
const chosen = all.filter(({ invariant }) => asked.length === 0 || asked.includes(invariant));
const without = Object.keys(invariants).filter((name) => !all.some(({ invariant }) => invariant === name));
for (const name of without) console.log(`MISSING   ${name} has no mutant`);

let survived = without.length;
for (const mutant of chosen) {
  const names = await violatedBy(mutant);
  const isKilled = names.length === 1 && names[0] === mutant.invariant;
  if (!isKilled) survived += 1;
  console.log(`${isKilled ? "killed   " : "NOT SO   "} ${mutant.invariant}: ${mutant.fault}`);
  if (!isKilled) console.log(`          noticed by: ${names.join(", ") || "nobody"}`);
}
console.log(`${chosen.length} mutants, ${chosen.length + without.length - survived} noticed by their invariant alone`);
process.exitCode = survived === 0 ? 0 : 1;

/** Names of the invariants that notice a fault. */
async function violatedBy({ edits }: Mutant): Promise<readonly string[]> {
  const tree = mkdtempSync(path.join(tmpdir(), "simulated-fault-"));
  try {
    for (const folder of ["functions", "test/simulation"]) {
      cpSync(path.join(root, folder), path.join(tree, folder), { recursive: true });
    }
    cpSync(path.join(root, "package.json"), path.join(tree, "package.json"));
    symlinkSync(path.join(root, "node_modules"), path.join(tree, "node_modules"));
    for (const { file, find, replace } of edits) {
      const place = path.join(tree, file);
      const sound = readFileSync(place, "utf8");
      if (sound.split(find).length !== 2) throw new Error(`${file} does not hold this exactly once: ${find}`);
      writeFileSync(
        place,
        sound.replace(find, () => replace),
      );
    }
    return lastLineOf(await told(tree));
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
}

async function told(tree: string): Promise<string> {
  const main = ["test/simulation/main.ts", "--seeds", String(seeds), "--keep-going"];
  try {
    return (await run(process.execPath, main, { cwd: tree, maxBuffer: 2 ** 27 })).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    if (stdout?.includes("violated:")) return stdout;
    throw new Error(`The simulation did not come to its end: ${stderr ?? String(error)}`);
  }
}

function lastLineOf(text: string): readonly string[] {
  const names = /^violated: (.*)$/.exec(text.trimEnd().split("\n").at(-1) ?? "")?.[1];
  return names === undefined ? [] : names.split(" ");
}
