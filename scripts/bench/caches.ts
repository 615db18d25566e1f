// The idempotency cache in memory, in Firestore's emulator and in a Redis server: one after another within each round.
// It must never compare times of two runs, nor pass an emulator's time off as that of the cloud.
import { openFirestore } from "../../functions/adapters/firestore-client.ts";
import { firestoreIdempotencyCache } from "../../functions/adapters/firestore-idempotency-cache.ts";
import { memoryIdempotencyCache } from "../../functions/adapters/memory/idempotency-cache.ts";
import { openRedis } from "../../functions/adapters/redis-client.ts";
import { redisIdempotencyCache } from "../../functions/adapters/redis-idempotency-cache.ts";
import { systemClock, systemRandom } from "../../functions/adapters/system.ts";
import type { CacheRecord, IdempotencyCache } from "../../functions/flows/ports.ts";
import type { BenchOutcome } from "./bench.ts";
import { countRpcs } from "./count-rpcs.ts";
import { percentile } from "./latency.ts";
import { shuffled } from "./statistics.ts";
import { newTally, sequentialTrips } from "./tally.ts";

type Subject = { readonly name: string; readonly cache: IdempotencyCache };
type Operation = (typeof operations)[number];

/** What a request does: a first one claims and replaces, a repetition meets a record (`twin`) and is done. */
const operations = ["claim", "replace", "twin"] as const;

/** After these nothing is counted yet: connections stand, scripts are known, code is warm. */
const warmUpRounds = 20;
const rounds = 300;

/** The part `caches`. */
export async function benchCaches(say: (line: string) => void): Promise<BenchOutcome> {
  const tally = newTally();
  countRpcs(tally);
  const firestore = openFirestore({ projectId: "local-project", databaseId: "payments" });
  const place = { collection: `bench-${process.pid}-${Date.now()}`, deleteAfterField: "deleteAfter" };
  const redis = openRedisOf(process.env["REDIS_ADDRESS"], () => tally.count("cache", "command"));
  const subjects: Subject[] = [
    { name: "memory", cache: memoryIdempotencyCache() },
    { name: "Firestore's emulator", cache: firestoreIdempotencyCache({ database: firestore.database, ...place }) },
    ...(redis ? [{ name: "Redis", cache: redisIdempotencyCache({ redis, clock: systemClock }) }] : []),
  ];
  const times = new Map<string, number[]>();
  const trips = new Map<string, number>();
  for (let round = -warmUpRounds; round < rounds; round += 1)
    for (const subject of shuffled(subjects))
      await oneKey(subject, async (operation, call) => {
        tally.take();
        const beganMs = performance.now();
        await call();
        const tookMs = performance.now() - beganMs;
        const at = `${subject.name}/${operation}`;
        if (round < 0) return;
        trips.set(at, sequentialTrips(tally.take()));
        times.set(at, [...(times.get(at) ?? []), tookMs]);
      });
  await Promise.all([firestore.close(), redis?.close()]);
  const figures = subjects.flatMap(({ name }) =>
    operations.map((operation) => {
      const sorted = (times.get(`${name}/${operation}`) ?? []).toSorted((one, other) => one - other);
      const roundTrips = trips.get(`${name}/${operation}`) ?? 0;
      return { cache: name, operation, roundTrips, p50Ms: percentile(sorted, 50), p95Ms: percentile(sorted, 95) };
    }),
  );
  if (redis === undefined) say("no Redis server is installed: memory and Firestore only");
  say(
    `${"cache".padEnd(22)}${"operation".padEnd(12)}${"round trips".padStart(11)}${"p50 ms".padStart(10)}${"p95 ms".padStart(10)}`,
  );
  for (const { cache, operation, roundTrips, p50Ms, p95Ms } of figures)
    say(
      `${cache.padEnd(22)}${operation.padEnd(12)}${String(roundTrips).padStart(11)}${p50Ms.toFixed(2).padStart(10)}${p95Ms.toFixed(2).padStart(10)}`,
    );
  return { figures, faults: [] };
}

/** One key's life: claimed, answered, met by a twin. */
async function oneKey(
  { cache }: Subject,
  timed: (operation: Operation, call: () => Promise<unknown>) => Promise<void>,
) {
  const keyHash = systemRandom.token();
  const record = claimNow();
  let version = "";
  await timed("claim", async () => {
    version = (await cache.claim(keyHash, record)).version;
  });
  const body = Buffer.alloc(1_400, '{"object":"payment_intent"}');
  const expiresAtMs = record.createdAtMs + 86_400_000;
  const answered: CacheRecord = { ...record, state: "completed", expiresAtMs, outcome: { status: 200, body } };
  await timed("replace", () => cache.replace(keyHash, version, answered));
  await timed("twin", () => cache.claim(keyHash, { ...record, owner: systemRandom.token() }));
}

function claimNow(): CacheRecord {
  const nowMs = systemClock.now();
  return {
    ...{ state: "in_progress", owner: systemRandom.token(), generation: 1, leaseUntilMs: nowMs + 30_000 },
    ...{ fingerprint: "f".repeat(64), requestId: systemRandom.id("req"), createdAtMs: nowMs },
    ...{ expiresAtMs: null, outcome: null },
  };
}

/** The server that `with-emulators` started, with each command counted; undefined where none is installed. */
function openRedisOf(address: string | undefined, count: () => void) {
  if (address === undefined) return undefined;
  const [host = "", port] = address.split(":");
  const redis = openRedis({ host, port: Number(port) }, { clock: systemClock });
  const command: typeof redis.command = async (parts) => {
    count();
    return await redis.command(parts);
  };
  return { ...redis, command };
}
