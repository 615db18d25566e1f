// `npm run mutants`: breaks the product on purpose, one deliberate fault at a time, and demands that the named test goes red.
// It must never change the tree that it stands in: faults are put into a copy, which is thrown away.

import path from "node:path";
import { parseArgs } from "node:util";
import { faultProblem, type Mutant, readMutants } from "./mutants/list.ts";
import { openWorkshop, type Run, type Workshop } from "./mutants/workshop.ts";

const USAGE = `npm run mutants [-- ID...]

  Copies the tree, checks that the tests named in test/proof/mutants.json are green, then puts each fault into the copy,
  runs the test that must catch it, and takes the fault out again. Minutes long. Exits with 0 when every mutant was
  killed, with 1 when one survived, and with 2 when a fault's text is not in its file exactly once or a test is not green
  without it. With ids it runs those alone.`;

/** The tree that this script is part of. */
const root = path.join(import.meta.dirname, "..");

async function main(args: string[]): Promise<number> {
  const mutants = chosen(args);
  if (mutants === undefined) return complain(USAGE, 2);
  const rotten = mutants.map((mutant) => faultProblem(root, mutant)).filter((problem) => problem !== undefined);
  if (rotten.length > 0) return complain(rotten.join("\n"), 2);
  const workshop = openWorkshop(root);
  try {
    const wrong = testProblems(workshop, mutants);
    if (wrong.length > 0) return complain(wrong.join("\n"), 2);
    return runAll(workshop, mutants);
  } finally {
    workshop.close();
  }
}

function chosen(args: string[]): readonly Mutant[] | undefined {
  const all = readMutants(root);
  try {
    const { positionals } = parseArgs({ args, allowPositionals: true });
    const picked = all.filter(({ id }) => positionals.length === 0 || positionals.includes(id));
    return picked.length === (positionals.length || all.length) ? picked : undefined;
  } catch {
    return undefined;
  }
}

/** A test that is red, or not there, without the fault would prove nothing: every file is run once as it is. */
function testProblems(workshop: Workshop, mutants: readonly Mutant[]): string[] {
  const files = [...new Set(mutants.map(({ killedBy }) => killedBy.file))].sort();
  return files.flatMap((file) => {
    const run = workshop.run(file);
    if (run.kind === "not_run") return [];
    if (run.kind === "broken") return [`${file} does not run without a fault: ${run.reason}`];
    const own = mutants.filter(({ killedBy }) => killedBy.file === file);
    return own.flatMap(({ id, killedBy: { title } }) => {
      if (run.failed.some((name) => name.includes(title))) return [`${id}: '${title}' is red without the fault`];
      return run.passed.some((name) => name.includes(title)) ? [] : [`${id}: no test of ${file} is called '${title}'`];
    });
  });
}

function runAll(workshop: Workshop, mutants: readonly Mutant[]): number {
  const counts = { killed: 0, survived: 0, "not run": 0 };
  say(row("verdict", "s", "mutant", "the fault, and what must catch it"));
  for (const mutant of mutants) {
    const { file, title } = mutant.killedBy;
    const startedMs = performance.now();
    const run = workshop.withFault(mutant, () => workshop.run(file, title));
    const verdict = verdictOn(run);
    counts[verdict] += 1;
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
    say(row(verdict === "survived" ? "SURVIVED" : verdict, seconds, mutant.id, mutant.fault));
    say(row("", "", "", `  ${file}: ${title}`));
    if (run.kind === "broken") say(row("", "", "", `  the test did not run: ${run.reason}`));
  }
  const notRun = counts["not run"] === 0 ? "" : `, ${counts["not run"]} not run without Google's emulators`;
  say(`${mutants.length} mutants, ${counts.killed} killed, ${counts.survived} survived${notRun}`);
  return counts.survived === 0 ? 0 : 1;
}

/** Killed is only what made a test fail: a file that no longer loads shows nothing of what the test checks. */
function verdictOn(run: Run): "killed" | "survived" | "not run" {
  if (run.kind === "not_run") return "not run";
  return run.kind === "ran" && run.failed.length > 0 ? "killed" : "survived";
}

function row(verdict: string, seconds: string, id: string, text: string): string {
  return `${verdict.padEnd(9)}${seconds.padStart(5)}  ${id.padEnd(36)}${text}`.trimEnd();
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function complain(text: string, code: number): number {
  process.stderr.write(`${text}\n`);
  return code;
}

process.exitCode = await main(process.argv.slice(2));
