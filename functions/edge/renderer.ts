/**
 * The renderer that the flows are given: domain objects to the bytes of answers and events.
 * The same view always gives the same bytes; it never reads a clock, a store or a header.
 */
import { Buffer } from "node:buffer";
import type { ChargeFailure } from "../domain/charge.ts";
import type { EventDraft } from "../domain/events.ts";
import type { StoredOutcome } from "../domain/idempotency.ts";
import type { PaymentView, Renderer } from "../flows/ports.ts";
import { cardError, type ErrorBody, errorBody, errorTable } from "./error-table.ts";
import { renderPaymentIntent, renderRefund } from "./expand.ts";
import { serializeCharge } from "./serialize-charge.ts";
import { serializePaymentIntent } from "./serialize-payment-intent.ts";
import { serializePaymentMethod } from "./serialize-payment-method.ts";
import { serializeRefund } from "./serialize-refund.ts";

/** The wire's implementation of the port. */
export function wireRenderer(): Renderer {
  return {
    intentAnswer: (view, expand) => outcome(200, renderPaymentIntent(view, expand)),
    refundAnswer: (view, expand) => outcome(200, renderRefund(view, expand)),
    errorAnswer: (error, view) => {
      const extras = view === null ? {} : { payment_intent: serializePaymentIntent(view.intent) };
      return outcome(errorTable[error.code].status, errorBody(error, extras));
    },
    declineAnswer: (view, refusal) => outcome(402, declineBody(view, refusal)),
    eventData: (draft, view) => bytes({ object: snapshot(draft, view) }),
  };
}

/** The body of a 402 (contract sections 4 and 5.3): the decline, the charge's id, the intent and the payment method. */
function declineBody({ intent, charge }: PaymentView, refusal: ChargeFailure | undefined): ErrorBody {
  const failure = refusal ?? charge?.failure ?? null;
  if (charge === null || failure === null) {
    throw new Error(`A decline of ${intent.id} was to be rendered without its failed charge.`);
  }
  const method = { id: charge.paymentMethodId, token: charge.paymentMethodToken };
  return {
    error: {
      ...cardError(failure),
      charge: charge.id,
      payment_intent: serializePaymentIntent(intent),
      payment_method: serializePaymentMethod(method, intent.createdAtMs),
    },
  };
}

/** What an event shows. No type of event here tells what an object was before, so there are no `previous_attributes`. */
function snapshot(draft: EventDraft, { intent, charge, refund }: PaymentView): object {
  if (draft.about === "payment_intent") return serializePaymentIntent(intent);
  if (charge === null) throw new Error(`An event ${draft.type} of ${intent.id} was to be rendered without its charge.`);
  if (draft.about === "charge") return serializeCharge(charge);
  if (refund === undefined)
    throw new Error(`An event ${draft.type} of ${intent.id} was to be rendered without its refund.`);
  return serializeRefund(refund, charge.paymentMethodId);
}

function outcome(status: number, body: object): StoredOutcome {
  return { status, body: bytes(body) };
}

function bytes(value: object): Uint8Array {
  return Buffer.from(JSON.stringify(value), "utf8");
}
