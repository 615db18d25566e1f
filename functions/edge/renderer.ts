/**
 * The renderer that the flows are given: domain objects to the bytes of answers and events.
 * The same view always gives the same bytes; it never reads a clock, a store or a header.
 */
import { Buffer } from "node:buffer";
import type { EventDraft } from "../domain/events.ts";
import type { StoredOutcome } from "../domain/idempotency.ts";
import type { PaymentView, Renderer } from "../flows/ports.ts";
import { cardError, type ErrorBody, errorBody, errorTable } from "./error-table.ts";
import { renderPaymentIntent } from "./expand.ts";
import { serializeCharge } from "./serialize-charge.ts";
import { serializePaymentIntent } from "./serialize-payment-intent.ts";
import { serializePaymentMethod } from "./serialize-payment-method.ts";

/** The wire's implementation of the port. */
export function wireRenderer(): Renderer {
  return {
    intentAnswer: (view, expand) => outcome(200, renderPaymentIntent(view, expand)),
    errorAnswer: (error, view) => {
      const extras = view === null ? {} : { payment_intent: serializePaymentIntent(view.intent) };
      return outcome(errorTable[error.code].status, errorBody(error, extras));
    },
    declineAnswer: (view) => outcome(402, declineBody(view)),
    eventData: (draft, view) => bytes({ object: snapshot(draft, view) }),
  };
}

/** The body of a 402 (contract sections 4 and 5.3): the decline, the charge's id, the intent and the payment method. */
function declineBody({ intent, charge }: PaymentView): ErrorBody {
  if (charge === null || charge.failure === null) {
    throw new Error(`A decline of ${intent.id} was to be rendered without its failed charge.`);
  }
  const method = { id: charge.paymentMethodId, token: charge.paymentMethodToken };
  return {
    error: {
      ...cardError(charge.failure),
      charge: charge.id,
      payment_intent: serializePaymentIntent(intent),
      payment_method: serializePaymentMethod(method, intent.createdAtMs),
    },
  };
}

/** What an event shows. No type of event here tells what an object was before, so there are no `previous_attributes`. */
function snapshot(draft: EventDraft, { intent, charge }: PaymentView): object {
  if (draft.about === "payment_intent") return serializePaymentIntent(intent);
  if (charge === null) throw new Error(`An event ${draft.type} of ${intent.id} was to be rendered without its charge.`);
  return serializeCharge(charge);
}

function outcome(status: number, body: object): StoredOutcome {
  return { status, body: bytes(body) };
}

function bytes(value: object): Uint8Array {
  return Buffer.from(JSON.stringify(value), "utf8");
}
