/**
 * The first transaction (T1): the key row and the command's rows in one commit, fenced by owner and generation.
 * It never calls outside, and never believes a lost reply: an unknown commit is resolved by running it again.
 */
import { DomainError, hasCode, refuse } from "../domain/errors.ts";
import { expiryOf, type Fence, isExpired } from "../domain/idempotency.ts";
import type { Change, FoundRows, KeyRow } from "../domain/rows.ts";
import type { Begun, FirstCommit, IdempotencyDependencies, IdempotentRequest, Work } from "./idempotently-types.ts";
import type { LedgerTransactionScope } from "./ports.ts";

/**
 * Commits the command under the key, or says whose row stands there (design section 4.3).
 * @throws DomainError `commit_unknown` when the ledger does not say after several runs, `store_unavailable`
 */
export function firstCommit(
  deps: IdempotencyDependencies,
  request: IdempotentRequest,
  work: Work,
  fence: Fence,
): Promise<FirstCommit> {
  const createdAtMs = deps.clock.now();
  return fence.generation === 1 && work.blind !== undefined
    ? insertBlindly(deps, request, work, work.blind(fence), fence, createdAtMs)
    : commitGuarded(deps, request, work, fence, createdAtMs, "nothing");
}

/**
 * What the key row says to this worker as it stands: mismatch, replay or busy; one read. Undefined when there is none,
 * or it is the worker's own, expired or past its lease: then only a transaction can go on.
 */
export async function lookAtKeyRow(
  deps: IdempotencyDependencies,
  request: IdempotentRequest,
  fence: Fence,
): Promise<FirstCommit | undefined> {
  const { idempotency_keys: row } = await deps.ledger.read({ idempotency_keys: request.keyHash });
  const nowMs = deps.clock.now();
  if (row === undefined || isHeldBy(row, fence) || isExpired(row.expiresAtMs, nowMs)) return undefined;
  return standsAgainst(request, row, nowMs);
}

/** Gives up the lease of a key row that is still ours and undecided, so that a retry need not wait for the clock. */
export async function giveUpLease(deps: IdempotencyDependencies, keyHash: string, fence: Fence): Promise<void> {
  try {
    await deps.ledger.transact("give-up-lease", async (scope) => {
      const { idempotency_keys: row } = await scope.read({ idempotency_keys: keyHash });
      if (row === undefined || row.outcome !== null || !isHeldBy(row, fence)) return;
      scope.write([{ op: "update", table: "idempotency_keys", row: { ...row, leaseUntilMs: deps.clock.now() } }]);
    });
  } catch (error) {
    // The lease ends by the clock anyway; the request's own failure is what the client must hear.
    deps.log("WARNING", "lease not given up", {
      keyId: keyHash,
      reason: error instanceof DomainError ? error.code : "internal",
    });
  }
}

/** How often an unknown commit is run again before the client is told to retry. */
const runsMax = 3;

/** One round trip; where a row stood there or the reply was lost, the guarded form has to look. */
async function insertBlindly(
  deps: IdempotencyDependencies,
  request: IdempotentRequest,
  work: Work,
  begun: Begun,
  fence: Fence,
  createdAtMs: number,
): Promise<FirstCommit> {
  if (begun.kind === "locked") return { kind: "locked" };
  const row = keyRowOf(request, begun, fence, createdAtMs);
  const keyChange: Change = { op: "insert", table: "idempotency_keys", row };
  let inserted: "inserted" | "exists" | "unknown";
  try {
    inserted = await deps.ledger.insert("first-commit", [...begun.changes, keyChange]);
  } catch (error) {
    if (!hasCode(error, "commit_unknown")) throw error;
    inserted = "unknown";
  }
  if (inserted === "inserted") return committed(begun, row);
  return await commitGuarded(deps, request, work, fence, createdAtMs, inserted);
}

/** One transaction, again where the ledger does not say whether it committed; `after` is what came of a blind insert. */
async function commitGuarded(
  deps: IdempotencyDependencies,
  request: IdempotentRequest,
  work: Work,
  fence: Fence,
  createdAtMs: number,
  after: "nothing" | "exists" | "unknown",
): Promise<FirstCommit> {
  let mayStand = after === "unknown";
  try {
    // Whoever lost to a twin can learn so without a transaction; a hundred of those on one row hold each other up.
    const standing = after === "nothing" ? undefined : await lookAtKeyRow(deps, request, fence);
    if (standing !== undefined) return standing;
    for (let run = 1; ; run += 1) {
      try {
        return await deps.ledger.transact("first-commit", (scope) =>
          guarded(deps, request, work, fence, createdAtMs, scope),
        );
      } catch (error) {
        if (!hasCode(error, "commit_unknown") || run === runsMax) throw error;
        mayStand = true;
      }
    }
  } catch (error) {
    // A ledger that went away does not say that an earlier commit failed.
    if (mayStand && hasCode(error, "store_unavailable"))
      throw refuse("commit_unknown", "The ledger did not say whether the first commit stands.", { cause: error });
    throw error;
  }
}

