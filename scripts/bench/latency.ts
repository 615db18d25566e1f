// Times requests: percentiles one after another and many at once, and the CPU time of one request.
// It must never judge a time: that of a busy laptop says nothing, only ratios within one run do.
import type { Reply } from "./service.ts";

/** Sends `requests` requests, `atOnce` at a time. `expected` tells answers from failures, which are counted apart. */
export async function measure(run: Run, expected: (reply: Reply) => boolean): Promise<Measured> {
  const times: number[] = [];
  let failures = 0;
  let left = run.requests;
  const startCpu = process.cpuUsage();
  const startMs = performance.now();
  const sender = async () => {
    while (left > 0) {
      left -= 1;
      const sentMs = performance.now();
      const reply = await run.send();
      times.push(performance.now() - sentMs);
      if (!expected(reply)) failures += 1;
    }
  };
  await Promise.all(Array.from({ length: run.atOnce }, sender));
  const elapsedMs = performance.now() - startMs;
  const { user, system } = process.cpuUsage(startCpu);
  // Microseconds of the whole process: the handler, the stores or their clients, and the collector of garbage.
  return { ...run, failures, ...percentilesOf(times), ...rates(run.requests, elapsedMs, user + system) };
}

/** Throughput and CPU time of so many requests. */
export function rates(requests: number, elapsedMs: number, cpuUs: number) {
  return { perSecond: (requests * 1000) / elapsedMs, cpuMs: cpuUs / 1000 / requests };
}

/** The percentiles of all tables. */
export function percentilesOf(times: readonly number[]) {
  const sorted = times.toSorted((one, other) => one - other);
  return { p50Ms: percentile(sorted, 50), p95Ms: percentile(sorted, 95), p99Ms: percentile(sorted, 99) };
}

/** What to send. */
export type Run = {
  readonly name: string;
  readonly requests: number;
  readonly atOnce: number;
  readonly send: () => Promise<Reply>;
};

/** What it took. */
export type Measured = Omit<Run, "send"> & {
  readonly failures: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  readonly perSecond: number;
  readonly cpuMs: number;
};

/** Nearest rank: the smallest time that at least this share of the requests did not exceed. */
export function percentile(sorted: readonly number[], percent: number): number {
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? Number.NaN;
}
