// The Redis server of a plan whose idempotency cache is Memorystore: started here, with a password, and ended with the laptop.
// It must never let a function in that the plan gives no connector, nor be there for a plan whose cache is Firestore.

import { randomBytes } from "node:crypto";
import { openRedis } from "../functions/adapters/redis-client.ts";
import { redisIdempotencyCache } from "../functions/adapters/redis-idempotency-cache.ts";
import { systemClock } from "../functions/adapters/system.ts";
import { environmentNames } from "../functions/config.ts";
import { refuse } from "../functions/domain/errors.ts";
import type { IdempotencyCache } from "../functions/flows/ports.ts";
import { guarded } from "./guarded-call.ts";
import { type Plan, type PlannedFunction, plannedFunction } from "./plan.ts";
import { findRedisServer, NO_REDIS_SERVER, startRedisServer } from "./redis-server.ts";

/** A running server, and what leads functions to it instead of to the planned instance. */
export type PlannedRedis = {
  cache: IdempotencyCache;
  /** Values of secrets by their full resource name. */
  secrets: ReadonlyMap<string, string>;
  /** Variables of this machine, for the functions that have them. */
  variables: Readonly<Record<string, string>>;
  stop(): Promise<void>;
};

/** Starts it; undefined for a plan without. Throws an Error of one line where no server is installed. */
export async function openPlannedRedis(plan: Plan): Promise<PlannedRedis | undefined> {
  const user = plannedFunction(plan, "payments-api");
  if (!usesRedis(user)) return undefined;
  const command = findRedisServer();
  if (command === undefined) throw new Error(`the plan's cache is Redis; ${NO_REDIS_SERVER}`);
  // Hexadecimal, like every secret that is made up here; it ends with the server.
  const password = randomBytes(24).toString("hex");
  const server = await startRedisServer(command, ["--requirepass", password, "--maxmemory-policy", "volatile-ttl"]);
  const redis = openRedis({ host: "127.0.0.1", port: server.port, password }, { clock: systemClock });
  return {
    cache: redisIdempotencyCache({ redis, clock: systemClock }),
    secrets: new Map([[user.secrets[environmentNames.redisAuth] ?? "", password]]),
    variables: {
      [environmentNames.redisHost]: "127.0.0.1",
      [environmentNames.redisPort]: String(server.port),
      // In the clear: nobody listens on loopback.
      [environmentNames.redisAuthorities]: "",
    },
    stop: async () => {
      await redis.close();
      await server.stop();
    },
  };
}

/** True for a function whose cache is Redis in this plan. */
export function usesRedis({ environment }: PlannedFunction): boolean {
  return environmentNames.redisHost in environment;
}

/** The cache as the function reaches it: in the cloud a private address answers nobody without a way into its network. */
export function reachedByConnector({ name, connector }: PlannedFunction, cache: IdempotencyCache): IdempotencyCache {
  const check = () => {
    if (connector === undefined)
      throw refuse("store_unavailable", `The plan gives ${name} no connector into the network of its cache.`);
  };
  return {
    claim: guarded(check, cache.claim),
    read: guarded(check, cache.read),
    replace: guarded(check, cache.replace),
  };
}
