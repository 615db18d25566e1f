/**
 * The idempotent write path: claim the key, commit the intention, call outside, commit the answer, remember it.
 * It never lets a failing cache change an answer: what it answers follows from its own commits to the ledger.
 */
import { hasCode, refuse } from "../domain/errors.ts";
import { type Fence, isExpired } from "../domain/idempotency.ts";
import type { KeyRow } from "../domain/rows.ts";
import { type LeadingSeat, type Seat, takeSeat } from "./idempotently-claim.ts";
import { firstCommit, giveUpLease, lookAtKeyRow } from "./idempotently-first-commit.ts";
import { carryOut } from "./idempotently-intention.ts";
import { answerNotRetained, keyInUse, keyReused } from "./idempotently-refusals.ts";
import type {
  Answer,
  FirstCommit,
  IdempotencyDependencies,
  IdempotentRequest,
  KeyOutcome,
  Work,
} from "./idempotently-types.ts";
import type { CacheRecord } from "./ports.ts";

/**
 * Runs `work` at most once under the request's key and gives every repeat the first answer (design section 4).
 * @throws DomainError `idempotency_mismatch`, `idempotency_key_in_use`, `lock_timeout`,
 *   `idempotency_answer_not_retained`, and 5xx codes, none of which is stored
 */
export async function idempotently(
  deps: IdempotencyDependencies,
  request: IdempotentRequest,
  work: Work,
): Promise<Answer> {
  const path: Path = { waitUntilMs: deps.clock.now() + request.waitMs, hasWaited: false, generation: null };
  const owner = deps.random.token();
  try {
    const seat = await takeSeat(deps, request, owner, true);
    const answer = await answerFrom(deps, request, work, seat, owner, path);
    tell(deps, request, outcomeOf(request, answer, path), answer.generation);
    return answer;
  } catch (error) {
    tell(deps, request, outcomeOfFailure(error), path.generation);
    throw error;
  }
}

/** How a request comes to its answer. */
interface Path {
  /** When it must stop waiting for others, in milliseconds since the epoch. */
  readonly waitUntilMs: number;
  hasWaited: boolean;
  /** Of the claim that it held. */
  generation: number | null;
}

function tell(
  deps: IdempotencyDependencies,
  request: IdempotentRequest,
  keyOutcome: KeyOutcome,
  generation: number | null,
): void {
  if (request.idempotencyKey !== null) deps.tellKey?.({ keyOutcome, generation });
}

function outcomeOf(request: IdempotentRequest, answer: Answer, { hasWaited }: Path): KeyOutcome {
  if (answer.replayed) return hasWaited ? "waited" : "replayed";
  return answer.originalRequestId === request.requestId ? "executed" : "adopted";
}

function outcomeOfFailure(error: unknown): KeyOutcome {
  if (hasCode(error, "idempotency_key_in_use")) return "in_use";
  if (hasCode(error, "idempotency_mismatch")) return "mismatch";
  return hasCode(error, "idempotency_answer_not_retained") ? "replayed" : "released";
}

/** Executes, replays, or waits for a seat in which it can. */
function answerFrom(
  deps: IdempotencyDependencies,
  request: IdempotentRequest,
  work: Work,
  seat: Seat,
  owner: string,
  path: Path,
): Answer | Promise<Answer> {
  if (seat.kind === "replay") return seat.answer;
  if (seat.kind !== "lead") return waitAndAnswer(deps, request, work, seat, owner, path);
  path.generation = seat.record.generation;
  return lead(deps, request, work, seat, path);
}

/** Looks again and again, at the cache and at the ledger in turn, until it may lead, can replay, or its time is up. */
async function waitAndAnswer(
  deps: IdempotencyDependencies,
  request: IdempotentRequest,
  work: Work,
  firstSeat: Seat,
  owner: string,
  path: Path,
): Promise<Answer> {
  let seat = firstSeat;
  let pauseMs = deps.timings.pollMs;
  for (let looks = 1; ; looks += 1) {
    if (seat.kind === "replay" || seat.kind === "lead") return await answerFrom(deps, request, work, seat, owner, path);
    if (seat.kind === "wait" || looks >= looksWithoutPauseMax) {
      if (deps.clock.now() + pauseMs > path.waitUntilMs) break;
      path.hasWaited = true;
      await deps.clock.sleep(pauseMs);
      pauseMs *= pauseGrowth;
    }
    seat = looks % 2 === 0 ? await lookAtLedger(deps, request) : await takeSeat(deps, request, owner, false);
  }
  // Before any 409 the key row is read once (design section 4.1).
  const last = await lookAtLedger(deps, request);
  if (last.kind === "replay") return last.answer;
  throw keyInUse();
}

/**
 * Every other look of a waiting twin goes to the ledger: a worker that died between its last commit and the cache write
 * has left its answer there, and the twin must not wait out its lease.
 */
