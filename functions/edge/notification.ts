/**
 * The consumer `notification`: reads charges out of events and lets a receipt be sent to whom the payment names.
 * It must never take a charge that only holds the money for one that was paid.
 */
import type { ConsumedEvent } from "../domain/consumption.ts";
import type { PaidCharge } from "../domain/receipt.ts";
import { type ReceiptDependencies, sendReceipt } from "../flows/send-receipt.ts";
import { type Members, read } from "./consumed-event.ts";
import { type ConsumerPorts, eventConsumer } from "./event-consumer.ts";
import type { WireHandler } from "./wire.ts";

/** The handler of `notification`. */
export function notification(ports: ConsumerPorts & ReceiptDependencies): WireHandler {
  return eventConsumer(ports, {
    name: "notification",
    actionOf: (event) => {
      if (!paidTypes.has(event.type) || !read.isTrue(event.object, "captured")) return null;
      const to = read.textOrNull(event.object, "receipt_email");
      return to === null || to === "" ? null : sendReceipt(ports, chargeIn(event), to);
    },
  });
}

/** A payment is paid at once, or when a hold is captured. */
const paidTypes: ReadonlySet<string> = new Set(["charge.succeeded", "charge.captured"]);

function chargeIn({ object, createdAtMs }: ConsumedEvent): PaidCharge {
  return {
    chargeId: read.id(object, "id"),
    intentId: read.id(object, "payment_intent"),
    amountMinor: read.amountMinor(object, "amount_captured"),
    currency: read.currency(object, "currency"),
    paidAtMs: createdAtMs,
    description: read.textOrNull(object, "description"),
    statementDescriptor: read.textOrNull(object, "calculated_statement_descriptor"),
    card: cardIn(object),
  };
}

/** Other kinds of payment methods may come; a receipt without a card is a receipt. */
function cardIn(charge: Members): PaidCharge["card"] {
  const { brand, last4 } = read.cardOf(charge) ?? {};
  return typeof brand === "string" && typeof last4 === "string" ? { brand, lastFour: last4 } : null;
}
