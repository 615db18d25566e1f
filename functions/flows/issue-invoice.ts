/**
 * The invoice of a payment, as the action of a consumer: one document for one payment, committed with its markers.
 * It must never replace an invoice that stands.
 */
import { invoiceNumber, invoicePage, type PaidIntent } from "../domain/invoice.ts";
import type { BusinessAction } from "./consumer-ports.ts";

/** Issues the invoice into a collection, under the payment's id. */
export function issueInvoice({ invoices }: { readonly invoices: string }, payment: PaidIntent): BusinessAction {
  const { amountMinor, ...fields } = payment;
  return {
    name: `invoice:${payment.intentId}`,
    effect: {
      kind: "own",
      prepare: async () => ({
        outcome: "issued",
        documents: [
          {
            ...{ collection: invoices, id: payment.intentId, write: "create" },
            fields: {
              ...fields,
              number: invoiceNumber(payment.intentId),
              amountMinor: String(amountMinor),
              html: invoicePage(payment),
            },
          },
        ],
      }),
    },
  };
}
