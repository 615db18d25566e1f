/**
 * The receipt of a payment, as the action of a consumer: one mail for one payment, whatever events tell of it.
 * It must never send a mail to anybody but the address that the payment names.
 */
import { type PaidCharge, receiptMail } from "../domain/receipt.ts";
import type { BusinessAction } from "./consumer-ports.ts";
import type { Mailer } from "./mail-ports.ts";

/** What it needs; `mailFrom` is the sender's address. */
export interface ReceiptDependencies {
  readonly mailer: Mailer;
  readonly mailFrom: string;
}

/** Sends the receipt of `charge` to its `receipt_email`. */
export function sendReceipt({ mailer, mailFrom }: ReceiptDependencies, charge: PaidCharge, to: string): BusinessAction {
  return {
    name: `receipt:${charge.intentId}`,
    effect: { kind: "outside", run: () => mailer.send(receiptMail(charge, { from: mailFrom, to })) },
  };
}