async function lookAtLedger(deps: IdempotencyDependencies, request: IdempotentRequest): Promise<Seat> {
  const { idempotency_keys: row } = await deps.ledger.read({ idempotency_keys: request.keyHash });
  if (row === undefined || row.outcome === null || isExpired(row.expiresAtMs, deps.clock.now()))
    return { kind: "wait" };
  if (row.fingerprint !== request.fingerprint) throw keyReused();
  return { kind: "replay", answer: answerOf(row, row.outcome, true) };
}

/** A lost race is looked at again at once, but not for ever: then it waits like a twin. */
const looksWithoutPauseMax = 4;

/** Each pause is half as long again as the last, so that a long wait costs few reads. */
const pauseGrowth = 1.5;

/** Executes under the claim; whatever fails afterwards, the claim is completed, released or left to its lease. */
async function lead(
  deps: IdempotencyDependencies,
  request: IdempotentRequest,
  work: Work,
  seat: LeadingSeat,
  path: Path,
): Promise<Answer> {
  const fence: Fence = seat.record;
  let intentionMayStand = false;
  try {
    let first = await firstCommit(deps, request, work, fence);
    if (first.kind === "busy") first = await waitAndCommit(deps, request, work, fence, path);
    intentionMayStand = first.kind === "attempt" || first.kind === "intention";
    return await conclude(deps, request, seat, first, work);
  } catch (error) {
    if (intentionMayStand || hasCode(error, "commit_unknown")) await giveUpLease(deps, request.keyHash, fence);
    await release(deps, seat);
    throw error;
  }
}

/** Whoever loses the first commit waits on the key row, not on the cache (design section 4.1). */
async function waitAndCommit(
  deps: IdempotencyDependencies,
  request: IdempotentRequest,
  work: Work,
  fence: Fence,
  path: Path,
): Promise<FirstCommit> {
  for (let pauseMs = deps.timings.pollMs; ; pauseMs *= pauseGrowth) {
    if (deps.clock.now() + pauseMs > path.waitUntilMs) throw keyInUse();
    path.hasWaited = true;
    await deps.clock.sleep(pauseMs);
    const first = (await lookAtKeyRow(deps, request, fence)) ?? (await firstCommit(deps, request, work, fence));
    if (first.kind !== "busy") return first;
  }
}

/** Turns a first commit into an answer, and remembers it in the cache. */
async function conclude(
  deps: IdempotencyDependencies,
  request: IdempotentRequest,
  seat: LeadingSeat,
  first: FirstCommit,
  work: Work,
): Promise<Answer> {
  switch (first.kind) {
    case "locked":
      throw refuse(
        "lock_timeout",
        "This object cannot be accessed right now because another request is changing it. Please retry.",
      );
    case "busy":
      throw keyInUse();
    case "mismatch":
      await complete(deps, seat, first.row);
      throw keyReused();
    case "decided":
    case "replay":
      await complete(deps, seat, first.row);
      return answerOf(first.row, first.outcome, first.kind === "replay");
    case "intention": {
      const { row, outcome, own } = await carryOut(deps, request, first.row, work);
      await complete(deps, seat, row);
      return answerOf(row, outcome, !own);
    }
    case "attempt": {
      const settled = await deps.settle(first.attempt, "client");
      if (settled.row === null || settled.row.outcome === null) throw keyInUse();
      await complete(deps, seat, settled.row);
      return answerOf(settled.row, settled.row.outcome, !settled.won);
    }
  }
}

function answerOf(row: KeyRow, outcome: Answer["outcome"], replayed: boolean): Answer {
  if (replayed && outcome.body === null) throw answerNotRetained();
  return { outcome, originalRequestId: row.requestId, replayed, generation: row.generation };
}

/** Writes the outcome into the claim; a lost or late write changes nothing, because the ledger has it. */
function complete(deps: IdempotencyDependencies, seat: LeadingSeat, row: KeyRow): Promise<unknown> | undefined {
  if (row.outcome === null || row.idempotencyKey === null) return undefined;
  const record: CacheRecord = {
    ...seat.record,
    state: "completed",
    fingerprint: row.fingerprint,
    requestId: row.requestId,
    createdAtMs: row.createdAtMs,
    expiresAtMs: row.expiresAtMs,
    outcome: row.outcome,
  };
  if (seat.version === null) return completeUnanswered(deps, row.keyHash, record);
  return deps.cache.replace(row.keyHash, seat.version, record);
}

/** The claim went unanswered. It may have been written all the same, and would then hold twins until its lease ends. */
async function completeUnanswered(deps: IdempotencyDependencies, keyHash: string, record: CacheRecord): Promise<void> {
  const late = await deps.cache.claim(keyHash, record);
  if (late.kind === "exists" && late.record.owner === record.owner && late.record.state === "in_progress") {
    await deps.cache.replace(keyHash, late.version, record);
  }
}

/** Marks the claim released and keeps its generation; it deletes nothing (design section 4.3). */
async function release(deps: IdempotencyDependencies, seat: LeadingSeat): Promise<void> {
  if (seat.version === null) return;
  await deps.cache.replace(seat.keyHash, seat.version, {
    ...seat.record,
    state: "released",
    leaseUntilMs: deps.clock.now(),
  });
}
