/**
 * Creates a payment intent, and confirms it in the same first transaction when asked.
 * It reads no stored row, so its first commit is one blind insert.
 */
import type { Asking } from "../domain/challenge.ts";
import { decide } from "../domain/decide.ts";
import type { Fence } from "../domain/idempotency.ts";
import type { Currency } from "../domain/money.ts";
import type { CaptureMethod, IntentDetails, PaymentIntent } from "../domain/payment-intent.ts";
import { type EventIds, eventRows, rowsOf } from "./idempotently-rows.ts";
import type { Begun, IdempotentRequest, Work } from "./idempotently-types.ts";
import type { Clock, Random, Renderer } from "./ports.ts";

/** What creating needs. */
export interface CreateDependencies {
  readonly clock: Clock;
  readonly random: Random;
  readonly renderer: Renderer;
}

/** A valid create: amounts were checked against their currency, the token exists. */
export interface CreateInput {
  readonly amountMinor: bigint;
  readonly currency: Currency;
  readonly captureMethod: CaptureMethod;
  readonly confirmationMethod: "automatic" | "manual";
  readonly paymentMethodToken: string | null;
  readonly details: IntentDetails;
  /** Confirm at once; needs a payment method. */
  readonly confirm: boolean;
  /** Whether and how the buyer may be asked who they are, when it is confirmed at once. */
  readonly asking: Asking;
}

/**
 * The work of a create; its time is taken here and its ids are made once, when the first commit comes, because the
 * transaction's body may run again. A replay never comes so far, and makes none.
 */
export function createPaymentIntent(deps: CreateDependencies, request: IdempotentRequest, input: CreateInput): Work {
  const nowMs = deps.clock.now();
  let made: Made | undefined;
  const begin = (fence: Fence): Begun => {
    made ??= make(deps, request.accountId, input, nowMs);
    const { created, attemptId, chargeId, eventIds } = made;
    const view = { intent: created, charge: null };
    const cause = { requestId: request.requestId, idempotencyKey: request.idempotencyKey };
    const events = eventRows(
      [{ type: "payment_intent.created", about: "payment_intent" }],
      view,
      cause,
      eventIds,
      nowMs,
      deps.renderer,
    );
    if (!input.confirm) {
      return {
        kind: "decided",
        changes: [{ op: "insert", table: "payment_intents", row: created }, ...events],
        outcome: deps.renderer.intentAnswer(view, request.expand),
        resourceId: created.id,
      };
    }
    const ids = { paymentMethodId: created.paymentMethod?.id ?? "", attemptId, chargeId };
    const command = {
      kind: "confirm",
      changes: {},
      ids,
      asking: input.asking,
      challenged: null,
      keyHash: request.keyHash,
      leaseUntilMs: fence.leaseUntilMs,
    } as const;
    const decision = decide(created, command, nowMs);
    if (decision.kind !== "changed" || decision.attempt === undefined)
      throw new Error("A new intent with a payment method could not be confirmed.");
    const rows = rowsOf(decision, "insert", "insert");
    return { kind: "attempt", changes: [...rows, ...events], attempt: decision.attempt, resourceId: created.id };
  };
  return { reads: {}, blind: begin, begin: async (_found, _scope, fence) => begin(fence) };
}

/** What every run of the transaction's body shares. */
interface Made {
  readonly created: PaymentIntent;
  readonly attemptId: string;
  readonly chargeId: string;
  readonly eventIds: EventIds;
}

function make(deps: CreateDependencies, accountId: string, input: CreateInput, nowMs: number): Made {
  const { random } = deps;
  return {
    created: newIntent(deps, accountId, input, nowMs),
    attemptId: random.id("att"),
    chargeId: random.id("ch"),
    eventIds: [random.id("evt")],
  };
}

function newIntent(deps: CreateDependencies, accountId: string, input: CreateInput, nowMs: number): PaymentIntent {
  const id = deps.random.id("pi");
  const paymentMethod =
    input.paymentMethodToken === null ? null : { id: deps.random.id("pm"), token: input.paymentMethodToken };
  return {
    ...input.details,
    id,
    accountId,
    version: 1,
    status: paymentMethod === null ? "requires_payment_method" : "requires_confirmation",
    amountMinor: input.amountMinor,
    captureBeforeMs: null,
    amountCapturableMinor: 0n,
    amountReceivedMinor: 0n,
    currency: input.currency,
    captureMethod: input.captureMethod,
    confirmationMethod: input.confirmationMethod,
    clientSecret: `${id}_secret_${deps.random.token().replaceAll(/[-_]/g, "A")}`,
    createdAtMs: nowMs,
    canceledAtMs: null,
    cancellationReason: null,
    paymentMethod,
    latestChargeId: null,
    lastPaymentError: null,
    nextAction: null,
    authentication: null,
    activeAttemptId: null,
  };
}
