/**
 * What follows a challenge: ask the acquirer how it went, and go on with the payment or let it fail (design section 5).
 * It never believes the buyer's browser: only the acquirer's word moves the payment.
 */
import type { Attempt } from "../domain/attempt.ts";
import { isWaitingFor, passed, refused } from "../domain/challenge.ts";
import type { Changed } from "../domain/changed.ts";
import type { Timings } from "../domain/idempotency.ts";
import type { PaymentIntent } from "../domain/payment-intent.ts";
import type { Acquirer } from "./acquirer-ports.ts";
import { type EventIds, eventRows, rowsOf } from "./idempotently-rows.ts";
import type { ChallengeEnd, FinishChallenge, SettleAttempt } from "./idempotently-types.ts";
import type { Clock, Ledger, Random, Renderer } from "./ports.ts";

/** What finishing needs. */
export interface FinishDependencies {
  readonly ledger: Ledger;
  readonly acquirer: Acquirer;
  readonly settle: SettleAttempt;
  readonly renderer: Renderer;
  readonly clock: Clock;
  readonly random: Random;
  readonly timings: Timings;
}

/**
 * Makes the verb. Whoever calls it, the buyer's return or the sweep, and however often: the first one goes on, guarded by
 * the attempt's state, and the others find it gone on.
 * It rejects with `acquirer_unknown` when the acquirer does not answer; then the sweep goes on from what stands.
 */
export function finishChallenge(deps: FinishDependencies): FinishChallenge {
  return async (attemptId) => {
    const { attempts: attempt } = await deps.ledger.read({ attempts: attemptId });
    if (attempt === undefined || attempt.challenge === null) return { kind: "unknown" };
    const looked = attempt.state === "challenged" ? await deps.acquirer.lookup(attemptId) : undefined;
    const result = looked?.kind === "found" ? looked.result : undefined;
    const outcome = result?.kind === "challenge" ? result.outcome : "waiting";
    const moved = await move(deps, attempt, outcome);
    // The authorization runs here, so that the buyer comes back to a payment that is decided.
    if (moved.next !== null) await deps.settle(moved.next, "completer");
    const { payment_intents: intent } = await deps.ledger.read({ payment_intents: attempt.intentId });
    if (intent === undefined) throw new Error(`The intent of attempt ${attempt.id} is missing.`);
    return { kind: moved.kind, attempt, intent };
  };
}

interface Moved {
  readonly kind: Exclude<ChallengeEnd["kind"], "unknown">;
  /** The authorization to carry out now. */
  readonly next: Attempt | null;
}

/** T1': the challenge's end and the attempt that follows it, in one commit. */
async function move(
  deps: FinishDependencies,
  attempt: Attempt,
  outcome: "waiting" | "passed" | "refused",
): Promise<Moved> {
  const nowMs = deps.clock.now();
  const ids = { attemptId: deps.random.id("att"), chargeId: deps.random.id("ch") };
  const eventIds: EventIds = [deps.random.id("evt")];
  return await deps.ledger.transact("finish-challenge", async (scope) => {
    const { attempts: current, payment_intents: intent } = await scope.read({
      attempts: attempt.id,
      payment_intents: attempt.intentId,
    });
    if (current === undefined || intent === undefined) throw new Error(`Attempt ${attempt.id} is missing.`);
    if (!isWaitingFor(intent, current)) return { kind: endOf(current), next: null };
    if (outcome === "waiting") return { kind: "waiting", next: null };
    const changed = changeOf(intent, current, outcome, { ...ids, leaseUntilMs: nowMs + deps.timings.leaseMs }, nowMs);
    const view = { intent: changed.intent, charge: null };
    const cause = { requestId: "", idempotencyKey: null };
    scope.write([
      ...rowsOf(changed, "update", "update"),
      ...eventRows(changed.events, view, cause, eventIds, nowMs, deps.renderer),
    ]);
    return { kind: outcome === "passed" ? "went_on" : "failed", next: changed.attempt ?? null };
  });
}

function changeOf(
  intent: PaymentIntent,
  attempt: Attempt,
  outcome: "passed" | "refused",
  next: Parameters<typeof passed>[2],
  nowMs: number,
): Changed {
  return outcome === "passed" ? passed(intent, attempt, next, nowMs) : refused(intent, attempt, nowMs);
}

/** What somebody else made of it before. */
function endOf({ state }: Attempt): Moved["kind"] {
  if (state === "authenticated") return "went_on";
  return state === "declined" ? "failed" : "gone";
}
