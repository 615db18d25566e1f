// Shows that a dead, slow or forbidden cache costs a request little time and never its answer (design section 4.1).
// It must never wait in real time.
import { refuse } from "../../functions/domain/errors.ts";
import { guardCache } from "../../functions/flows/cache-guard.ts";
import type { CacheRecord, GuardedCache, IdempotencyCache, Log, VersionedRecord } from "../../functions/flows/ports.ts";
import { type ManualClock, manualClock } from "../support/manual-clock.ts";

const deadlineMs = 300;
const found: VersionedRecord = { version: "7", record: { owner: "worker-1" } as CacheRecord };

type Line = { severity: Parameters<Log>[0]; message: string; fields: Parameters<Log>[2] };
let clock: ManualClock;
let lines: Line[];
/** What the next calls do, one after the other; the last one goes on for ever. */
let script: (() => Promise<VersionedRecord | undefined>)[];
let calls: number;
let cache: GuardedCache;

beforeEach(() => {
  clock = manualClock(1_735_689_600_000);
  lines = [];
  calls = 0;
  script = [];
  const next = async () => {
    calls += 1;
    const [step] = script.length > 1 ? script.splice(0, 1) : script;
    return await (step ?? answers)();
  };
  const fake: IdempotencyCache = {
    claim: async () => ({ kind: "claimed", ...((await next()) ?? found) }),
    read: next,
    replace: async () => {
      await next();
      return { kind: "lost" };
    },
  };
  cache = guardCache(
    { cache: fake, clock, log: (severity, message, fields) => void lines.push({ severity, message, fields }) },
    { deadlineMs },
  );
});

const answers = async () => found;
const fails = async () => {
  throw refuse("store_unavailable", "down");
};
const forbids = async () => {
  throw refuse("permission_denied", "no grant");
};
const hangs = () => new Promise<VersionedRecord>(() => {});
const logged = (severity: string) => lines.filter((line) => line.severity === severity).map(({ message }) => message);

/** Reads, and moves time on until the answer is there. */
async function readPatiently(): Promise<string> {
  const reading = cache.read("key");
  await clock.advance(deadlineMs);
  return (await reading).kind;
}

describe("a cache that answers", () => {
  test("its answers are passed on, and what is not there is `none`", async () => {
    script = [answers, answers, answers, async () => undefined];

    expect(await cache.claim("key", found.record)).toEqual({ kind: "claimed", ...found });
    expect(await cache.replace("key", "7", found.record)).toEqual({ kind: "lost" });
    expect(await cache.read("key")).toEqual({ kind: "found", ...found });
    expect(await cache.read("key")).toEqual({ kind: "none" });
    expect(lines).toEqual([]);
  });

  test("no timer outlives its call, whether it answered or failed", async () => {
    script = [answers, fails];

    await cache.read("key");
    await cache.read("key");

    expect(clock.pendingTimers()).toBe(0);
  });
});

describe("a cache that fails or hangs", () => {
  test("a failure is `unknown` at once", async () => {
    script = [fails];

    expect(await cache.claim("key", found.record)).toEqual({ kind: "unknown" });
    expect(lines).toEqual([
      {
        severity: "WARNING",
        message: "cache call without an answer",
        fields: { operation: "claim", reason: "store_unavailable", deadlineMs },
      },
    ]);
  });

  test("a call that throws before it returns a promise is `unknown` too", async () => {
    script = [
      () => {
        throw new Error("not even a promise");
      },
    ];

    expect(await cache.read("key")).toEqual({ kind: "unknown" });
  });

  test("a hanging call is `unknown` at its deadline and not a millisecond earlier", async () => {
    script = [hangs];
    let ending: string | undefined;
    const reading = cache.read("key").then(({ kind }) => {
      ending = kind;
    });

    await clock.advance(deadlineMs - 1);
    expect(ending).toBeUndefined();
    await clock.advance(1);
    await reading;
    expect(ending).toBe("unknown");
  });

  test("calls of one millisecond share a timer, and each of them ends by itself; a later one has its own", async () => {
    script = [answers, hangs];
    const endings: string[] = [];
    const read = (name: string) => void cache.read("key").then(({ kind }) => endings.push(`${name} ${kind}`));

    read("first");
    read("second");
    await clock.advance(1);
    read("third");
    expect(clock.pendingTimers()).toBe(2);
    await clock.advance(deadlineMs - 1);
    expect(endings).toEqual(["first found", "second unknown"]);
    await clock.advance(1);
    expect(endings.at(-1)).toBe("third unknown");
  });

  test("a late answer or a late rejection is received and changes nothing", async () => {
    const late = [Promise.withResolvers<VersionedRecord>(), Promise.withResolvers<VersionedRecord>()] as const;
    script = [() => late[0].promise, () => late[1].promise, answers];
    const unhandled: unknown[] = [];
    const listener = (reason: unknown) => unhandled.push(reason);
    process.on("unhandledRejection", listener);

    const endings = [await readPatiently(), await readPatiently()];
    late[0].resolve(found);
    late[1].reject(refuse("store_unavailable", "too late"));
    await clock.advance(0);
    process.off("unhandledRejection", listener);

    expect(endings).toEqual(["unknown", "unknown"]);
    expect(unhandled).toEqual([]);
    expect(await cache.read("key")).toMatchObject({ kind: "found" });
  });
});

