// Redis servers of one suite, on loopback and in memory alone, which the suite may freeze, fill, empty and kill.
// It must never end a process that it did not start, nor fall back to anything else when no server is installed.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as waitMs } from "node:timers/promises";
import { type OpenRedis, openRedis } from "../../functions/adapters/redis-client.ts";
import { redisIdempotencyCache } from "../../functions/adapters/redis-idempotency-cache.ts";
import { systemClock } from "../../functions/adapters/system.ts";
import type { IdempotencyCache } from "../../functions/flows/ports.ts";

/** The server's program, which `npm run test:emulators` found; undefined where none is installed, as it says then. */
export const redisProgram = process.env["REDIS_SERVER"];

/** `describe` where a server is installed. */
export const describeWithRedis = redisProgram === undefined ? describe.skip : describe;

/** One server at a port that stays its own: whoever starts again there is a replacement that knows nothing. */
export interface TestRedis {
  readonly port: number;
  /** Commands of the test itself, over a connection that is no function's. */
  readonly admin: OpenRedis;
  /** A function's connection of its own and the cache over it, at a time of the test's choice. */
  open(nowMs?: number): { readonly redis: OpenRedis; readonly cache: IdempotencyCache };
  /** SIGKILL, and an end of the process. */
  kill(): Promise<void>;
  /** Starts a new server, empty, at the same port. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Starts one; `args` are the server's own. */
export async function openTestRedis(...args: readonly string[]): Promise<TestRedis> {
  const port = await freePort();
  const password = args[args.indexOf("--requirepass") + 1];
  const server = { host: "127.0.0.1", port, ...(args.includes("--requirepass") ? { password } : {}) };
  const opened: OpenRedis[] = [];
  const keep = (redis: OpenRedis) => {
    opened.push(redis);
    return redis;
  };
  let child: ChildProcess | undefined;
  const kill = async () => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  const start = async () => {
    const quiet = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", "/tmp"];
    child = spawn(redisProgram ?? "", [...quiet, ...args], { stdio: "ignore" });
    await untilAnswers(server);
  };
  await start();
  return {
    port,
    admin: keep(openRedis(server, { clock: systemClock })),
    open: (nowMs) => {
      const redis = keep(openRedis(server, { clock: systemClock }));
      return { redis, cache: redisIdempotencyCache({ redis, clock: { now: () => nowMs ?? Date.now() } }) };
    },
    kill,
    start,
    close: async () => {
      await Promise.all(opened.map((redis) => redis.close()));
      await kill();
    },
  };
}

/** Its start takes 20 ms; 5 s are a busy machine. */
async function untilAnswers(server: { host: string; port: number; password?: string | undefined }): Promise<void> {
  for (const deadline = Date.now() + 5_000; ; await waitMs(20)) {
    const redis = openRedis(server, { clock: systemClock });
    const answer = await redis.command(["PING"]).catch(() => undefined);
    await redis.close();
    if (answer !== undefined) return;
    if (Date.now() > deadline) throw new Error(`${redisProgram} did not answer within 5 s.`);
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}
