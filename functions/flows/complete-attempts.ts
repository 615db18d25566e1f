/**
 * The completer: brings attempts whose worker died to their end, without any client (design section 5, Completer).
 * It never acts while a worker may still be calling, and never takes "not found" for "failed".
 */
import { type Attempt, isUnderWay, lateVoidKey } from "../domain/attempt.ts";
import { isDriven, needsPerson, nextVisitMs, voidedAttempt } from "../domain/completion.ts";
import { reasonOf } from "../domain/errors.ts";
import type { Timings } from "../domain/idempotency.ts";
import type { Acquirer } from "./acquirer-ports.ts";
import type { CommitResult, FinishChallenge, SettleAttempt } from "./idempotently-types.ts";
import type { Clock, Ledger, Log } from "./ports.ts";

/** What completing needs. */
export interface CompleteDependencies {
  readonly ledger: Ledger;
  readonly acquirer: Acquirer;
  readonly settle: SettleAttempt;
  readonly commit: CommitResult;
  readonly finishChallenge: FinishChallenge;
  readonly clock: Clock;
  readonly timings: Timings;
  readonly log: Log;
}

/** How one sweep went; the numbers go into one log line. */
export interface Sweep {
  readonly settled: number;
  /** Not at their end: no answer from the acquirer, or a further step later. */
  readonly left: number;
}

/** One bounded sweep over attempts that are due. */
export async function completeAttempts(deps: CompleteDependencies): Promise<Sweep> {
  const overdue = await deps.ledger.overdueAttempts(deps.clock.now() - deps.timings.callTimeoutMs, batchMax);
  let settled = 0;
  for (const attempt of overdue) {
    if (await complete(deps, attempt.id)) settled += 1;
  }
  return { settled, left: overdue.length - settled };
}

/** What is due of one attempt, when a task says so; the sweep comes by for it anyway. */
export async function completeAttempt(deps: CompleteDependencies, attemptId: string): Promise<Sweep> {
  const settled = await complete(deps, attemptId);
  return { settled: settled ? 1 : 0, left: settled ? 0 : 1 };
}

/** Attempts of one sweep: at ten seconds a call at worst, a sweep ends within its function's timeout. */
const batchMax = 20;

async function complete(deps: CompleteDependencies, attemptId: string): Promise<boolean> {
  try {
    const held = await takeAttempt(deps, attemptId);
    if (held === undefined) return true;
    tellOfOldOnes(deps, held);
    return await advance(deps, held);
  } catch (error) {
    deps.log("WARNING", "attempt stays open", {
      attemptId,
      reason: reasonOf(error),
    });
    return false;
  }
}

/** One step of an attempt; true when it was its last. */
async function advance(deps: CompleteDependencies, attempt: Attempt): Promise<boolean> {
  switch (attempt.state) {
    case "challenged":
      return (await deps.finishChallenge(attempt.id)).kind !== "waiting";
    case "pending":
      return await settleLater(deps, attempt);
    case "voiding":
      return await confirmVoid(deps, attempt);
    default:
      return await drive(deps, attempt);
  }
}

/** What the acquirer said it would settle: its word, whenever it is ready. */
async function settleLater(deps: CompleteDependencies, attempt: Attempt): Promise<boolean> {
  const found = await deps.acquirer.lookup(attempt.id);
  if (found.kind !== "found" || found.result.kind === "challenge") return false;
  await deps.commit(attempt, found.result, "completer");
  return found.result.kind !== "pending";
}

/**
 * Inside the drive window the call is repeated under its key. Later only an authorization is given up: what is about one
 * that exists (capture, void, refund) is the same wish however late, and its key lives for days.
 */
async function drive(deps: CompleteDependencies, attempt: Attempt): Promise<boolean> {
  if (attempt.kind !== "authorize" || isDriven(attempt, deps.clock.now())) {
    await deps.settle(attempt, "completer");
    return true;
  }
  const found = await deps.acquirer.lookup(attempt.id);
  if (found.kind === "running") return false;
  if (found.kind === "found" && !found.isVoided) {
    await deps.commit(attempt, found.result, "completer");
    return true;
  }
  const voiding = await beginVoiding(deps, attempt);
  // The look that decides comes one call's timeout later, with the next sweep: until then an order may still land.
  if (voiding !== undefined) await deps.acquirer.voidKey({ ...voiding, key: voiding.id });
  return false;
}

/** The second look: voided only when nothing lives under the key; what landed in the meantime is voided by its reference. */
async function confirmVoid(deps: CompleteDependencies, attempt: Attempt): Promise<boolean> {
  const found = await deps.acquirer.lookup(attempt.id);
  if (found.kind === "running") return false;
  const result = found.kind === "found" && !found.isVoided ? found.result : undefined;
  const isLive = result?.kind === "approved" || result?.kind === "pending";
  if (isLive) {
    const { amountMinor, currency } = attempt;
    await deps.acquirer.void({ key: lateVoidKey(attempt.id), reference: result.reference, amountMinor, currency });
    return false;
  }
  await deps.acquirer.voidKey({ ...attempt, key: attempt.id });
  await deps.commit(attempt, voidedAttempt, "completer");
  return true;
}

/** Takes a lease of its own, so that two sweeps, a task and a late client do not act at once; undefined when nothing is due. */
async function takeAttempt(deps: CompleteDependencies, attemptId: string): Promise<Attempt | undefined> {
  return await deps.ledger.transact("take-attempt", async (scope) => {
    const { attempts: attempt } = await scope.read({ attempts: attemptId });
    const nowMs = deps.clock.now();
    if (attempt === undefined || !isUnderWay(attempt)) return undefined;
    // A worker's last call may run on for its timeout; for what only waits there is no worker.
    const graceMs = attempt.state === "open" || attempt.state === "voiding" ? deps.timings.callTimeoutMs : 0;
    if (attempt.leaseUntilMs + graceMs > nowMs) return undefined;
    const held = { ...attempt, leaseUntilMs: nextVisitMs(attempt, nowMs, deps.timings) };
    scope.write([{ op: "update", table: "attempts", row: held }]);
    return held;
  });
}

/** From here on no call that authorizes may start under the attempt's key: whoever holds it finds it no longer open. */
async function beginVoiding(deps: CompleteDependencies, attempt: Attempt): Promise<Attempt | undefined> {
  return await deps.ledger.transact("begin-voiding", async (scope) => {
    const { attempts: current } = await scope.read({ attempts: attempt.id });
    if (current?.state !== "open" || current.leaseUntilMs !== attempt.leaseUntilMs) return undefined;
    // Due at once, and the grace of one call's timeout is what the second look waits.
    const voiding: Attempt = { ...current, state: "voiding", leaseUntilMs: deps.clock.now() };
    scope.write([{ op: "update", table: "attempts", row: voiding }]);
    return voiding;
  });
}

/** The lines that alerts watch: an attempt that should have ended, and one that only a person can end. */
function tellOfOldOnes(deps: CompleteDependencies, attempt: Attempt): void {
  const nowMs = deps.clock.now();
  if (attempt.state === "challenged" || attempt.state === "pending" || isDriven(attempt, nowMs)) return;
  const fields = { attemptId: attempt.id, paymentIntentId: attempt.intentId, kind: attempt.kind, state: attempt.state };
  deps.log("ERROR", "attempt outside the drive window", fields);
  if (needsPerson(attempt, nowMs)) deps.log("ERROR", "attempt needs a person", fields);
}
