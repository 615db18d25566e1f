/**
 * The second half of a payment: one call to the acquirer with the attempt's own key, then one commit (T2).
 * It never guesses: without an answer from the acquirer the attempt stays open.
 */
import type { AcquirerResult, Attempt } from "../domain/attempt.ts";
import { DomainError, hasCode, reasonOf, refuse } from "../domain/errors.ts";
import { mayCall, type Timings } from "../domain/idempotency.ts";
import type { LedgerTerms } from "../domain/ledger-terms.ts";
import type { Acquirer } from "./acquirer-ports.ts";
import type { EventIds } from "./idempotently-rows.ts";
import { closedElsewhere, readAttempt, secondCommit } from "./idempotently-second-commit.ts";
import type { CommitResult, SettleAttempt, Settled } from "./idempotently-types.ts";
import type { Clock, Ledger, Log, Random, Renderer } from "./ports.ts";
import type { TaskQueues } from "./task-ports.ts";

/** What settling needs. */
export interface SettleDependencies {
  readonly ledger: Ledger;
  readonly acquirer: Acquirer;
  readonly renderer: Renderer;
  readonly clock: Clock;
  readonly random: Random;
  readonly timings: Timings;
  readonly log: Log;
  /** On what terms money that moved is booked. */
  readonly terms: LedgerTerms;
  /** Wakes the settlement of what the acquirer settles later; without it the sweep alone finds it. */
  readonly tasks?: TaskQueues;
}

/**
 * Makes the verb that settles an open attempt; running it twice changes nothing (design section 5, Phases).
 * It rejects with `acquirer_unknown` when no answer came or no time is left under the lease, and with `commit_unknown`.
 */
export function settleAttempt(deps: SettleDependencies): SettleAttempt {
  return async (attempt, sealedBy) => {
    if (attempt.state !== "open")
      return await deps.ledger.transact("settle", async (scope) =>
        closedElsewhere(attempt, await readAttempt(scope, attempt)),
      );
    if (!mayCall(attempt.leaseUntilMs, deps.clock.now(), deps.timings)) {
      throw refuse("acquirer_unknown", "The payment is still being processed. Please retry.");
    }
    const result = await orderTold(deps, attempt);
    return await settleWith(deps, attempt, result, sealedBy);
  };
}

/** Makes the verb that commits what the acquirer is known to have said, for whoever looked it up. */
export function commitResult(deps: SettleDependencies): CommitResult {
  return async (attempt, result, sealedBy) => await settleWith(deps, attempt, result, sealedBy);
}

/**
 * Commits what the acquirer said of an attempt, and wakes its settlement when that comes later. The task is a hint: what
 * is due is the attempt's row, and the sweep takes what is overdue (design section 5, Asynchronous steps).
 */
async function settleWith(
  deps: SettleDependencies,
  attempt: Attempt,
  result: AcquirerResult,
  sealedBy: "client" | "completer",
): Promise<Settled> {
  const settled = await commit(deps, attempt, result, sealedBy);
  if (result.kind === "pending" && settled.won) await wakeAt(deps, attempt.id, result.settlesAtMs);
  return settled;
}

async function wakeAt({ tasks, log }: SettleDependencies, attemptId: string, scheduleAtMs: number): Promise<void> {
  try {
    await tasks?.enqueue({
      queue: "settlements",
      name: `settle-${attemptId}-${scheduleAtMs}`,
      path: "/settle",
      body: { attempt_id: attemptId },
      scheduleAtMs,
    });
  } catch (error) {
    log("WARNING", "settlement not woken", { attemptId, reason: reasonOf(error) });
  }
}

/** How often a commit of unknown outcome is run again; the guard makes each run harmless. */
const runsMax = 3;

async function commit(
  deps: SettleDependencies,
  attempt: Attempt,
  result: AcquirerResult,
  sealedBy: "client" | "completer",
): Promise<Settled> {
  const nowMs = deps.clock.now();
  const eventIds: EventIds = [deps.random.id("evt"), deps.random.id("evt")];
  for (let run = 1; ; run += 1) {
    try {
      return await deps.ledger.transact("settle", (scope) =>
        secondCommit(deps, { attempt, result, sealedBy, nowMs, eventIds }, scope),
      );
    } catch (error) {
      if (!hasCode(error, "commit_unknown") || run === runsMax) throw error;
    }
  }
}

/** Orders, and writes one line for the call, whatever came of it: ids, codes and milliseconds. */
async function orderTold({ acquirer, clock, log }: SettleDependencies, attempt: Attempt): Promise<AcquirerResult> {
  const startedAtMs = clock.now();
  const tell = (severity: "INFO" | "WARNING", message: string, outcome: Readonly<Record<string, string>>) => {
    const { id: attemptId, intentId: paymentIntentId, accountId, kind: order } = attempt;
    log(severity, message, {
      ...{ attemptId, paymentIntentId, accountId, order, ...outcome, durationMs: clock.now() - startedAtMs },
    });
  };
  try {
    const result = await order(acquirer, attempt);
    const code = result.kind === "declined" ? { code: result.failure.declineCode ?? result.failure.code } : {};
    tell("INFO", "acquirer answered", { outcome: result.kind, ...code });
    return result;
  } catch (error) {
    tell("WARNING", "acquirer did not answer", { code: error instanceof DomainError ? error.code : "internal" });
    throw error;
  }
}

/** The attempt as an order under its own key. */
function order(acquirer: Acquirer, attempt: Attempt): Promise<AcquirerResult> {
  const { id: key, amountMinor, currency, acquirerReference: reference } = attempt;
  if (attempt.kind === "authorize") {
    return acquirer.authorize({
      key,
      amountMinor,
      currency,
      paymentMethodToken: attempt.paymentMethodToken,
      captureLater: attempt.captureLater,
      challengeReturnUrl: attempt.challenge?.returnUrl ?? null,
      authentication: attempt.authentication,
    });
  }
  if (reference === null) throw new Error(`Attempt ${attempt.id} names no authorization.`);
  return acquirer[attempt.kind]({ key, reference, amountMinor, currency });
}
