// `npm run bench`: runs the parts of scripts/bench/benches.ts one after another, prints their tables, and writes their
// figures to .laptop/bench.json. It must never fail because a machine is slow: only a count over its budget is an error.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg, tmpdir, totalmem } from "node:os";
import path from "node:path";
import type { BenchOutcome } from "./bench/bench.ts";
import { benches } from "./bench/benches.ts";

type Entry = (typeof benches)[number];

/**
 * Each part bounds itself to about two minutes, but what it has begun it ends, and on a busy machine one round of all cold
 * starts takes a minute. Only one that takes much longer is ended.
 */
const partMsMax = 300_000;

/** A million stored payments take 4 GiB, which is V8's own limit. */
const heapMiBMax = 8_192;

/** A process that holds the Spanner package swallows signals, and one with emulators needs a moment to end them. */
const graceMs = 10_000;

const resultFile = path.join(import.meta.dirname, "../.laptop/bench.json");
const usage = `usage: npm run bench [-- --only NAME[,NAME]]   NAME: ${benches.map(([name]) => name).join(", ")}`;

/** Returns the exit code: 0, 1 for a count over its budget or a part that failed, 2 for a wrong command line. */
async function main(args: readonly string[]): Promise<number> {
  const chosen = choose(args);
  if (typeof chosen === "string") {
    console.error(`${chosen}\n${usage}`);
    return 2;
  }
  const startedAt = new Date().toISOString();
  const [load] = loadavg();
  const machine = { cpu: cpus()[0]?.model, cores: cpus().length, memoryBytes: totalmem(), node: process.version, load };
  mkdirSync(path.dirname(resultFile), { recursive: true });
  const parts: Record<string, unknown> = {};
  const faults: string[] = [];
  for (const entry of chosen) {
    const [name] = entry;
    console.log(`\n== ${name}`);
    const began = performance.now();
    const outcome = await runApart(entry);
    const seconds = Math.round((performance.now() - began) / 100) / 10;
    parts[name] = { seconds, ...outcome };
    faults.push(...outcome.faults.map((fault) => `${name}: ${fault}`));
    console.log(`(${seconds} s)`);
    // After each part, so that who ends a run of a quarter of an hour keeps what it found by then.
    writeFileSync(resultFile, `${JSON.stringify({ startedAt, machine, parts }, null, 2)}\n`);
  }
  console.log(
    `\n${machine.cpu}, ${machine.cores} cores, Node ${machine.node}, load ${machine.load?.toFixed(1)} at the start`,
  );
  console.log("figures: .laptop/bench.json");
  for (const fault of faults) console.error(`FAULT: ${fault}`);
  return faults.length === 0 ? 0 : 1;
}

/** The parts that the command line names, or what is wrong with it. */
function choose(args: readonly string[]): readonly Entry[] | string {
  const [flag, names, ...rest] = args;
  if (flag === undefined) return benches;
  if (flag !== "--only" || rest.length > 0) return `not understood: ${args.join(" ")}`;
  if (names === undefined) return "--only needs a name.";
  const wanted = names.split(",");
  const unknown = wanted.find((name) => !benches.some(([known]) => known === name));
  if (unknown !== undefined) return `There is no part ${JSON.stringify(unknown)}.`;
  return benches.filter(([name]) => wanted.includes(name));
}

/** In a process of its own, so that no part pays for another one's heap, and a part that hangs can be ended. */
async function runApart([name, , needs]: Entry): Promise<BenchOutcome> {
  const folder = mkdtempSync(path.join(tmpdir(), "bench-"));
  const file = path.join(folder, "outcome.json");
  const own = [process.execPath, "--expose-gc", `--max-old-space-size=${heapMiBMax}`, import.meta.filename];
  const withEmulators = [process.execPath, path.join(import.meta.dirname, "../local/with-emulators.ts"), "--", ...own];
  const [program = "", ...args] = needs === "emulators" ? withEmulators : own;
  const env = { ...process.env, BENCH_PART: name, BENCH_OUTCOME: file };
  const child = spawn(program, args, { env, stdio: ["ignore", "inherit", "inherit"] });
  let isLate = false;
  const limit = setTimeout(() => {
    isLate = true;
    child.kill("SIGTERM");
  }, partMsMax);
  const end = setTimeout(() => child.kill("SIGKILL"), partMsMax + graceMs);
  const [code] = await once(child, "exit");
  clearTimeout(limit);
  clearTimeout(end);
  try {
    return JSON.parse(readFileSync(file, "utf8")) as BenchOutcome;
  } catch {
    if (isLate) return { figures: null, faults: [`it took longer than ${partMsMax / 1000} s and was ended`] };
    // Without the emulators nothing runs, and that is said, and is no fault.
    return { figures: null, faults: code === 0 ? [] : [`it ended with code ${code}`] };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The inside of `runApart`. */
async function runPart(name: string, file: string): Promise<void> {
  const entry = benches.find(([known]) => known === name);
  if (entry === undefined) throw new Error(`There is no part ${name}.`);
  const outcome = await entry[1]((line) => console.log(line));
  writeFileSync(file, JSON.stringify(outcome));
  // Google's clients keep timers and sockets that would hold the process until its limit.
  setTimeout(() => process.exit(), 2_000).unref();
}

const { BENCH_PART: part, BENCH_OUTCOME: outcomeFile } = process.env;
if (part !== undefined && outcomeFile !== undefined) await runPart(part, outcomeFile);
// Last, because the constants above must exist when it starts.
else process.exitCode = await main(process.argv.slice(2));
