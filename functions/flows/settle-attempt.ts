/**
 * The second half of a payment: one call to the acquirer with the attempt's own key, then one commit (T2).
 * It never guesses: without an answer from the acquirer the attempt stays open.
 */
import type { AcquirerResult, Attempt } from "../domain/attempt.ts";
import type { ChargeFailure } from "../domain/charge.ts";
import { decide } from "../domain/decide.ts";
import { hasCode, refuse } from "../domain/errors.ts";
import type { EventDraft } from "../domain/events.ts";
import { expiryOf, mayCall, type StoredOutcome, type Timings } from "../domain/idempotency.ts";
import { settleRefund } from "../domain/refund.ts";
import type { Change, FoundRows, KeyRow } from "../domain/rows.ts";
import type { Acquirer } from "./acquirer-ports.ts";
import { type EventIds, eventRows, rowsOf } from "./idempotently-rows.ts";
import type { SettleAttempt, Settled } from "./idempotently-types.ts";
import type { Clock, Ledger, LedgerTransactionScope, PaymentView, Random, Renderer } from "./ports.ts";

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
    const result = await order(deps.acquirer, attempt);
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
  const { attempts: current, idempotency_keys: row } = found;
  if (current === undefined) throw new Error(`Attempt ${attempt.id} is missing.`);
  if (current.state !== "open") return closedElsewhere(attempt, found);

  const end =
    current.kind === "refund" ? endRefund(current, found, result, nowMs) : endPayment(current, found, result, nowMs);
  // An outcome is written only where the row's attempt is the writer's own (design section 4.6).
  const own = row !== undefined && row.attemptId === attempt.id && row.outcome === null ? row : null;
  const outcome = outcomeOf(deps.renderer, end, own?.expand ?? []);
  const sealed: KeyRow | null =
    own === null ? null : { ...own, outcome, expiresAtMs: expiryOf(sealedBy === "client" ? own.createdAtMs : nowMs) };

  // The request that asked for it; a key that is another attempt's by now tells nothing about this one.
  const cause = { requestId: own?.requestId ?? "", idempotencyKey: own?.idempotencyKey ?? null };
  scope.write([...end.changes, ...eventRows(end.events, end.view, cause, eventIds, nowMs, deps.renderer)]);
  if (sealed !== null) scope.write([{ op: "update", table: "idempotency_keys", row: sealed }]);
  return { row: sealed, won: true };
}

/** How an attempt ended, as rows, events and what the answer shows. */
interface Ending {
  readonly changes: readonly Change[];
  readonly events: readonly EventDraft[];
  readonly view: PaymentView;
  /** Why the acquirer refused; null when it did not. */
  readonly failure: ChargeFailure | null;
}

function endPayment(attempt: Attempt, found: FoundRows, result: AcquirerResult, nowMs: number): Ending {
  const { payment_intents: intent, charges: held } = found;
  if (intent === undefined) throw new Error(`The intent of attempt ${attempt.id} is missing.`);
  const decision = decide(intent, { kind: "settle", attempt, result, charge: held ?? null }, nowMs);
  if (decision.kind !== "changed") throw new Error(`Attempt ${attempt.id} could not be settled.`);
  const charge = decision.charge ?? held ?? null;
  const changes = rowsOf(decision, "update", attempt.kind === "authorize" ? "insert" : "update");
  return {
    changes,
    events: decision.events,
    view: { intent: decision.intent, charge },
    failure: result.kind === "declined" ? result.failure : null,
  };
}

function endRefund(attempt: Attempt, found: FoundRows, result: AcquirerResult, nowMs: number): Ending {
  const { payment_intents: intent, charges: charge, refunds: refund } = found;
  if (intent === undefined || charge === undefined || refund === undefined)
    throw new Error(`The refund of attempt ${attempt.id} is missing.`);
  const ended = settleRefund(refund, charge, attempt, result, nowMs);
  const changes: Change[] = [
    { op: "update", table: "attempts", row: ended.attempt },
    { op: "update", table: "charges", row: ended.charge },
    { op: "update", table: "refunds", row: ended.refund },
  ];
  if (ended.booking !== null) changes.push({ op: "insert", table: "ledger_transactions", row: ended.booking });
  return { changes, events: ended.events, view: { intent, charge: ended.charge, refund: ended.refund }, failure: null };
}

/** A refund that failed is a refund all the same, and says so itself; a refused payment is a 402. */
function outcomeOf(renderer: Renderer, end: Ending, expand: readonly string[]): StoredOutcome {
  if (end.view.refund !== undefined) return renderer.refundAnswer(end.view, expand);
  return end.failure === null ? renderer.intentAnswer(end.view, expand) : renderer.declineAnswer(end.view, end.failure);
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
    });
  }
  if (reference === null) throw new Error(`Attempt ${attempt.id} names no authorization.`);
  return acquirer[attempt.kind]({ key, reference, amountMinor, currency });
}

function readRows(scope: LedgerTransactionScope, attempt: Attempt): Promise<FoundRows> {
  return scope.read({
    attempts: attempt.id,
    payment_intents: attempt.intentId,
    idempotency_keys: attempt.keyHash,
    ...(attempt.kind === "authorize" ? {} : { charges: attempt.chargeId }),
    ...(attempt.refundId === null ? {} : { refunds: attempt.refundId }),
  });
}

/** Somebody else committed this attempt's answer: the key row has it, if the key is still the attempt's. */
function closedElsewhere(attempt: Attempt, { idempotency_keys: row }: FoundRows): Settled {
  return { row: row !== undefined && row.attemptId === attempt.id ? row : null, won: false };
}
