/**
 * Creates a refund: reserves its amount on the charge in the first transaction, and lets the acquirer give it back.
 * It never takes the intent's slot: refunds of one charge contend on the charge's row, and on nothing else.
 */
import { type DomainError, refuse } from "../domain/errors.ts";
import { beginRefund, type RefundRequest } from "../domain/refund.ts";
import type { FoundRows } from "../domain/rows.ts";
import type { Begun, IdempotentRequest, Work } from "./idempotently-types.ts";
import type { Clock, LedgerTransactionScope, Random, Renderer } from "./ports.ts";

/** What refunding needs. */
export interface RefundDependencies {
  readonly clock: Clock;
  readonly random: Random;
  readonly renderer: Renderer;
}

/** A valid refund: exactly one of intent and charge is named. */
export interface RefundInput extends RefundRequest {
  readonly intentId: string | null;
  readonly chargeId: string | null;
}

/** The work of a refund; ids and time are made here, once, because the transaction's body may run again. */
export function createRefund(deps: RefundDependencies, request: IdempotentRequest, input: RefundInput): Work {
  const nowMs = deps.clock.now();
  const ids = { refundId: deps.random.id("re"), attemptId: deps.random.id("att") };
  const refused = (error: DomainError): Begun => ({
    kind: "decided",
    changes: [],
    outcome: deps.renderer.errorAnswer(error, null),
    resourceId: input.intentId ?? input.chargeId,
  });
  return {
    reads: {
      ...(input.intentId === null ? {} : { payment_intents: input.intentId }),
      ...(input.chargeId === null ? {} : { charges: input.chargeId }),
    },
    begin: async (found, scope, fence) => {
      const charge = await chargeOf(found, scope, request.accountId, input);
      if (charge instanceof Error) return refused(charge);
      const begun = beginRefund(
        charge,
        input,
        ids,
        { keyHash: request.keyHash, leaseUntilMs: fence.leaseUntilMs },
        nowMs,
      );
      if (begun instanceof Error) return refused(begun);
      return {
        kind: "attempt",
        attempt: begun.attempt,
        resourceId: begun.refund.id,
        changes: [
          { op: "insert", table: "refunds", row: begun.refund },
          { op: "insert", table: "attempts", row: begun.attempt },
          { op: "update", table: "charges", row: begun.charge },
        ],
      };
    },
  };
}

/** The charge to refund; another account's does not exist. */
async function chargeOf(found: FoundRows, scope: LedgerTransactionScope, accountId: string, input: RefundInput) {
  if (input.chargeId !== null) {
    const charge = found.charges;
    if (charge === undefined || charge.accountId !== accountId) return missing("charge", input.chargeId);
    if (charge.status === "failed") return noCharge(charge.intentId);
    return charge;
  }
  const intent = found.payment_intents;
  const intentId = input.intentId ?? "";
  if (intent === undefined || intent.accountId !== accountId) return missing("payment_intent", intentId);
  const { charges: charge } =
    intent.latestChargeId === null ? {} : await scope.read({ charges: intent.latestChargeId });
  if (charge === undefined || charge.status === "failed") return noCharge(intentId);
  return charge;
}

function missing(noun: "charge" | "payment_intent", id: string): DomainError {
  return refuse("resource_missing", `No such ${noun}: '${id}'`, { param: noun });
}

function noCharge(intentId: string): DomainError {
  const message = `This PaymentIntent (${intentId}) does not have a successful charge to refund.`;
  return refuse("refund_impossible", message, { param: "payment_intent" });
}