/** The guarded form: reads the key row first, so that a second run recognises the first one's commit. */
async function guarded(
  deps: IdempotencyDependencies,
  request: IdempotentRequest,
  work: Work,
  fence: Fence,
  createdAtMs: number,
  scope: LedgerTransactionScope,
): Promise<FirstCommit> {
  const found = await scope.read({ ...work.reads, idempotency_keys: request.keyHash });
  const row = found.idempotency_keys;
  const nowMs = deps.clock.now();
  if (row === undefined) return await execute(request, work, fence, createdAtMs, scope, found);
  if (isHeldBy(row, fence)) return await recognise(scope, row);
  if (isExpired(row.expiresAtMs, nowMs)) {
    const next = { ...fence, generation: Math.max(fence.generation, row.generation + 1) };
    return await execute(request, work, next, createdAtMs, scope, found);
  }
  return standsAgainst(request, row, nowMs) ?? (await takeOver(deps, scope, row, fence));
}

/** What somebody else's living row means for this request; undefined when its lease is over and it may be taken over. */
function standsAgainst(request: IdempotentRequest, row: KeyRow, nowMs: number): FirstCommit | undefined {
  if (row.fingerprint !== request.fingerprint) return { kind: "mismatch", row };
  if (row.outcome !== null) return { kind: "replay", row, outcome: row.outcome };
  return row.leaseUntilMs > nowMs ? { kind: "busy" } : undefined;
}

async function execute(
  request: IdempotentRequest,
  work: Work,
  fence: Fence,
  createdAtMs: number,
  scope: LedgerTransactionScope,
  found: FoundRows,
): Promise<FirstCommit> {
  const begun = await work.begin(found, scope, fence);
  if (begun.kind === "locked") return { kind: "locked" };
  const row = keyRowOf(request, begun, fence, createdAtMs);
  const keyChange: Change = {
    op: found.idempotency_keys === undefined ? "insert" : "update",
    table: "idempotency_keys",
    row,
  };
  scope.write([...begun.changes, keyChange]);
  return committed(begun, row);
}

/** An earlier run of this very worker committed, and its reply was lost. */
async function recognise(scope: LedgerTransactionScope, row: KeyRow): Promise<FirstCommit> {
  if (row.outcome !== null) return { kind: "decided", row, outcome: row.outcome };
  if (row.attemptId === null) return { kind: "intention", row };
  return { kind: "attempt", row, attempt: await attemptOf(scope, row) };
}

/** The lease of an undecided row is over: raise the fence and adopt its attempt (design section 4.5). */
async function takeOver(
  deps: IdempotencyDependencies,
  scope: LedgerTransactionScope,
  row: KeyRow,
  fence: Fence,
): Promise<FirstCommit> {
  const leaseUntilMs = deps.clock.now() + deps.timings.leaseMs;
  const raised: KeyRow = {
    ...row,
    owner: fence.owner,
    generation: Math.max(fence.generation, row.generation + 1),
    leaseUntilMs,
  };
  const changes: Change[] = [{ op: "update", table: "idempotency_keys", row: raised }];
  if (row.attemptId === null) {
    scope.write(changes);
    return { kind: "intention", row: raised };
  }
  const attempt = { ...(await attemptOf(scope, row)), leaseUntilMs };
  if (attempt.state === "open") changes.push({ op: "update", table: "attempts", row: attempt });
  scope.write(changes);
  return { kind: "attempt", row: raised, attempt };
}

async function attemptOf(scope: LedgerTransactionScope, row: KeyRow) {
  const { attempts: attempt } = row.attemptId === null ? {} : await scope.read({ attempts: row.attemptId });
  if (attempt === undefined) throw new Error(`Key row ${row.keyHash} has neither an outcome nor an attempt.`);
  return attempt;
}

function isHeldBy(row: KeyRow, fence: Fence): boolean {
  return row.owner === fence.owner;
}

function committed(begun: Exclude<Begun, { kind: "locked" }>, row: KeyRow): FirstCommit {
  if (begun.kind === "intention") return { kind: "intention", row };
  return begun.kind === "decided"
    ? { kind: "decided", row, outcome: begun.outcome }
    : { kind: "attempt", row, attempt: begun.attempt };
}

function keyRowOf(
  request: IdempotentRequest,
  begun: Exclude<Begun, { kind: "locked" }>,
  fence: Fence,
  createdAtMs: number,
): KeyRow {
  const decided = begun.kind === "decided";
  return {
    keyHash: request.keyHash,
    accountId: request.accountId,
    idempotencyKey: request.idempotencyKey,
    method: request.method,
    path: request.path,
    fingerprint: request.fingerprint,
    requestId: request.requestId,
    expand: request.expand,
    owner: fence.owner,
    generation: fence.generation,
    leaseUntilMs: fence.leaseUntilMs,
    attemptId: begun.kind === "attempt" ? begun.attempt.id : null,
    resourceId: begun.resourceId,
    intention: begun.kind === "intention" ? begun.intention : null,
    createdAtMs,
    outcome: decided ? begun.outcome : null,
    expiresAtMs: decided ? expiryOf(createdAtMs) : null,
  };
}
