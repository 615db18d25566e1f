/**
 * What no queue of tasks takes, and which shard of a queue a wake-up goes into: for every adapter of the queues.
 * It must never look into a body beyond its size: only the receiver knows what it means.
 */
import { createHash } from "node:crypto";
import { refuse } from "./errors.ts";

/** 30 days: the furthest that Cloud Tasks schedules ahead (facts on Google Cloud, 5.1). */
const scheduleAheadMsMax = 30 * 24 * 60 * 60 * 1000;

/** 32 KiB: a larger task is billed as two operations, and ids never come near it. */
const bodyBytesMax = 32 * 1024;

/**
 * The body of a wake-up as it is sent. `scheduleAtMs` and `nowMs` are milliseconds since the epoch.
 * @throws DomainError `internal` for a path without its leading slash, a body over 32 KiB, a time more than 30 days ahead
 */
export function wakeUpBody(
  { path, body, scheduleAtMs }: { path: string; body: object; scheduleAtMs: number | null },
  nowMs: number,
): Buffer {
  const bytes = Buffer.from(JSON.stringify(body), "utf8");
  if (!path.startsWith("/")) throw refuse("internal", "A wake-up's path must begin with a slash.");
  if (bytes.length > bodyBytesMax) throw refuse("internal", `A wake-up holds at most ${bodyBytesMax} bytes.`);
  if (scheduleAtMs !== null && scheduleAtMs > nowMs + scheduleAheadMsMax)
    throw refuse("internal", "A wake-up is at most 30 days ahead.");
  return bytes;
}

/**
 * The shard of a queue, from 0, for wake-ups about `shardBy`; a digest, so that ids of one pattern spread evenly. With
 * another number of shards most values have another shard.
 * @throws DomainError `internal` when the queue has shards and nothing says which
 */
export function shardOf(shardBy: string | undefined, shards: number): number {
  if (shards === 1) return 0;
  if (shardBy === undefined) throw refuse("internal", "A wake-up for a queue with shards must say what it is about.");
  return createHash("sha256").update(shardBy, "utf8").digest().readUInt32BE(0) % shards;
}
