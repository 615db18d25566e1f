/**
 * The expiry: cancels what was authorized and not captured in its window, and releases the money (contract section 5.3).
 * It never takes the slot of a payment that somebody is working on: that one waits for the next sweep.
 */
import { automaticKey } from "../domain/attempt.ts";
import { decide } from "../domain/decide.ts";
import { reasonOf } from "../domain/errors.ts";
import type { Timings } from "../domain/idempotency.ts";
import type { PaymentIntent } from "../domain/payment-intent.ts";
import { rowsOf } from "./idempotently-rows.ts";
import type { SettleAttempt } from "./idempotently-types.ts";
import type { Clock, Ledger, Log, Random } from "./ports.ts";

/** What expiring needs. */
export interface ExpireDependencies {
  readonly ledger: Ledger;
  readonly settle: SettleAttempt;
  readonly clock: Clock;
  readonly random: Random;
  readonly timings: Timings;
  readonly log: Log;
}

/** One bounded sweep over holds whose window has ended; `left` are those that stay for the next one. */
export async function expireHolds(
  deps: ExpireDependencies,
): Promise<{ readonly expired: number; readonly left: number }> {
  const overdue = await deps.ledger.overdueHolds(deps.clock.now(), batchMax);
  let expired = 0;
  for (const intent of overdue) {
    if (await expire(deps, intent)) expired += 1;
  }
  return { expired, left: overdue.length - expired };
}

/** Holds of one sweep: at ten seconds a call at worst, a sweep ends within its function's timeout. */
const batchMax = 20;

/** The void is an attempt like any other: if this run dies, the completer finishes it. */
async function expire(deps: ExpireDependencies, overdue: PaymentIntent): Promise<boolean> {
  const attemptId = deps.random.id("att");
  try {
    const attempt = await deps.ledger.transact("expire-hold", async (scope) => {
      const { payment_intents: intent } = await scope.read({ payment_intents: overdue.id });
      if (intent === undefined || intent.captureBeforeMs === null || intent.latestChargeId === null) return undefined;
      const { charges: charge } = await scope.read({ charges: intent.latestChargeId });
      const nowMs = deps.clock.now();
      // No request asks for this, so no key decides it; the attempt's own id keeps the column unique.
      const fence = { keyHash: automaticKey(attemptId), leaseUntilMs: nowMs + deps.timings.leaseMs };
      const command = {
        kind: "cancel",
        reason: "automatic",
        ids: { attemptId },
        charge: charge ?? null,
        // A hold waits for nobody's challenge.
        challenged: null,
        ...fence,
      } as const;
      const decision = decide(intent, command, nowMs);
      if (decision.kind !== "changed" || decision.attempt === undefined) return undefined;
      scope.write(rowsOf(decision, "update", "update"));
      return decision.attempt;
    });
    if (attempt === undefined) return false;
    await deps.settle(attempt, "completer");
    return true;
  } catch (error) {
    deps.log("WARNING", "hold not expired", {
      intentId: overdue.id,
      reason: reasonOf(error),
    });
    return false;
  }
}
