// Runs the cache's contract on a real Redis or Valkey server, then fills, freezes, replaces and kills it.
// It must never count time that the server's own clock does not take.
import { systemClock } from "../../functions/adapters/system.ts";
import { guardCache } from "../../functions/flows/cache-guard.ts";
import { describeWithRedis, openTestRedis, type TestRedis } from "../support/redis-server.ts";
import { claimBy, completedBy, idempotencyCacheContract, newKeyHash } from "./idempotency-cache-contract.ts";

/** When the contract's claims are made: 2025-01-01T00:00:00Z. */
const nowMs = 1_735_689_600_000;

describeWithRedis("the contract", () => {
  idempotencyCacheContract(async () => {
    const server = await openTestRedis();
    const { cache } = server.open(nowMs);
    return { cache, wipe: async () => void (await server.admin.command(["FLUSHALL"])), close: server.close };
  });
});

describeWithRedis("the cache in Redis", () => {
  let server: TestRedis;
  beforeAll(async () => {
    server = await openTestRedis();
  });
  afterAll(async () => await server.close());

  const others: TestRedis[] = [];
  /** A server of one test, which may do with it what it likes. */
  const another = async (...args: readonly string[]) => {
    const opened = await openTestRedis(...args);
    others.push(opened);
    return opened;
  };
  afterEach(async () => void (await Promise.all(others.splice(0).map((opened) => opened.close()))));

  const commandsOf = async (work: () => Promise<unknown>): Promise<string> => {
    await server.admin.command(["CONFIG", "RESETSTAT"]);
    await work();
    const stats = String(await server.admin.command(["INFO", "commandstats"]));
    const calls = [...stats.matchAll(/cmdstat_(\w+(?:\|\w+)?):calls=(\d+)/g)].map(
      ([, name, count]) => `${name}×${count}`,
    );
    return calls.filter((call) => /^eval/.test(call)).join(" ");
  };

  describe("calls that are paid for", () => {
    test("each claim and each replace is one script, of a twin, a loser and after a lost reply too", async () => {
      const { cache } = server.open(nowMs);
      const keyHash = newKeyHash();
      const { version } = await cache.claim(keyHash, claimBy("worker-1"));
      await cache.replace(newKeyHash(), version, claimBy("worker-1"));

      const calls = await commandsOf(async () => {
        await cache.claim(keyHash, claimBy("worker-2"));
        await cache.replace(keyHash, version, completedBy("worker-1", "{}"));
        await cache.replace(keyHash, version, completedBy("worker-1", "{}"));
        await cache.replace(keyHash, version, completedBy("worker-3", "{}"));
      });

      expect(calls).toBe("evalsha×4");
    });

    test("a server that does not know the scripts is sent each of them once", async () => {
      const { cache } = server.open(nowMs);
      await server.admin.command(["SCRIPT", "FLUSH"]);

      const calls = await commandsOf(async () => {
        await cache.claim(newKeyHash(), claimBy("worker-1"));
        await cache.claim(newKeyHash(), claimBy("worker-1"));
      });

      expect(calls.split(" ").sort()).toEqual(["evalsha×2", "eval×1"].sort());
    });
  });

  describe("what the server collects as garbage", () => {
    test("a claim without an answer lives until seven days after its lease, an answer until it expires", async () => {
      const { cache } = server.open(nowMs);
      const keyHash = newKeyHash();
      const livesMs = async () => Number(await server.admin.command(["PTTL", `idempotency:${keyHash}`]));

      const { version } = await cache.claim(keyHash, claimBy("worker-1"));
      const claimed = await livesMs();
      await cache.replace(keyHash, version, completedBy("worker-1", "{}"));
      const completed = await livesMs();

      expect(7 * 86_400_000 + 30_000 - claimed).toBeLessThan(10_000);
      expect(86_400_000 - completed).toBeLessThan(10_000);
    });

    test("a record that is over when it is written can still be read by its worker", async () => {
      const { cache } = server.open(Date.UTC(2026, 0, 1));
      const keyHash = newKeyHash();

      await cache.claim(keyHash, claimBy("worker-1"));

      expect((await cache.read(keyHash))?.record).toEqual(claimBy("worker-1"));
    });
  });

  describe("failures", () => {
    test("a wrong password is permission_denied, and stands in no message", async () => {
      const closed = await another("--requirepass", "right-password");
      const { redis, cache } = closed.open(nowMs);
      await cache.claim(newKeyHash(), claimBy("worker-1"));
      await closed.admin.command(["CONFIG", "SET", "requirepass", "another-password"]);
      await redis.close();
      const late = closed.open(nowMs);

      const failure = await late.cache.claim(newKeyHash(), claimBy("worker-1")).catch((error: unknown) => error);

      expect(failure).toMatchObject({ name: "DomainError", code: "permission_denied" });
      expect(`${failure} ${(failure as Error).cause}`).not.toContain("right-password");
    });

    test("something else under a record's name is store_unavailable, and stays as it is", async () => {
      const { cache } = server.open(nowMs);
      const keyHash = newKeyHash();
      await server.admin.command(["SET", `idempotency:${keyHash}`, "not ours"]);

      await expect(cache.claim(keyHash, claimBy("worker-1"))).rejects.toMatchObject({ code: "store_unavailable" });
      expect(String(await server.admin.command(["GET", `idempotency:${keyHash}`]))).toBe("not ours");
    });

    test("a server that is gone is refused at once, and used again by the first call after it is back", async () => {
      const mortal = await another();
      const { cache } = mortal.open(nowMs);
      const keyHash = newKeyHash();
      await cache.claim(keyHash, claimBy("worker-1"));
      await mortal.kill();

      const began = Date.now();
      const endings = await Promise.allSettled(Array.from({ length: 20 }, () => cache.read(keyHash)));
      const tookMs = Date.now() - began;
      await mortal.start();
      const found = await untilAnswered(() => cache.read(keyHash));

      expect(endings.map(({ status }) => status)).toEqual(Array(20).fill("rejected"));
      expect(tookMs).toBeLessThan(1_000);
      expect(found).toBeUndefined();
    });

    test("a connection that died unseen, as a frozen instance's does, costs one more round trip and no answer", async () => {
      const { cache } = server.open(nowMs);
      const keyHash = newKeyHash();
      const { version } = await cache.claim(keyHash, claimBy("worker-1"));
      await server.admin.command(["CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"]);

      expect(await cache.replace(keyHash, version, completedBy("worker-1", "{}"))).toMatchObject({ kind: "replaced" });
    });

    test("a silent server holds a guarded call for its deadline, and a connection that it leaves silent is given up", async () => {
      const slow = await another();
      const { cache } = slow.open(nowMs);
      const guarded = guardCache({ cache, clock: systemClock, log: () => {} }, { deadlineMs: 100 });
      const keyHash = newKeyHash();
      await guarded.claim(keyHash, claimBy("worker-1"));
      await slow.admin.command(["CLIENT", "PAUSE", "1500", "ALL"]);

      const unguarded = cache.read(keyHash).catch((error: unknown) => error);
      const began = Date.now();
      const answer = await guarded.read(keyHash);
      const tookMs = Date.now() - began;

      expect(answer).toEqual({ kind: "unknown" });
      expect(tookMs).toBeLessThan(1_000);
      expect(await unguarded).toMatchObject({ code: "store_unavailable" });
      expect((await untilAnswered(() => cache.read(keyHash)))?.record).toEqual(claimBy("worker-1"));
    });
  });

  describe("a full server", () => {
    test("gives up the answers that end first, and claims that are worked on last", async () => {
      const full = await another("--maxmemory", "6mb", "--maxmemory-policy", "volatile-ttl");
      const { cache } = full.open(nowMs);
      const claims = Array.from({ length: 50 }, newKeyHash);
      for (const keyHash of claims) await cache.claim(keyHash, claimBy("worker-1"));

      for (let wave = 0; wave < 40; wave += 1)
        await Promise.all(
          Array.from({ length: 25 }, async () => {
            const keyHash = newKeyHash();
            const { version } = await cache.claim(keyHash, claimBy("worker-2"));
            await cache.replace(keyHash, version, completedBy("worker-2", "x".repeat(8_192)));
          }),
        );
      const evicted = Number(/evicted_keys:(\d+)/.exec(String(await full.admin.command(["INFO", "stats"])))?.[1]);
      const found = await Promise.all(claims.map((keyHash) => cache.read(keyHash)));

      expect(evicted).toBeGreaterThan(100);
      expect(found.filter((record) => record !== undefined)).toHaveLength(50);
    });

    test("that may give up nothing refuses a claim as store_unavailable", async () => {
      const full = await another("--maxmemory", "100kb", "--maxmemory-policy", "noeviction");
      const { cache } = full.open(nowMs);

      await expect(cache.claim(newKeyHash(), claimBy("worker-1"))).rejects.toMatchObject({ code: "store_unavailable" });
    });
  });

  describe("a server that takes over without the last writes", () => {
    test("refuses the result of a claim that it does not know, and lets the key be claimed anew", async () => {
      const failing = await another();
      const { cache } = failing.open(nowMs);
      const keyHash = newKeyHash();
      const { version } = await cache.claim(keyHash, claimBy("worker-1"));
      await failing.kill();
      await failing.start();

      const late = await untilAnswered(() => cache.replace(keyHash, version, completedBy("worker-1", "{}")));
      const second = await cache.claim(keyHash, claimBy("worker-2"));
      const later = await cache.replace(keyHash, version, completedBy("worker-1", "{}"));

      expect(late).toEqual({ kind: "lost" });
      expect(second.kind).toBe("claimed");
      expect(later).toEqual({ kind: "lost" });
    });

    test("is found by the connection to the old one, which takes no writes any more", async () => {
      const failing = await another();
      const { cache } = failing.open(nowMs);
      await cache.claim(newKeyHash(), claimBy("worker-1"));
      await failing.admin.command(["REPLICAOF", "127.0.0.1", "1"]);

      await expect(cache.claim(newKeyHash(), claimBy("worker-1"))).rejects.toMatchObject({ code: "store_unavailable" });
      await failing.admin.command(["REPLICAOF", "NO", "ONE"]);
      expect(await cache.claim(newKeyHash(), claimBy("worker-1"))).toMatchObject({ kind: "claimed" });
    });
  });
});

/** The first answer of a call that is repeated while its server comes back. */
async function untilAnswered<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await call();
    } catch (error) {
      if (tries === 100) throw error;
      await systemClock.sleep(20);
    }
  }
}
