/**
 * Changes what may be changed of a refund: its metadata (contract section 6).
 * It never touches the amount, the status or the charge.
 */
import { type DomainError, hasCode } from "../domain/errors.ts";
import { type IntentChanges, mergeMetadata } from "../domain/payment-intent.ts";
import { noSuchRefund, type Refund } from "../domain/refund.ts";
import { booksOf, showsBooks } from "./idempotently-books.ts";
import { eventRows } from "./idempotently-rows.ts";
import type { Begun, IdempotentRequest, Work } from "./idempotently-types.ts";
import type { Clock, LedgerTransactionScope, PaymentView, Random, Renderer } from "./ports.ts";

/** A change of one refund. */
export interface RefundChange {
  readonly refundId: string;
  readonly metadata: IntentChanges["metadata"];
}

/** The work of a change; ids and time are made here, once, because the transaction's body may run again. */
export function changeRefund(
  deps: { readonly clock: Clock; readonly random: Random; readonly renderer: Renderer },
  request: IdempotentRequest,
  input: RefundChange,
): Work {
  const nowMs = deps.clock.now();
  const eventIds = [deps.random.id("evt")];
  const refused = (error: DomainError): Begun => ({
    kind: "decided",
    changes: [],
    outcome: deps.renderer.errorAnswer(error, null),
    resourceId: input.refundId,
  });
  return {
    reads: { refunds: input.refundId },
    begin: async (found, scope) => {
      const refund = found.refunds;
      if (refund === undefined || refund.accountId !== request.accountId) return refused(noSuchRefund(input.refundId));
      const changed = changedRefund(refund, input.metadata);
      if (changed instanceof Error) return refused(changed);
      const view = await viewOf(scope, changed, request.expand, nowMs);
      const cause = { requestId: request.requestId, idempotencyKey: request.idempotencyKey };
      const events = eventRows(
        [{ type: "refund.updated", about: "refund" }],
        view,
        cause,
        eventIds,
        nowMs,
        deps.renderer,
      );
      return {
        kind: "decided",
        changes: [{ op: "update", table: "refunds", row: changed }, ...events],
        outcome: deps.renderer.refundAnswer(view, request.expand),
        resourceId: refund.id,
      };
    },
  };
}

function changedRefund(refund: Refund, metadata: IntentChanges["metadata"]): Refund | DomainError {
  try {
    return { ...refund, version: refund.version + 1, metadata: mergeMetadata(refund.metadata, metadata) };
  } catch (error) {
    if (hasCode(error, "parameter_invalid")) return error;
    throw error;
  }
}

async function viewOf(
  scope: LedgerTransactionScope,
  refund: Refund,
  expand: readonly string[],
  nowMs: number,
): Promise<PaymentView> {
  const { payment_intents: intent, charges: charge } = await scope.read({
    payment_intents: refund.intentId,
    charges: refund.chargeId,
  });
  if (intent === undefined || charge === undefined) throw new Error(`The payment of ${refund.id} is missing.`);
  if (!showsBooks(expand)) return { intent, charge, refund };
  return { intent, charge, refund, books: await booksOf(scope.read, { charge: null, refund }, nowMs) };
}
