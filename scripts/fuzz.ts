// `npm run fuzz`: the fuzzing of the API's contract that `npm test` does in a small way, for as long as asked.
// It must never need more than npm: everything runs in memory.

import { spawnSync } from "node:child_process";
import path from "node:path";
import { parseArgs } from "node:util";

const USAGE = `npm run fuzz [-- --seconds N] [--seed N]

  Sends made-up requests to the whole API in memory: every answer must be JSON of the contract's shape and no 5xx, a refusal
  must name the parameter and store nothing. Seeds rise from a random one, or from --seed; a failure names its seed, and
  --seed alone runs that one again. Default: 60 seconds. Exits with 1 when something was wrong.`;

function main(args: string[]): number {
  const asked = read(args);
  if (asked === undefined) {
    process.stderr.write(`${USAGE}\n`);
    return 2;
  }
  const jest = ["--experimental-vm-modules", "--disable-warning=ExperimentalWarning", "node_modules/jest/bin/jest.js"];
  const { status } = spawnSync(process.execPath, [...jest, "test/proof/fuzz.test.ts"], {
    cwd: path.join(import.meta.dirname, ".."),
    env: { ...process.env, SUITE: "embedded", FUZZ_SECONDS: String(asked.seconds), FUZZ_SEED: String(asked.seed) },
    stdio: "inherit",
  });
  return status ?? 1;
}

/** A day at most: whoever types more meant something else. */
const secondsMax = 86_400;

function read(args: string[]): { seconds: number; seed: number } | undefined {
  try {
    const { values } = parseArgs({ args, options: { seconds: { type: "string" }, seed: { type: "string" } } });
    // One seed takes well under a second, and the clock is looked at after it.
    const seconds = values.seconds ?? (values.seed === undefined ? "60" : "0");
    const seed = values.seed ?? String(Math.floor(Math.random() * 1e9));
    const isCount = (text: string) => /^(0|[1-9]\d{0,9})$/.test(text);
    if (!isCount(seconds) || !isCount(seed) || Number(seconds) > secondsMax) return undefined;
    return { seconds: Number(seconds), seed: Number(seed) };
  } catch {
    return undefined;
  }
}

process.exitCode = main(process.argv.slice(2));
