/**
 * What each refund endpoint takes, and how its parameters become the words of the flows (contract section 6).
 * It never looks at a store: everything refused here leaves the idempotency key free.
 */
import { refuse } from "../domain/errors.ts";
import { type IntentChanges, mergeMetadata } from "../domain/payment-intent.ts";
import type { RefundInput } from "../flows/create-refund.ts";
import { metadata } from "./collection-readers.ts";
import type { Parsed } from "./endpoint.ts";
import type { ParameterMap } from "./parameter-tree.ts";
import { expanding } from "./payment-intent-fields.ts";
import { optional, readParameters } from "./read-parameters.ts";
import { amountMinor, id, oneOf } from "./scalar-readers.ts";

/** Parameters of `POST /v1/refunds`. @throws DomainError naming the first parameter at fault */
export function createRefundParameters(parameters: ParameterMap): Parsed<RefundInput> {
  const values = readParameters(parameters, {
    payment_intent: optional(id({ noun: "payment_intent", prefix: "pi_" })),
    charge: optional(id({ noun: "charge", prefix: "ch_" })),
    amount: optional(amountMinor()),
    reason: optional(oneOf(["duplicate", "fraudulent", "requested_by_customer"])),
    metadata: optional(metadata()),
    ...expanding,
  });
  const { payment_intent: intentId = null, charge: chargeId = null } = values;
  if (intentId === null && chargeId === null) {
    throw refuse("parameter_missing", "Pass the payment_intent or the charge to refund.", { param: "payment_intent" });
  }
  if (intentId !== null && chargeId !== null) {
    throw refuse("parameter_invalid", "Pass either payment_intent or charge, not both.", { param: "charge" });
  }
  return {
    expand: values.expand,
    input: {
      intentId,
      chargeId,
      amountMinor: values.amount ?? null,
      reason: values.reason ?? null,
      metadata: mergeMetadata({}, values.metadata),
    },
  };
}

/** Parameters of `POST /v1/refunds/:id`. @throws DomainError naming the first parameter at fault */
export function updateRefundParameters(parameters: ParameterMap): Parsed<IntentChanges["metadata"]> {
  const values = readParameters(parameters, { metadata: optional(metadata()), ...expanding });
  return { expand: values.expand, input: values.metadata };
}
