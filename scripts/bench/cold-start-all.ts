// Cold starts of every deployed function until a health check: its bundle, the same code unbundled, an empty handler.
// It must never compare times of two runs: every function starts in every form once a round, in a shuffled order.
import { functionNames } from "../../functions/config.ts";
import { productionEnvironment } from "../build/production-environment.ts";
import type { BenchOutcome } from "./bench.ts";
import { type Start, timeStart } from "./cold-start/start.ts";
import { makeVariants, type Variant } from "./cold-start/variants.ts";
import { table } from "./report.ts";
import { median, shuffled } from "./statistics.ts";

/** At most so many; on a busy machine fewer, but one at least: a round is 21 starts, 12 s of a quiet machine and 90 s of a busy one. */
const [roundsMin, roundsMax] = [1, 9];
/** No round begins after this. */
const roundsMsMax = 100_000;

/** The empty handler is the same for all, so it starts once a round. */
const forms: readonly Variant[] = ["unbundled", "bundle"];

/** The part `cold-start-of-all`. */
export async function benchColdStartOfAll(say: (line: string) => void): Promise<BenchOutcome> {
  const made = [];
  for (const name of functionNames) made.push({ name, ...(await makeVariants(name)) });
  const environment = productionEnvironment();
  const healthOf = (name: string, folder = "") => {
    const own = { ...environment, FUNCTION_TARGET: name, K_SERVICE: name };
    return () => timeStart(folder, own, (baseUrl) => fetch(`${baseUrl}/health`));
  };
  const [first] = made;
  const floor = { title: "empty handler", run: healthOf(first?.name ?? "", first?.folders.get("empty handler")) };
  const runs = made.flatMap(({ name, folders }) =>
    forms.map((form) => ({ title: `${name}, ${form}`, run: healthOf(name, folders.get(form)) })),
  );
  const starts = new Map<string, Start[]>();
  try {
    // The first round fills the page cache and is not counted.
    const began = performance.now();
    for (let round = 0; round <= roundsMax; round += 1) {
      if (round > roundsMin && performance.now() - began > roundsMsMax) break;
      for (const { title, run } of shuffled([floor, ...runs])) {
        const start = await run();
        if (round > 0) starts.set(title, [...(starts.get(title) ?? []), start]);
      }
    }
  } finally {
    for (const { remove } of made) remove();
  }
  return report(say, starts);
}

function report(say: (line: string) => void, starts: ReadonlyMap<string, readonly Start[]>): BenchOutcome {
  const of = (title: string) => {
    const taken = starts.get(title) ?? [];
    return { ms: median(taken.map((each) => each.answeredMs)), cpuMs: median(taken.map((each) => each.cpuMs)) };
  };
  const floor = of("empty handler");
  const figures = functionNames.map((name) => {
    const [bundle, unbundled] = [of(`${name}, bundle`), of(`${name}, unbundled`)];
    return { name, bundle, unbundled, ofUnbundled: bundle.ms / unbundled.ms, ofFloor: bundle.ms / floor.ms };
  });
  const rounds = starts.get("empty handler")?.length;
  say(`Process start to health check under functions-framework: medians of ${rounds} shuffled rounds, warm page cache`);
  say(`an empty handler: ${floor.ms.toFixed(0)} ms, ${floor.cpuMs.toFixed(0)} ms of CPU`);
  const head = ["function", "bundle ms", "unbundled ms", "ratio", "of empty", "CPU ms", "unbundled"];
  const rows = figures.map(({ name, bundle, unbundled, ofUnbundled, ofFloor }) => [
    ...[name, bundle.ms.toFixed(0), unbundled.ms.toFixed(0), ofUnbundled.toFixed(2), ofFloor.toFixed(2)],
    ...[bundle.cpuMs.toFixed(0), unbundled.cpuMs.toFixed(0)],
  ]);
  for (const line of table([head, ...rows], [1, 2, 3, 4, 5, 6])) say(line);
  return { figures: { rounds, emptyHandler: floor, functions: figures }, faults: [] };
}
