// CPU time of idempotency alone, beside two libraries that do a part of it: new requests and replays on memory stores.
// It must never compare what ran minutes apart: all take turns in one process, in shuffled rounds.
import type { BenchOutcome } from "./bench.ts";
import { installPeers } from "./peers/install.ts";
import { ours, oursWithRow } from "./peers/ours.ts";
import { nodeIdempotency, powertools } from "./peers/theirs.ts";
import type { Contender } from "./peers/work.ts";
import { table } from "./report.ts";
import { median, shuffled } from "./statistics.ts";

/** Requests of one turn: some tens of milliseconds, so that a turn is longer than the clock's steps and the collector's pauses. */
const requestsPerTurn = 2_000;
/** Requests at once, as an instance has them: alone, each would pay for whole turns of the event loop. */
const atOnce = 16;
/** Turns of each contender that count; the first ones, in which the code is compiled, do not. */
const [roundsUncounted, roundsMin, roundsMax] = [4, 5, 25];
/** No round begins after this. */
const roundsMsMax = 60_000;

/** The part `peers`. */
export async function benchPeers(say: (line: string) => void): Promise<BenchOutcome> {
  const load = await installPeers(say);
  const contenders = [ours, oursWithRow, ...(load === undefined ? [] : [powertools(load), nodeIdempotency(load)])];
  const taken = new Map(contenders.map(({ name }) => [name, { created: [] as number[], replayed: [] as number[] }]));
  const began = performance.now();
  for (let round = -roundsUncounted; round < roundsMax; round += 1) {
    if (round > roundsMin && performance.now() - began > roundsMsMax) break;
    for (const contender of shuffled(contenders)) {
      const turn = await takeTurn(contender);
      if (round < 0) continue;
      taken.get(contender.name)?.created.push(turn.createdUs);
      taken.get(contender.name)?.replayed.push(turn.replayedUs);
    }
  }
  const own = taken.get(ours.name) ?? { created: [], replayed: [] };
  const figures = contenders.map(({ name }) => {
    const { created, replayed } = taken.get(name) ?? own;
    return {
      ...{ name, newRequestCpuUs: median(created), replayCpuUs: median(replayed) },
      ...{ newRequestRatio: ratioOf(own.created, created), replayRatio: ratioOf(own.replayed, replayed) },
    };
  });
  say(
    `CPU time of idempotency alone, in millionths of a second: medians of ${own.created.length} shuffled turns of ${requestsPerTurn}; ratios turn by turn`,
  );
  const rows = figures.map(({ name, newRequestCpuUs, newRequestRatio, replayCpuUs, replayRatio }) => [
    ...[name, newRequestCpuUs.toFixed(1), newRequestRatio.toFixed(2)],
    ...[replayCpuUs.toFixed(1), replayRatio.toFixed(2)],
  ]);
  for (const line of table([["", "new", "ours/it", "replay", "ours/it"], ...rows], [1, 2, 3, 4])) say(line);
  return { figures, faults: [] };
}

/** The middle one of the ratios of single rounds: what a busy machine does to one round it does to both sides. */
function ratioOf(mine: readonly number[], theirs: readonly number[]): number {
  return median(mine.map((taken, round) => taken / (theirs[round] ?? Number.NaN)));
}

async function takeTurn({ name, open }: Contender): Promise<{ createdUs: number; replayedUs: number }> {
  const run = open();
  const keys = Array.from({ length: requestsPerTurn }, (_, index) => `key-${index}-0123456789abcdef`);
  const all = async (isReplay: boolean) => {
    globalThis.gc?.();
    const before = process.cpuUsage();
    const waiting = keys.values();
    const sender = async () => {
      for (const key of waiting) {
        const { replayed } = await run(key);
        if (replayed !== isReplay) throw new Error(`${name}: replayed is ${replayed}`);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, sender));
    const { user, system } = process.cpuUsage(before);
    return (user + system) / requestsPerTurn;
  };
  return { createdUs: await all(false), replayedUs: await all(true) };
}
