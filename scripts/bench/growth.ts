// Whether a key costs more when more keys are stored: new requests and replays beside 10^2 to 10^6 others.
// It must never measure one size after the other: all stores stand side by side and take turns in shuffled rounds.
import { systemRandom } from "../../functions/adapters/system.ts";
import { keyIdentity } from "../../functions/domain/idempotency.ts";
import type { CacheRecord } from "../../functions/flows/ports.ts";
import type { BenchOutcome } from "./bench.ts";
import { openFlow } from "./peers/ours.ts";
import { mapCache, mapLedger } from "./peers/stores.ts";
import { responseOf } from "./peers/work.ts";
import { table } from "./report.ts";
import { median, shuffled } from "./statistics.ts";

type Say = (line: string) => void;
/** What asks for one request under a key, beside so many stored ones; `keys` are what the table calls `stored`. */
export type Filled = { readonly keys: number; readonly run: (key: string) => Promise<{ readonly replayed: boolean }> };

/** Requests of each kind in one turn, and turns. */
const [requestsPerTurn, rounds] = [40, 15];
/** No round begins after this. */
const roundsMsMax = 30_000;

/** After this no further store is filled. */
const loadMsMax = 15_000;

/** One body for all: what grows is the number of keys. */
const body = Buffer.from(JSON.stringify(responseOf("stored")));

/** The part `growth`: in memory. */
export async function benchGrowth(say: Say): Promise<BenchOutcome> {
  const filled: Filled[] = [];
  const began = performance.now();
  for (const keys of [100, 10_000, 100_000, 1_000_000]) {
    if (performance.now() - began > loadMsMax) {
      say(`LEFT OUT: ${keys} keys, this machine is too busy`);
      continue;
    }
    const cache = mapCache();
    for (let first = 0; first < keys; first += 1_000) {
      const batch = Array.from({ length: Math.min(1_000, keys - first) }, (_, index) => stored(first + index));
      await Promise.all(batch.map(({ keyHash, record }) => cache.claim(keyHash, record)));
    }
    filled.push({ keys, run: openFlow(mapLedger(), cache) });
  }
  return await compareGrowth(say, "in memory", filled);
}

/** The part `growth-on-emulators`: Firestore's emulator through the deployed adapter, loaded in bulk. */
export async function benchGrowthOnEmulators(say: Say): Promise<BenchOutcome> {
  const { fillFirestore } = await import("./growth-firestore.ts");
  const { filled, close } = await fillFirestore(say, [100, 10_000, 100_000], stored);
  try {
    const flows = filled.map(({ keys, cache }) => ({ keys, run: openFlow(mapLedger(), cache) }));
    return await compareGrowth(say, "on Firestore's emulator", flows);
  } finally {
    await close();
  }
}

/** The record of an answered request, as the flow leaves it. */
export function stored(index: number): { readonly keyHash: string; readonly record: CacheRecord } {
  const nowMs = Date.now();
  const record: CacheRecord = {
    ...{ state: "completed", fingerprint: "f".repeat(64), owner: `o-${index}`, generation: 1, leaseUntilMs: nowMs },
    ...{ requestId: `req_${index}`, createdAtMs: nowMs, expiresAtMs: nowMs + 86_400_000 },
    outcome: { status: 200, body },
  };
  return { keyHash: keyIdentity("acct_1", false, `stored-${index}`), record };
}

/** Times new requests and replays beside each number of stored keys, in turns. */
export async function compareGrowth(say: Say, where: string, filled: readonly Filled[]): Promise<BenchOutcome> {
  const taken = filled.map((each) => ({ ...each, created: [] as number[], replayed: [] as number[] }));
  const began = performance.now();
  // The first round compiles and connects.
  for (let round = 0; round <= rounds; round += 1) {
    if (round > 3 && performance.now() - began > roundsMsMax) break;
    for (const { run, created, replayed } of shuffled(taken)) {
      const keys = Array.from({ length: requestsPerTurn }, () => systemRandom.id("key"));
      for (const [times, isReplay] of [
        [created, false],
        [replayed, true],
      ] as const) {
        for (const key of keys) {
          const sentMs = performance.now();
          const answer = await run(key);
          if (answer.replayed !== isReplay) throw new Error(`${where}: replayed is ${answer.replayed}`);
          if (round > 0) times.push(performance.now() - sentMs);
        }
      }
    }
  }
  const figures = taken.map(({ keys, created, replayed }) => {
    return { storedKeys: keys, newP50Ms: median(created), replayP50Ms: median(replayed), samples: created.length };
  });
  const [first] = figures;
  const ratio = (one: number, base = Number.NaN) => (one / base).toFixed(2);
  const rows = figures.map(({ storedKeys, newP50Ms, replayP50Ms, samples }) => [
    ...[String(storedKeys), newP50Ms.toFixed(3), ratio(newP50Ms, first?.newP50Ms)],
    ...[replayP50Ms.toFixed(3), ratio(replayP50Ms, first?.replayP50Ms), String(samples)],
  ]);
  say(`Median latency ${where}, one request after the other, beside so many stored keys:`);
  const head = ["stored", "new ms", "ratio", "replay ms", "ratio", "each"];
  for (const line of table([head, ...rows], [0, 1, 2, 3, 4, 5])) say(line);
  return { figures, faults: [] };
}
