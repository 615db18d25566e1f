/**
 * Updates, confirms, captures or cancels a stored intent: reads it under the transaction, lets the state machine decide, commits.
 * A refusal is stored as the key's outcome and changes no other row (design section 4.5).
 */
import type { Attempt, CancellationReason } from "../domain/attempt.ts";
import type { Asking } from "../domain/challenge.ts";
import type { Charge } from "../domain/charge.ts";
import type { Command } from "../domain/commands.ts";
import { decide } from "../domain/decide.ts";
import { type DomainError, hasCode, refuse } from "../domain/errors.ts";
import type { Fence } from "../domain/idempotency.ts";
import type { IntentChanges, PaymentIntent } from "../domain/payment-intent.ts";
import type { FoundRows } from "../domain/rows.ts";
import { booksOf, showsBooks } from "./idempotently-books.ts";
import { type EventIds, eventRows, rowsOf } from "./idempotently-rows.ts";
import type { Begun, IdempotentRequest, Work } from "./idempotently-types.ts";
import type { Clock, LedgerTransactionScope, PaymentView, Random, Renderer } from "./ports.ts";

/** What changing needs. */
export interface ChangeDependencies {
  readonly clock: Clock;
  readonly random: Random;
  readonly renderer: Renderer;
}

/** What is asked of a stored intent. */
export type Change =
  | { readonly kind: "update"; readonly changes: IntentChanges }
  | { readonly kind: "confirm"; readonly changes: IntentChanges; readonly asking: Asking }
  | { readonly kind: "capture"; readonly amountMinor: bigint | null; readonly metadata: IntentChanges["metadata"] }
  | { readonly kind: "cancel"; readonly reason: CancellationReason | null };

/** A change of one intent. */
export interface ChangeInput {
  readonly intentId: string;
  readonly change: Change;
}

/** The work of a change; ids and time are made here, once, because the transaction's body may run again. */
export function changePaymentIntent(deps: ChangeDependencies, request: IdempotentRequest, input: ChangeInput): Work {
  const nowMs = deps.clock.now();
  const ids = {
    paymentMethodId: deps.random.id("pm"),
    attemptId: deps.random.id("att"),
    chargeId: deps.random.id("ch"),
  };
  const eventIds: EventIds = [deps.random.id("evt")];
  const cause = { requestId: request.requestId, idempotencyKey: request.idempotencyKey };

  const begin = async (found: FoundRows, scope: LedgerTransactionScope, fence: Fence): Promise<Begun> => {
    const intent = found.payment_intents;
    if (intent === undefined || intent.accountId !== request.accountId) {
      return refused(deps, noSuchIntent(input.intentId), null);
    }
    const charge = await chargeOf(scope, intent, input.change, request.expand);
    const challenged = await challengedOf(scope, intent);
    const command = commandOf(input.change, ids, { charge, challenged }, { ...fence, keyHash: request.keyHash });
    const decision = decideOrRefuse(intent, command, nowMs);
    if (decision.kind === "locked") return { kind: "locked" };
    const view = { intent, charge };
    if (decision.kind === "refused")
      return refused(deps, decision.error, decision.showsIntent ? view : null, intent.id);

    const books = showsBooks(request.expand) ? await booksOf(scope.read, { charge }, nowMs) : undefined;
    const changed = { intent: decision.intent, charge, ...(books === undefined ? {} : { books }) };
    const events = eventRows(decision.events, changed, cause, eventIds, nowMs, deps.renderer);
    const changes = [...rowsOf(decision, "update", "update"), ...events];
    if (decision.attempt !== undefined)
      return { kind: "attempt", changes, attempt: decision.attempt, resourceId: intent.id };
    return {
      kind: "decided",
      changes,
      outcome: deps.renderer.intentAnswer(changed, request.expand),
      resourceId: intent.id,
    };
  };
  return { reads: { payment_intents: input.intentId }, begin };
}

/** 404 with the parameter name of the contract (section 4: `intent`). */
export function noSuchIntent(intentId: string): DomainError {
  return refuse("resource_missing", `No such payment_intent: '${intentId}'`, { param: "intent" });
}

function commandOf(
  change: Change,
  ids: { paymentMethodId: string; attemptId: string; chargeId: string },
  { charge, challenged }: { charge: Charge | null; challenged: Attempt | null },
  { keyHash, leaseUntilMs }: { keyHash: string; leaseUntilMs: number },
): Command {
  switch (change.kind) {
    case "update":
      return { ...change, ids, challenged };
    case "confirm":
      return { ...change, ids, challenged, keyHash, leaseUntilMs };
    case "capture":
      return { ...change, ids, charge, keyHash, leaseUntilMs };
    case "cancel":
      return { ...change, ids, charge, challenged, keyHash, leaseUntilMs };
  }
}

/** The attempt whose challenge the intent waits for, because a command may end it. */
async function challengedOf(scope: LedgerTransactionScope, { nextAction }: PaymentIntent): Promise<Attempt | null> {
  if (nextAction === null) return null;
  const { attempts: attempt } = await scope.read({ attempts: nextAction.attemptId });
  return attempt ?? null;
}

/** A refusal by state shows the intent; one by a value (an amount below its currency's minimum) names the parameter. */
function decideOrRefuse(intent: PaymentIntent, command: Command, nowMs: number) {
  try {
    const decision = decide(intent, command, nowMs);
    if (decision.kind !== "refused") return decision;
    return {
      kind: "refused",
      error: refuse("payment_intent_unexpected_state", decision.message),
      showsIntent: true,
    } as const;
  } catch (error) {
    if (!hasCode(error, "amount_too_small", "amount_too_large", "parameter_invalid")) throw error;
    return { kind: "refused", error, showsIntent: false } as const;
  }
}

/** The latest charge, where the change is about it or the answer shows it. */
async function chargeOf(
  scope: LedgerTransactionScope,
  intent: PaymentIntent,
  change: Change,
  expand: readonly string[],
): Promise<Charge | null> {
  const isAboutIt = change.kind === "capture" || change.kind === "cancel";
  if (intent.latestChargeId === null || (expand.length === 0 && !isAboutIt)) return null;
  const { charges: charge } = await scope.read({ charges: intent.latestChargeId });
  return charge ?? null;
}

function refused(
  deps: ChangeDependencies,
  error: DomainError,
  view: PaymentView | null,
  resourceId: string | null = null,
): Begun {
  return { kind: "decided", changes: [], outcome: deps.renderer.errorAnswer(error, view), resourceId };
}