describe("the breaker", () => {
  const openIt = async () => {
    for (let failure = 0; failure < 3; failure += 1) await cache.read("key");
    expect(calls).toBe(3);
  };

  test("opens after three failures in a row: then nothing is asked and all is `unknown` at once", async () => {
    script = [fails];
    await openIt();

    await clock.advance(4_999);

    expect(await cache.claim("key", found.record)).toEqual({ kind: "unknown" });
    expect(calls).toBe(3);
    expect(logged("WARNING").filter((message) => message.includes("breaker"))).toEqual(["cache breaker opened"]);
  });

  test("a dead cache holds the first three calls for their deadlines only, below one second in all", async () => {
    script = [hangs];
    const startMs = clock.now();

    for (let call = 0; call < 3; call += 1) await readPatiently();
    expect(await cache.read("key")).toEqual({ kind: "unknown" });

    expect(clock.now() - startMs).toBe(900);
  });

  test("an answer between failures keeps it closed", async () => {
    script = [fails, fails, answers, fails, fails, answers];

    for (let call = 0; call < 5; call += 1) await cache.read("key");

    expect(await cache.read("key")).toMatchObject({ kind: "found" });
  });

  test("after five seconds one call at a time may try; the others stay `unknown`", async () => {
    script = [fails, fails, fails, hangs];
    await openIt();
    await clock.advance(5_000);

    const trial = cache.read("key");
    const other = await cache.read("key");
    await clock.advance(deadlineMs);

    expect([other, await trial]).toEqual([{ kind: "unknown" }, { kind: "unknown" }]);
    expect(calls).toBe(4);
  });

  test("a trial that answers closes it, and counting begins anew", async () => {
    script = [fails, fails, fails, answers, fails, fails, answers];
    await openIt();
    await clock.advance(5_000);

    const kinds: string[] = [];
    for (let call = 0; call < 4; call += 1) kinds.push((await cache.read("key")).kind);

    expect(kinds).toEqual(["found", "unknown", "unknown", "found"]);
    expect(logged("INFO")).toEqual(["cache breaker closed"]);
  });

  test("a trial that fails keeps it open for another five seconds", async () => {
    script = [fails];
    await openIt();
    await clock.advance(5_000);
    await cache.read("key");

    await clock.advance(4_999);
    await cache.read("key");
    expect(calls).toBe(4);
    await clock.advance(1);
    await cache.read("key");
    expect(calls).toBe(5);
  });

  test("calls that began before it opened do not count as its trial", async () => {
    script = [hangs, fails, fails, fails, answers];
    const old = cache.read("key");
    for (let failure = 0; failure < 3; failure += 1) await cache.read("key");

    await clock.advance(5_000);

    expect(await old).toEqual({ kind: "unknown" });
    expect(await cache.read("key")).toMatchObject({ kind: "found" });
  });
});

describe("a missing grant", () => {
  test("is an error once when it begins and once when it begins again, and its end is told", async () => {
    script = [forbids, forbids, answers, forbids, answers];

    for (let call = 0; call < 5; call += 1) await cache.read("key");

    expect(logged("ERROR")).toEqual(Array(2).fill("the cache refuses this function: grant missing"));
    expect(logged("INFO")).toEqual(Array(2).fill("the cache accepts this function again"));
  });
});
