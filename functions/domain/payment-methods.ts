/**
 * The test payment methods and what the test card network says to each (contract section 5.4).
 * It never holds card numbers: only tokens enter the system.
 */
import type { ChargeFailure } from "./charge.ts";

/** What a test payment method does, or undefined when there is no such token. */
export function testPaymentMethod(token: string): TestPaymentMethod | undefined {
  return methods.get(token);
}

/** One test payment method: how it looks and how a confirm with it ends. */
export interface TestPaymentMethod {
  readonly brand: string;
  readonly last4: string;
  /** Null when the network approves. */
  readonly failure: ChargeFailure | null;
  /** True when a payment with it succeeds and its refund then fails. */
  readonly refundFails?: boolean;
}

const approved = (brand: string, last4: string): TestPaymentMethod => ({ brand, last4, failure: null });
const declined = (code: string, declineCode: string | null, message: string, last4 = "0002"): TestPaymentMethod => ({
  brand: "visa",
  last4,
  failure: { code, declineCode, message },
});

const refusedText = "Your card was declined.";
const generic = declined("card_declined", "generic_decline", refusedText);
const insufficientFunds = declined("card_declined", "insufficient_funds", "Your card has insufficient funds.", "9995");
const lostCard = declined("card_declined", "lost_card", refusedText, "9987");
const stolenCard = declined("card_declined", "stolen_card", refusedText, "9979");
const velocity = declined("card_declined", "card_velocity_exceeded", refusedText, "6975");

const methods: ReadonlyMap<string, TestPaymentMethod> = new Map([
  ["pm_card_visa", approved("visa", "4242")],
  ["pm_card_visa_debit", approved("visa", "5556")],
  ["pm_card_mastercard", approved("mastercard", "4444")],
  ["pm_card_amex", approved("amex", "8431")],
  ["pm_card_discover", approved("discover", "1117")],
  ["pm_card_diners", approved("diners", "3237")],
  ["pm_card_jcb", approved("jcb", "0505")],
  ["pm_card_unionpay", approved("unionpay", "0005")],
  ["pm_card_refundFail", { ...approved("visa", "5126"), refundFails: true }],
  ["pm_card_visa_chargeDeclined", generic],
  ["pm_card_chargeDeclined", generic],
  ["pm_card_visa_chargeDeclinedInsufficientFunds", insufficientFunds],
  ["pm_card_chargeDeclinedInsufficientFunds", insufficientFunds],
  ["pm_card_visa_chargeDeclinedLostCard", lostCard],
  ["pm_card_visa_chargeDeclinedStolenCard", stolenCard],
  ["pm_card_visa_chargeDeclinedVelocityLimitExceeded", velocity],
  ["pm_card_chargeDeclinedExpiredCard", declined("expired_card", null, "Your card has expired.", "0069")],
  [
    "pm_card_chargeDeclinedIncorrectCvc",
    declined("incorrect_cvc", null, "Your card's security code is incorrect.", "0127"),
  ],
  [
    "pm_card_chargeDeclinedProcessingError",
    declined(
      "processing_error",
      null,
      "An error occurred while processing your card. Try again in a little bit.",
      "0119",
    ),
  ],
  ["pm_card_radarBlock", declined("card_declined", "fraudulent", refusedText, "0019")],
]);
