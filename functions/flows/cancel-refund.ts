/**
 * Cancels a refund: legal only while it requires an action, and no refund here ever requires one (contract section 6).
 * So it always refuses, by what the ledger says, and the refusal is the key's answer.
 */
import { refuse } from "../domain/errors.ts";
import { noSuchRefund } from "../domain/refund.ts";
import type { IdempotentRequest, Work } from "./idempotently-types.ts";
import type { Renderer } from "./ports.ts";

/** The work of a cancel. */
export function cancelRefund(
  deps: { readonly renderer: Renderer },
  request: IdempotentRequest,
  input: { readonly refundId: string },
): Work {
  return {
    reads: { refunds: input.refundId },
    begin: async ({ refunds: refund }) => {
      const error =
        refund === undefined || refund.accountId !== request.accountId
          ? noSuchRefund(input.refundId)
          : refuse(
              "parameter_invalid",
              `This refund's status is ${refund.status}; only one that requires an action can be canceled.`,
              { param: "refund" },
            );
      return {
        kind: "decided",
        changes: [],
        outcome: deps.renderer.errorAnswer(error, null),
        resourceId: input.refundId,
      };
    },
  };
}
