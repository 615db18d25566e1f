/**
 * What a function is given so that it reaches an idempotency cache in Memorystore.
 * It must never give anything where the cache is Firestore: there the right to documents is all.
 */
import { environmentNames } from "../functions/config.ts";
import type { AdoptedSecret } from "./constructs/adopted-secret.ts";
import { type Grant, readSecret } from "./constructs/grants.ts";
import type { MemoryStore } from "./constructs/memory-store.ts";

/** Its variables, its secret and the right to read it; nothing where there is no such store. */
export function cacheAccess(store: MemoryStore | undefined): {
  readonly environment: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, AdoptedSecret>>;
  readonly may: readonly Grant[];
} {
  if (store === undefined) return { environment: {}, secrets: {}, may: [] };
  return {
    environment: store.environment,
    secrets: { [environmentNames.redisAuth]: store.auth },
    may: [readSecret(store.auth)],
  };
}
