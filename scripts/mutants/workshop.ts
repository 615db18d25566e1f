// A copy of the tree in which faults are put into the product and tests are run, one at a time.
// It must never follow a link out of the copy when it writes: only files of the copy itself are changed.

import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Mutant } from "./list.ts";

/** How a run of one test file ended; names are full names, `describe` titles included. */
export type Run =
  | { readonly kind: "ran"; readonly passed: readonly string[]; readonly failed: readonly string[] }
  /** No test came to an end. */
  | { readonly kind: "broken"; readonly reason: string }
  /** It needs Google's emulators, and they are not here. */
  | { readonly kind: "not_run" };

/** See the file's first line. */
export interface Workshop {
  /** Runs a test file, or the tests of it whose full name holds a text. */
  run(file: string, title?: string): Run;
  /** Does something while the fault is in. */
  withFault<Result>(mutant: Mutant, body: () => Result): Result;
  close(): void;
}

/** Copies what git knows of and what is new; packages are linked, because nothing writes to them. */
export function openWorkshop(root: string): Workshop {
  const tree = mkdtempSync(path.join(tmpdir(), "mutants-"));
  const isCopied = (source: string) => !leftOut.includes(path.relative(root, source));
  cpSync(root, tree, { recursive: true, filter: isCopied });
  symlinkSync(path.join(root, "node_modules"), path.join(tree, "node_modules"));
  return {
    run: (file, title) => runTests(tree, file, title),
    withFault: ({ file, find, replace }, body) => {
      const place = path.join(tree, file);
      const sound = readFileSync(place, "utf8");
      writeFileSync(
        place,
        sound.replace(find, () => replace),
      );
      try {
        return body();
      } finally {
        writeFileSync(place, sound);
      }
    },
    close: () => rmSync(tree, { recursive: true, force: true }),
  };
}

const leftOut = ["node_modules", ".git", "dist", "cdktf.out", ".laptop", "coverage"];

/** Five minutes: a fault may make a test wait for ever, and emulators on a busy machine need two. */
const runMsMax = 300_000;

function runTests(tree: string, file: string, title: string | undefined): Run {
  const needsEmulators = file.endsWith(".emulator.test.ts");
  const report = path.join(tree, "mutants-report.json");
  rmSync(report, { force: true });
  const jest = [
    ...["--experimental-vm-modules", "--disable-warning=ExperimentalWarning", "node_modules/jest/bin/jest.js"],
    ...["--runTestsByPath", file, "--json", "--outputFile", report, "--silent"],
    ...(title === undefined ? [] : ["--testNamePattern", escaped(title)]),
  ];
  const launched = needsEmulators
    ? ["scripts/node.cjs", "local/with-emulators.ts", "--", "node", ...jest]
    : ["scripts/node.cjs", ...jest];
  const { error, status } = spawnSync(process.execPath, launched, {
    cwd: tree,
    env: { ...process.env, SUITE: suiteOf(file) },
    timeout: runMsMax,
    encoding: "utf8",
  });
  if (existsSync(report)) return readReport(readFileSync(report, "utf8"));
  if (error !== undefined) return { kind: "broken", reason: error.message };
  // Where there are no emulators the launcher says so and ends well; where they did not start it does not.
  return needsEmulators && status === 0
    ? { kind: "not_run" }
    : { kind: "broken", reason: "the runner wrote no report" };
}

/** The file's kind, which is the run that takes it (see jest.config.mjs). */
function suiteOf(file: string): string {
  const kind = /\.(plan|process|emulator|browser)\.test\.ts$/.exec(file)?.[1];
  return kind === undefined
    ? "embedded"
    : ({ plan: "plans", process: "processes", emulator: "emulators" }[kind] ?? kind);
}

function readReport(text: string): Run {
  const { testResults } = JSON.parse(text) as {
    testResults: readonly {
      message: string;
      assertionResults: readonly { fullName: string; status: string }[];
    }[];
  };
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  if (tests.length === 0) return { kind: "broken", reason: firstLine(testResults[0]?.message ?? "no test was found") };
  const named = (status: string) => tests.filter((each) => each.status === status).map(({ fullName }) => fullName);
  return { kind: "ran", passed: named("passed"), failed: named("failed") };
}

function firstLine(text: string): string {
  return (
    text
      .split("\n")
      .find((line) => line.trim() !== "")
      ?.trim() ?? ""
  );
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
