/**
 * The completer: settles attempts whose worker died, without any client (design section 5, Completer).
 * It never acts while a worker may still be calling, and never repeats a call outside the drive window.
 */
import type { Attempt } from "../domain/attempt.ts";
import type { Timings } from "../domain/idempotency.ts";
import type { SettleAttempt } from "./idempotently-types.ts";
import type { Clock, Ledger, Log } from "./ports.ts";

/** What completing needs. */
export interface CompleteDependencies {
  readonly ledger: Ledger;
  readonly settle: SettleAttempt;
  readonly clock: Clock;
  readonly timings: Timings;
  readonly log: Log;
}

/** How one sweep went; the numbers go into one log line. */
export interface Sweep {
  readonly settled: number;
  /** Still open: no answer from the acquirer, or outside the drive window. */
  readonly left: number;
}

/** One bounded sweep over attempts whose lease ended at least one call's timeout ago. */
export async function completeAttempts(deps: CompleteDependencies): Promise<Sweep> {
  const overdue = await deps.ledger.overdueAttempts(deps.clock.now() - deps.timings.callTimeoutMs, batchMax);
  let settled = 0;
  for (const attempt of overdue) {
    if (await complete(deps, attempt)) settled += 1;
  }
  return { settled, left: overdue.length - settled };
}

/** Attempts of one sweep: at ten seconds a call at worst, a sweep ends within its function's timeout. */
const batchMax = 20;

/** How long after its creation an attempt is still driven by repeating its call (design section 5). */
export const driveWindowMs = 15 * 60 * 1000;

/**
 * How long an attempt that only a person can end is left alone between two sweeps: it must not take the place of one
 * that a sweep can end, and ten minutes keep its alert open.
 */
const backOffMs = 10 * 60 * 1000;

async function complete(deps: CompleteDependencies, attempt: Attempt): Promise<boolean> {
  const isDriven = deps.clock.now() - attempt.createdAtMs <= driveWindowMs;
  try {
    const held = await takeAttempt(deps, attempt.id, isDriven ? deps.timings.leaseMs : backOffMs);
    if (held === undefined) return true;
    if (!isDriven) {
      deps.log("ERROR", "attempt outside the drive window", { attemptId: attempt.id, intentId: attempt.intentId });
      return false;
    }
    await deps.settle(held, "completer");
    return true;
  } catch (error) {
    deps.log("WARNING", "attempt stays open", {
      attemptId: attempt.id,
      reason: error instanceof Error ? error.message : "unknown",
    });
    return false;
  }
}

/** Takes a lease of its own, so that two sweeps and a late client do not call at once; undefined when nothing is open. */
async function takeAttempt(
  deps: CompleteDependencies,
  attemptId: string,
  leaseMs: number,
): Promise<Attempt | undefined> {
  return await deps.ledger.transact("take-attempt", async (scope) => {
    const { attempts: attempt } = await scope.read({ attempts: attemptId });
    const nowMs = deps.clock.now();
    if (attempt === undefined || attempt.state !== "open") return undefined;
    if (attempt.leaseUntilMs + deps.timings.callTimeoutMs > nowMs) return undefined;
    const held = { ...attempt, leaseUntilMs: nowMs + leaseMs };
    scope.write([{ op: "update", table: "attempts", row: held }]);
    return held;
  });
}
