/**
 * The second transaction (T2): the acquirer's answer as rows, events and the key's outcome, in one commit.
 * It never calls outside, and never lets an answer change an attempt that has ended: a late effect is reversed instead.
 */
import { type AcquirerResult, type Attempt, automaticKey, isUnderWay, reversalId } from "../domain/attempt.ts";
import type { ChargeFailure } from "../domain/charge.ts";
import { decide } from "../domain/decide.ts";
import type { EventDraft } from "../domain/events.ts";
import { expiryOf, type StoredOutcome } from "../domain/idempotency.ts";
import type { LedgerTerms } from "../domain/ledger-terms.ts";
import type { Change, FoundRows, KeyRow } from "../domain/rows.ts";
import { settleRefund } from "../domain/settle-refund.ts";
import { type EventIds, eventRows, rowsOf } from "./idempotently-rows.ts";
import type { Settled } from "./idempotently-types.ts";
import type { LedgerTransactionScope, Log, PaymentView, Renderer } from "./ports.ts";

/**
 * T2: guarded by the attempt's state alone (design section 4.3), so that running it twice changes nothing.
 * @throws Error when the attempt or what it is about is missing, or the answer fits no such order
 */
export async function secondCommit(
  deps: { readonly renderer: Renderer; readonly log: Log; readonly terms: LedgerTerms },
  { attempt, result, sealedBy, nowMs, eventIds }: Answered,
  scope: LedgerTransactionScope,
): Promise<Settled> {
  const seen = await readAttempt(scope, attempt);
  const { attempts: current, idempotency_keys: row } = seen;
  if (current === undefined) throw new Error(`Attempt ${attempt.id} is missing.`);
  const wasOpen = attempt.state === "open" && current.state === "pending";
  // Its acceptance stands already: of another worker with the same answer, or this one's own, whose reply was lost.
  if (wasOpen && result.kind === "pending") return closedElsewhere(attempt, seen);
  // What has ended since has a charge that an open attempt had not.
  const found = wasOpen ? { ...seen, ...(await scope.read({ charges: current.chargeId })) } : seen;
  if (!isUnderWay(current) || current.state === "challenged") {
    await reverseLateEffect(deps, scope, current, result, nowMs);
    return closedElsewhere(attempt, found);
  }
  // What is being voided is decided by the second lookup, not by a worker that comes back late.
  if (current.state === "voiding" && result.kind !== "declined") return closedElsewhere(attempt, found);
  if (current.reversesAttemptId !== null) return endReversal(scope, current, result, nowMs);

  const end =
    current.kind === "refund"
      ? endRefund(current, found, result, deps.terms, nowMs)
      : endPayment(current, found, result, deps.terms, nowMs);
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

/** What the acquirer said, when, and who asked; ids for the events are made before the transaction. */
export interface Answered {
  readonly attempt: Attempt;
  readonly result: AcquirerResult;
  readonly sealedBy: "client" | "completer";
  readonly nowMs: number;
  readonly eventIds: EventIds;
}

/**
 * An authorization that took effect after its attempt was voided is taken back by an attempt of its own, whose id follows
 * from the first one's, so that it begins once however often the news comes (design section 5, Completer).
 */
async function reverseLateEffect(
  deps: { readonly log: Log },
  scope: LedgerTransactionScope,
  voided: Attempt,
  result: AcquirerResult,
  nowMs: number,
): Promise<void> {
  if (voided.kind !== "authorize" || voided.state !== "voided") return;
  if (result.kind !== "approved" && result.kind !== "pending") return;
  const id = reversalId(voided.id);
  const { attempts: standing } = await scope.read({ attempts: id });
  if (standing !== undefined) return;
  const reversal: Attempt = {
    ...voided,
    id,
    kind: "void",
    state: "open",
    captureLater: false,
    acquirerReference: result.reference,
    challenge: null,
    authentication: null,
    reversesAttemptId: voided.id,
    keyHash: automaticKey(id),
    // Nobody works on it yet: the next sweep does.
    leaseUntilMs: nowMs,
    createdAtMs: nowMs,
    closedAtMs: null,
  };
  scope.write([{ op: "insert", table: "attempts", row: reversal }]);
  deps.log("ERROR", "late effect is reversed", { attemptId: voided.id, paymentIntentId: voided.intentId });
}

/** A reversal changes nothing but itself: its payment ended without it. */
function endReversal(scope: LedgerTransactionScope, reversal: Attempt, result: AcquirerResult, nowMs: number): Settled {
  const state = result.kind === "approved" ? "succeeded" : "declined";
  scope.write([{ op: "update", table: "attempts", row: { ...reversal, state, closedAtMs: nowMs } }]);
  return { row: null, won: true };
}

/** How an attempt ended, as rows, events and what the answer shows. */
interface Ending {
  readonly changes: readonly Change[];
  readonly events: readonly EventDraft[];
  readonly view: PaymentView;
  /** Why the acquirer refused; null when it did not. */
  readonly failure: ChargeFailure | null;
}

function endPayment(
  attempt: Attempt,
  found: FoundRows,
  result: AcquirerResult,
  terms: LedgerTerms,
  nowMs: number,
): Ending {
  const { payment_intents: intent, charges: held } = found;
  if (intent === undefined) throw new Error(`The intent of attempt ${attempt.id} is missing.`);
  const decision = decide(intent, { kind: "settle", attempt, result, charge: held ?? null, terms }, nowMs);
  if (decision.kind !== "changed") throw new Error(`Attempt ${attempt.id} could not be settled.`);
  const charge = decision.charge ?? held ?? null;
  const changes = rowsOf(decision, "update", held === undefined ? "insert" : "update");
  return {
    changes,
    events: decision.events,
    view: { intent: decision.intent, charge, books: { bookings: [decision.booking ?? []].flat(), atMs: nowMs } },
    failure: result.kind === "declined" ? result.failure : null,
  };
}

function endRefund(
  attempt: Attempt,
  found: FoundRows,
  result: AcquirerResult,
  terms: LedgerTerms,
  nowMs: number,
): Ending {
  const { payment_intents: intent, charges: charge, refunds: refund } = found;
  if (intent === undefined || charge === undefined || refund === undefined)
    throw new Error(`The refund of attempt ${attempt.id} is missing.`);
  const ended = settleRefund(refund, charge, attempt, result, terms, nowMs);
  const changes: Change[] = [
    { op: "update", table: "attempts", row: ended.attempt },
    { op: "update", table: "charges", row: ended.charge },
    { op: "update", table: "refunds", row: ended.refund },
  ];
  if (ended.booking !== null) changes.push({ op: "insert", table: "ledger_transactions", row: ended.booking });
  const books = { bookings: [ended.booking ?? []].flat(), atMs: nowMs };
  const view = { intent, charge: ended.charge, refund: ended.refund, books };
  return { changes, events: ended.events, view, failure: null };
}

/** A refund that failed is a refund all the same, and says so itself; a refused payment is a 402. */
function outcomeOf(renderer: Renderer, end: Ending, expand: readonly string[]): StoredOutcome {
  if (end.view.refund !== undefined) return renderer.refundAnswer(end.view, expand);
  return end.failure === null ? renderer.intentAnswer(end.view, expand) : renderer.declineAnswer(end.view, end.failure);
}

/** The rows that an attempt is about; one round trip. */
export function readAttempt(scope: LedgerTransactionScope, attempt: Attempt): Promise<FoundRows> {
  return scope.read({
    attempts: attempt.id,
    payment_intents: attempt.intentId,
    idempotency_keys: attempt.keyHash,
    // An authorization has a charge only once the acquirer has accepted it.
    ...(attempt.kind === "authorize" && attempt.state !== "pending" ? {} : { charges: attempt.chargeId }),
    ...(attempt.refundId === null ? {} : { refunds: attempt.refundId }),
  });
}

/** Somebody else committed this attempt's answer: the key row has it, if the key is still the attempt's. */
export function closedElsewhere(attempt: Attempt, { idempotency_keys: row }: FoundRows): Settled {
  return { row: row !== undefined && row.attemptId === attempt.id ? row : null, won: false };
}
