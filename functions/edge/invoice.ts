/**
 * The consumer `invoice`: reads paid intents out of events and lets an invoice be issued for each.
 * It must never issue one for what was asked for: only for what was received.
 */
import type { ConsumedEvent } from "../domain/consumption.ts";
import type { PaidIntent } from "../domain/invoice.ts";
import { issueInvoice } from "../flows/issue-invoice.ts";
import { read } from "./consumed-event.ts";
import { type ConsumerPorts, eventConsumer } from "./event-consumer.ts";
import type { WireHandler } from "./wire.ts";

/** The handler of `invoice`; `invoices` is the collection that it issues into. */
export function invoice(ports: ConsumerPorts & { readonly invoices: string }): WireHandler {
  return eventConsumer(ports, {
    name: "invoice",
    actionOf: (event) => (event.type === "payment_intent.succeeded" ? issueInvoice(ports, paymentIn(event)) : null),
  });
}

function paymentIn({ object, accountId, createdAtMs }: ConsumedEvent): PaidIntent {
  return {
    intentId: read.id(object, "id"),
    accountId,
    amountMinor: read.amountMinor(object, "amount_received"),
    currency: read.currency(object, "currency"),
    paidAtMs: createdAtMs,
    customer: read.textOrNull(object, "customer"),
    description: read.textOrNull(object, "description"),
  };
}
