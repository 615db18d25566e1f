// Cold starts of payments-api: until a health check, and until a first payment over real clients and Google's emulators.
// It must never compare times of two runs: every variant starts once a round, in an order that is shuffled each time.
import type { ChildProcess } from "node:child_process";
import type { BenchOutcome } from "./bench.ts";
import { openStage } from "./cold-start/stage.ts";
import { type Start, timeStart } from "./cold-start/start.ts";
import { makeVariants, type Variant } from "./cold-start/variants.ts";
import { table } from "./report.ts";
import { median, shuffled } from "./statistics.ts";

/** At most so many; on a busy machine fewer, but two at least. */
const [roundsMin, roundsMax] = [2, 11];
/** No round begins after this. */
const roundsMsMax = 60_000;

const healthOf: readonly Variant[] = ["empty handler", "unbundled", "bundle", "bundle with code cache"];
const paymentOf: readonly Variant[] = ["unbundled", "bundle", "bundle with code cache"];

/** The part `cold-start`. */
export async function benchColdStart(say: (line: string) => void): Promise<BenchOutcome> {
  const [stage, variants] = await Promise.all([openStage(), makeVariants("payments-api")]);
  try {
    const folder = (variant: Variant) => variants.folders.get(variant) ?? "";
    const health = (variant: Variant) =>
      timeStart(folder(variant), stage.environment, (baseUrl) => fetch(`${baseUrl}/health`));
    const payment = (variant: Variant) => timeStart(folder(variant), stage.environment, stage.pay);
    await payment("bundle");
    await timeStart(folder("bundle with code cache"), stage.environment, stage.pay, writeCache);
    const starts = new Map<string, Start[]>();
    const runs = [
      ...healthOf.map((variant) => ({ title: `health check, ${variant}`, run: () => health(variant) })),
      ...paymentOf.map((variant) => ({ title: `first payment, ${variant}`, run: () => payment(variant) })),
    ];
    // The first round fills the page cache and is not counted.
    const began = performance.now();
    for (let round = 0; round <= roundsMax; round += 1) {
      if (round > roundsMin && performance.now() - began > roundsMsMax) break;
      for (const { title, run } of shuffled(runs)) {
        const start = await run();
        if (round > 0) starts.set(title, [...(starts.get(title) ?? []), start]);
      }
    }
    return report(
      say,
      runs.map(({ title }) => [title, starts.get(title) ?? []] as const),
    );
  } finally {
    variants.remove();
    await stage.close();
  }
}

/** Waits for the process to say so. */
async function writeCache(child: ChildProcess): Promise<void> {
  const written = new Promise<void>((resolve) => {
    child.stderr?.on("data", (chunk: Buffer) => {
      if (chunk.includes("code cache written")) resolve();
    });
  });
  child.kill("SIGUSR2");
  await written;
}

function report(
  say: (line: string) => void,
  taken: readonly (readonly [title: string, starts: readonly Start[]])[],
): BenchOutcome {
  const figures = taken.map(([title, starts]) => {
    const times = starts.map(({ answeredMs }) => answeredMs);
    const base = title.startsWith("health") ? "health check, empty handler" : "first payment, unbundled";
    const others = taken.find(([other]) => other === base)?.[1] ?? [];
    const ratio = median(times) / median(others.map(({ answeredMs }) => answeredMs));
    return {
      ...{ title, medianMs: median(times), minMs: Math.min(...times), maxMs: Math.max(...times), ratio },
      cpuMs: median(starts.map(({ cpuMs }) => cpuMs)),
      memoryBytes: median(starts.map(({ memoryBytes }) => memoryBytes)),
    };
  });
  say(
    `Process start to first answer under functions-framework: medians of ${taken[0]?.[1].length} shuffled rounds, warm page cache`,
  );
  const rows = figures.map((each) => [
    each.title,
    each.medianMs.toFixed(0),
    `${each.minMs.toFixed(0)}-${each.maxMs.toFixed(0)}`,
    each.ratio.toFixed(2),
    each.cpuMs.toFixed(0),
    (each.memoryBytes / 2 ** 20).toFixed(0),
  ]);
  const head = ["until", "median ms", "min-max", "ratio", "CPU ms", "MiB"];
  for (const line of table([head, ...rows], [1, 2, 3, 4, 5])) say(line);
  say("ratio: of health checks to the empty handler, of first payments to the same code unbundled");
  return { figures, faults: [] };
}
