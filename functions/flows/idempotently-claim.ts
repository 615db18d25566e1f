/**
 * The first look at a key, in the cache: lead, replay, wait, or refuse.
 * It never decides that a payment happened: a claim only says who should ask the ledger.
 */
import { isExpired } from "../domain/idempotency.ts";
import { answerNotRetained, keyReused } from "./idempotently-refusals.ts";
import type { Answer, IdempotencyDependencies, IdempotentRequest } from "./idempotently-types.ts";
import type { CacheRecord, VersionedRecord } from "./ports.ts";

/**
 * Claims the key, or says what stands there.
 * @param firstLook claim by creating; later looks only read, so that waiting writes nothing
 * @throws DomainError `idempotency_mismatch` or `idempotency_answer_not_retained`
 */
export async function takeSeat(
  deps: IdempotencyDependencies,
  request: IdempotentRequest,
  owner: string,
  firstLook: boolean,
): Promise<Seat> {
  const fresh = freshRecord(deps, request, owner, 1);
  const withoutCache: LeadingSeat = { kind: "lead", keyHash: request.keyHash, record: fresh, version: null };
  if (request.idempotencyKey === null) return withoutCache;

  const found = firstLook ? await deps.cache.claim(request.keyHash, fresh) : await deps.cache.read(request.keyHash);
  switch (found.kind) {
    case "unknown":
      return withoutCache;
    case "claimed":
      return { kind: "lead", keyHash: request.keyHash, record: found.record, version: found.version };
    case "none":
      return await takeSeat(deps, request, owner, true);
    case "exists":
    case "found":
      return await judge(deps, request, owner, found);
  }
}

/** What a look at the cache came to. */
export type Seat =
  | LeadingSeat
  | { readonly kind: "replay"; readonly answer: Answer }
  /** Another worker runs under a living lease. */
  | { readonly kind: "wait" }
  /** A race for the claim was lost: look again. */
  | { readonly kind: "retry" };

/** The right to ask the ledger; `version` is null when the cache is out of reach, and then nothing is written to it. */
export interface LeadingSeat {
  readonly kind: "lead";
  readonly keyHash: string;
  readonly record: CacheRecord;
  readonly version: string | null;
}

async function judge(
  deps: IdempotencyDependencies,
  request: IdempotentRequest,
  owner: string,
  { record, version }: VersionedRecord,
): Promise<Seat> {
  const nowMs = deps.clock.now();
  const free = record.state === "released" || isExpired(record.expiresAtMs, nowMs);
  if (!free && record.fingerprint !== request.fingerprint) throw keyReused();
  if (!free && record.state === "completed") return await replay(deps, request, owner, record);
  if (!free && record.leaseUntilMs > nowMs) return { kind: "wait" };

  const taken = freshRecord(deps, request, owner, record.generation + 1);
  const replaced = await deps.cache.replace(request.keyHash, version, taken);
  if (replaced.kind === "lost") return { kind: "retry" };
  return {
    kind: "lead",
    keyHash: request.keyHash,
    record: taken,
    version: replaced.kind === "replaced" ? replaced.version : null,
  };
}

/** Replays from the cache; an answer that did not fit there is read from the ledger's row. */
async function replay(
  deps: IdempotencyDependencies,
  request: IdempotentRequest,
  owner: string,
  record: CacheRecord,
): Promise<Seat> {
  let outcome = record.outcome;
  if (outcome === "in_ledger") {
    const { idempotency_keys: row } = await deps.ledger.read({ idempotency_keys: request.keyHash });
    outcome = row !== undefined && row.fingerprint === request.fingerprint ? row.outcome : null;
  }
  // A completed record whose answer is nowhere says nothing: the ledger decides, without the cache.
  if (outcome === null) {
    return {
      kind: "lead",
      keyHash: request.keyHash,
      record: freshRecord(deps, request, owner, record.generation + 1),
      version: null,
    };
  }
  if (outcome.body === null) throw answerNotRetained();
  const { requestId: originalRequestId, generation } = record;
  return { kind: "replay", answer: { outcome, originalRequestId, replayed: true, generation } };
}

function freshRecord(
  deps: IdempotencyDependencies,
  request: IdempotentRequest,
  owner: string,
  generation: number,
): CacheRecord {
  const nowMs = deps.clock.now();
  return {
    state: "in_progress",
    fingerprint: request.fingerprint,
    owner,
    generation,
    leaseUntilMs: nowMs + deps.timings.leaseMs,
    requestId: request.requestId,
    createdAtMs: nowMs,
    expiresAtMs: null,
    outcome: null,
  };
}
