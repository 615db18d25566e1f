/**
 * The second half of a payment: one call to the acquirer with the attempt's own key, then one commit (T2).
 * It never guesses: without an answer from the acquirer the attempt stays open.
 */
import type { AcquirerResult, Attempt } from "../domain/attempt.ts";
import { decide } from "../domain/decide.ts";
import { hasCode, refuse } from "../domain/errors.ts";
import { expiryOf, mayCall, type Timings } from "../domain/idempotency.ts";
import { type EventIds, rowsOf } from "./idempotently-rows.ts";
import type { SettleAttempt, Settled } from "./idempotently-types.ts";
import type { Acquirer, Clock, FoundRows, KeyRow, Ledger, LedgerTransactionScope, Random, Renderer } from "./ports.ts";

/** What settling needs. */
export interface SettleDependencies {
  readonly ledger: Ledger;
  readonly acquirer: Acquirer;
  readonly renderer: Renderer;
  readonly clock: Clock;
  readonly random: Random;
  readonly timings: Timings;
}

/**
 * Makes the verb that settles an open attempt; running it twice changes nothing (design section 5, Phases).
 * It rejects with `acquirer_unknown` when no answer came or no time is left under the lease, and with `commit_unknown`.
 */
export function settleAttempt(deps: SettleDependencies): SettleAttempt {
  return async (attempt, sealedBy) => {
    if (attempt.state !== "open")
      return await deps.ledger.transact("settle", async (scope) =>
        closedElsewhere(attempt, await readRows(scope, attempt)),
      );
    if (!mayCall(attempt.leaseUntilMs, deps.clock.now(), deps.timings)) {
      throw refuse("acquirer_unknown", "The payment is still being processed. Please retry.");
    }
    const result = await deps.acquirer.authorize({
      key: attempt.id,
      amountMinor: attempt.amountMinor,
      currency: attempt.currency,
      paymentMethodToken: attempt.paymentMethodToken,
    });
    return await commit(deps, attempt, result, sealedBy);
  };
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
        second(deps, attempt, result, sealedBy, nowMs, eventIds, scope),
      );
    } catch (error) {
      if (!hasCode(error, "commit_unknown") || run === runsMax) throw error;
    }
  }
}

/** T2: guarded by the attempt's state alone (design section 4.3). */
async function second(
  deps: SettleDependencies,
  attempt: Attempt,
  result: AcquirerResult,
  sealedBy: "client" | "completer",
  nowMs: number,
  eventIds: EventIds,
  scope: LedgerTransactionScope,
): Promise<Settled> {
  const found = await readRows(scope, attempt);
  const { attempts: current, payment_intents: intent, idempotency_keys: row } = found;
  if (current === undefined || intent === undefined) throw new Error(`Attempt ${attempt.id} or its intent is missing.`);
  if (current.state !== "open") return closedElsewhere(attempt, found);

  const decision = decide(intent, { kind: "settle", attempt: current, result }, nowMs);
  if (decision.kind !== "changed" || decision.charge === undefined)
    throw new Error(`Attempt ${attempt.id} could not be settled.`);
  const view = { intent: decision.intent, charge: decision.charge };
  // An outcome is written only where the row's attempt is the writer's own (design section 4.6).
  const own = row !== undefined && row.attemptId === attempt.id && row.outcome === null ? row : null;
  const outcome =
    decision.charge.status === "succeeded"
      ? deps.renderer.intentAnswer(view, own?.expand ?? [])
      : deps.renderer.declineAnswer(view);
  const sealed: KeyRow | null =
    own === null ? null : { ...own, outcome, expiresAtMs: expiryOf(sealedBy === "client" ? own.createdAtMs : nowMs) };

  const cause = { requestId: row?.requestId ?? "", idempotencyKey: row?.idempotencyKey ?? null };
  scope.write(rowsOf(decision, view, cause, eventIds, nowMs, deps.renderer, "update"));
  if (sealed !== null) scope.write([{ op: "update", table: "idempotency_keys", row: sealed }]);
  return { row: sealed, won: true };
}

function readRows(scope: LedgerTransactionScope, attempt: Attempt): Promise<FoundRows> {
  return scope.read({ attempts: attempt.id, payment_intents: attempt.intentId, idempotency_keys: attempt.keyHash });
}

/** Somebody else committed this attempt's answer: the key row has it, if the key is still the attempt's. */
function closedElsewhere(attempt: Attempt, { idempotency_keys: row }: FoundRows): Settled {
  return { row: row !== undefined && row.attemptId === attempt.id ? row : null, won: false };
}
