/**
 * From an intention's verb to the flow that carries it out: the one table that payments-api and the dispatcher share, so that
 * they never differ. It must never decide anything itself.
 */
import type { StoredOutcome } from "../domain/idempotency.ts";
import type { IntendedUse, Intention } from "../domain/intention.ts";
import {
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  type EndpointChangeDependencies,
  rotateEndpointSecret,
} from "../flows/change-webhook-endpoints.ts";
import { intending } from "../flows/idempotently-intention.ts";
import type { Work } from "../flows/idempotently-types.ts";
import { redriveDelivery, resendDelivery, type SendAgainDependencies, sendTestEvent } from "../flows/send-again.ts";

/** What carrying out any intention needs. */
export type IntentionDependencies = EndpointChangeDependencies & SendAgainDependencies;

/** The intention as work for the idempotent path. */
export function intend(deps: IntentionDependencies, intention: Intention): Work {
  return intending(intention, (use, announced) => performIntention(deps, use, announced));
}

/**
 * Carries the intention out, or gives the outcome of whoever did.
 * @throws DomainError `delivery_in_flight` and `lock_timeout`, which are never stored, and what the stores throw
 */
export async function performIntention(
  deps: IntentionDependencies,
  use: IntendedUse,
  intention: Intention,
): Promise<StoredOutcome> {
  switch (intention.verb) {
    case "create_endpoint":
      return await createEndpoint(deps, use, intention.input);
    case "change_endpoint":
      return await changeEndpoint(deps, use, intention.input);
    case "delete_endpoint":
      return await deleteEndpoint(deps, use, intention.input);
    case "rotate_secret":
      return await rotateEndpointSecret(deps, use, intention.input);
    case "send_test_event":
      return await sendTestEvent(deps, use, intention.input);
    case "resend_delivery":
      return await resendDelivery(deps, use, intention.input);
    case "redrive_delivery":
      return await redriveDelivery(deps, use, intention.input);
  }
}
