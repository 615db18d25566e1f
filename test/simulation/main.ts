// The command line of the simulation: runs seeds, sums up, and ends with one line that a machine can read.
// It must never print a figure that it did not count, nor hide a seed that failed.
import { fork } from "node:child_process";
import { cpuUsage } from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type FaultKind, faultKinds } from "./faults.ts";
import { type SimulationReport, simulate } from "./simulation.ts";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "100" },
    from: { type: "string", default: "1" },
    seed: { type: "string" },
    workers: { type: "string", default: "1" },
    verbose: { type: "boolean", default: false },
    "keep-going": { type: "boolean", default: false },
  },
});

const first = wholeNumber("from", values.seed ?? values.from);
const count = values.seed === undefined ? wholeNumber("seeds", values.seeds) : 1;
const workers = wholeNumber("workers", values.workers);

/** Seeds between two lines about how far it is. */
const seedsAWord = 250;

/** What many seeds come to. */
interface Tally {
  seeds: number;
  steps: number;
  simulatedDays: number;
  cpuMs: number;
  faults: Record<FaultKind, number>;
  failed: SimulationReport[];
}

const began = performance.now();
const tally = workers > 1 ? await shared() : await alone(first, count);
print(tally);

async function alone(from: number, seeds: number): Promise<Tally> {
  const sum = emptyTally();
  const cpu = cpuUsage();
  for (let seed = from; seed < from + seeds; seed += 1) {
    add(sum, await simulate(seed, values.verbose ? (line) => console.log(line()) : undefined));
    if (sum.failed.length > 0 && !values["keep-going"]) break;
    if (sum.seeds % seedsAWord === 0 && sum.seeds < seeds)
      console.error(`${sum.seeds} of ${seeds} from ${from}, ${sum.failed.length} failed`);
  }
  const { user, system } = cpuUsage(cpu);
  return { ...sum, cpuMs: (user + system) / 1000 };
}

/** Seeds in equal runs to child processes. */
async function shared(): Promise<Tally> {
  const sum = emptyTally();
  const share = Math.ceil(count / workers);
  const starts = Array.from({ length: workers }, (_, index) => first + index * share).filter(
    (from) => from < first + count,
  );
  const runs = starts.map((from) => {
    const seeds = Math.min(share, first + count - from);
    const more = values["keep-going"] ? ["--keep-going"] : [];
    const child = fork(fileURLToPath(import.meta.url), ["--from", String(from), "--seeds", String(seeds), ...more], {
      execArgv: process.execArgv,
      silent: false,
    });
    return new Promise<void>((resolve, reject) => {
      child.on("message", (part: Tally) => {
        sum.seeds += part.seeds;
        sum.steps += part.steps;
        sum.simulatedDays += part.simulatedDays;
        sum.cpuMs += part.cpuMs;
        for (const kind of faultKinds) sum.faults[kind] += part.faults[kind];
        sum.failed.push(...part.failed);
      });
      child.on("error", reject);
      child.on("exit", () => resolve());
    });
  });
  await Promise.all(runs);
  return sum;
}

function print(sum: Tally): void {
  if (process.send !== undefined) {
    process.send(sum);
    process.disconnect();
    return;
  }
  for (const { seed, violations } of sum.failed) {
    console.log(`seed ${seed}`);
    for (const { invariant, problem } of violations.slice(0, 20)) console.log(`  ${invariant}: ${problem}`);
    console.log(`  npm run -s simulate -- --seed ${seed} --verbose`);
  }
  const perSeed = (amount: number) => amount / Math.max(1, sum.seeds);
  console.log(
    [
      `${sum.seeds} seeds from ${first}, ${sum.steps} steps, ${sum.simulatedDays.toFixed(1)} simulated days`,
      `${((performance.now() - began) / 1000).toFixed(1)} s, ${perSeed(sum.cpuMs).toFixed(0)} ms of CPU a seed`,
      `faults: ${faultKinds.map((kind) => `${kind} ${sum.faults[kind]}`).join(", ")}`,
    ].join("\n"),
  );
  const names = [...new Set(sum.failed.flatMap(({ violations }) => violations.map(({ invariant }) => invariant)))];
  console.log(names.length === 0 ? "all invariants hold" : `violated: ${names.sort().join(" ")}`);
  process.exitCode = names.length === 0 && sum.seeds === count ? 0 : 1;
}

function add(sum: Tally, report: SimulationReport): void {
  sum.seeds += 1;
  sum.steps += report.steps;
  sum.simulatedDays += report.simulatedDays;
  for (const kind of faultKinds) sum.faults[kind] += report.faults[kind];
  if (report.violations.length > 0) sum.failed.push(report);
}

function emptyTally(): Tally {
  const faults = Object.fromEntries(faultKinds.map((kind) => [kind, 0])) as Record<FaultKind, number>;
  return { seeds: 0, steps: 0, simulatedDays: 0, cpuMs: 0, faults, failed: [] };
}

function wholeNumber(name: string, text: string): number {
  if (/^[1-9][0-9]{0,8}$/.test(text)) return Number(text);
  console.error(`--${name} must be a whole number from 1.`);
  process.exit(2);
}
