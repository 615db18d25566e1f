/**
 * The idempotency cache in Redis: one hash per key, every claim and every replace one script on the server (design section 4).
 * It must never write without its condition, decide by a record's time to live, or believe an answer to be somebody else's
 * before it looked at the owner.
 */
import { createHash, randomUUID } from "node:crypto";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { claimOfFields, fieldsOfClaim, keptUntilMs } from "../domain/claim-fields.ts";
import { isOwnWrite } from "../domain/claim-storage.ts";
import { refuse } from "../domain/errors.ts";
import type { CacheRecord, Clock, IdempotencyCache, VersionedRecord } from "../flows/ports.ts";
import { isUnknownScript, type OpenRedis, openRedis, type RedisServer } from "./redis-client.ts";

/** The cache of an entry, over a connection of its own; undefined where no server is named. */
export function openRedisCache(server: RedisServer | undefined, deps: { readonly clock: Clock }) {
  if (server === undefined) return undefined;
  const redis = openRedis(server, deps);
  return { cache: redisIdempotencyCache({ ...deps, redis }), close: redis.close };
}

/** The cache over one server; `clock` says how long a record has to live when it is written. */
export function redisIdempotencyCache(deps: RedisCacheDependencies): IdempotencyCache {
  return {
    claim: async (keyHash, record) => {
      const written = await writing(deps, record);
      const reply = await run(deps.redis, CLAIM, keyHash, written.parts);
      const found = await foundIn(reply);
      if (found === undefined) return { kind: "claimed", record, version: written.version };
      return { kind: isOwnWrite(found.record, record) ? "claimed" : "exists", ...found };
    },
    read: async (keyHash) => await foundIn(await deps.redis.command(["HMGET", nameOf(keyHash), ...FIELDS])),
    replace: async (keyHash, version, record) => {
      const written = await writing(deps, record);
      const reply = await run(deps.redis, REPLACE, keyHash, [version, ...written.parts]);
      if (reply === 1) return { kind: "replaced", version: written.version };
      const found = await foundIn(reply);
      if (found === undefined || !isOwnWrite(found.record, record)) return { kind: "lost" };
      return { kind: "replaced", version: found.version };
    },
  };
}

/** What the cache needs. */
export interface RedisCacheDependencies {
  readonly redis: OpenRedis;
  readonly clock: Pick<Clock, "now">;
}

/** The name of a key's record on the server; a prefix tells an operator what it is. */
function nameOf(keyHash: string): string {
  return `idempotency:${keyHash}`;
}

/** The fields of a record's hash: a version that no other write has, the claim as JSON without its body, and the body. */
const FIELDS = ["version", "claim", "body"] as const;

type Script = { readonly text: string; readonly digest: string };

function script(text: string): Script {
  return { text, digest: createHash("sha1").update(text).digest("hex") };
}

/** KEYS: the record. ARGV: version, claim, body, milliseconds to live. Answers what stands there, or null after writing. */
const CLAIM = script(`
local found = redis.call('HMGET', KEYS[1], 'version', 'claim', 'body')
if found[1] then return found end
redis.call('HSET', KEYS[1], 'version', ARGV[1], 'claim', ARGV[2], 'body', ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return false`);

/** KEYS: the record. ARGV: the version that must stand there, then as above. Answers 1, or what stands there instead. */
const REPLACE = script(`
local found = redis.call('HMGET', KEYS[1], 'version', 'claim', 'body')
if found[1] ~= ARGV[1] then return found end
redis.call('HSET', KEYS[1], 'version', ARGV[2], 'claim', ARGV[3], 'body', ARGV[4])
redis.call('PEXPIRE', KEYS[1], ARGV[5])
return 1`);

/** One round trip; two when the server does not know the script, which happens once in a server's life. */
async function run({ command }: OpenRedis, { text, digest }: Script, keyHash: string, parts: Part[]): Promise<unknown> {
  try {
    return await command(["EVALSHA", digest, "1", nameOf(keyHash), ...parts]);
  } catch (error) {
    if (!isUnknownScript(error)) throw error;
  }
  return await command(["EVAL", text, "1", nameOf(keyHash), ...parts]);
}

type Part = string | Buffer;

/** A record as the scripts take it, under a fresh version: a number would count anew on a server that forgot. */
async function writing({ clock }: RedisCacheDependencies, record: CacheRecord) {
  const { body, ...claim } = await fieldsOfClaim(record, (bytes) => promisify(gzip)(bytes));
  const version = randomUUID();
  const livesMs = Math.max(keptUntilMs(record) - clock.now(), livesMsMin);
  return { version, parts: [version, JSON.stringify(claim), Buffer.from(body ?? []), String(livesMs)] as Part[] };
}

/**
 * 60 s: time to live is garbage collection only, and what counts is decided by the clock at each read. So a record that is
 * over already, or a clock that is off, makes no write vanish before its worker looked at it.
 */
const livesMsMin = 60_000;

/**
 * The record in a reply; undefined for none.
 * @throws DomainError `store_unavailable` when something else was written under its name
 */
async function foundIn(reply: unknown): Promise<VersionedRecord | undefined> {
  if (reply === null) return undefined;
  const [version, claim, body] = reply as readonly (Buffer | null)[];
  if (version === undefined || version === null) return undefined;
  try {
    const fields = { ...JSON.parse(String(claim)), body };
    const record = await claimOfFields(fields, (bytes, maxOutputLength) =>
      promisify(gunzip)(bytes, { maxOutputLength }),
    );
    return { record, version: String(version) };
  } catch (cause) {
    throw refuse("store_unavailable", "A record of the cache cannot be read.", { cause });
  }
}
