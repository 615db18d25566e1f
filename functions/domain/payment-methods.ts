/**
 * The test payment methods and what the test card network says to each (contract section 5.4).
 * It never holds card numbers: only tokens enter the system.
 */
import type { ChargeFailure } from "./charge.ts";
import { refuse } from "./errors.ts";

/** What a test payment method does, or undefined when there is no such token. */
export function testPaymentMethod(token: string): TestPaymentMethod | undefined {
  return methods.get(token);
}

/** One test payment method: how it looks, and what the network does with it. */
export interface TestPaymentMethod {
  readonly type: PaymentMethodType;
  /** Of a card; the bank's name of a bank account. */
  readonly brand: string;
  readonly last4: string;
  /** Null when the network approves. */
  readonly failure: ChargeFailure | null;
  /** When the buyer is asked: whenever that is possible (else it is refused), or only when they are there. */
  readonly challenge?: "always" | "on_session";
  /** Milliseconds until an accepted payment settles, well or badly; absent when it is settled at once. */
  readonly settlesAfterMs?: number;
  /** How a refund goes that is not given back at once. */
  readonly refund?: "settles_later" | "fails_later";
  readonly fault?: TestFault;
}

/** Kinds of payment methods, as the API names them. */
export type PaymentMethodType = "card" | "us_bank_account";

/** How the network misbehaves, so that one can see what a payment does then (design section 5, Acquirer). */
export interface TestFault {
  readonly kind: "reply_lost" | "slow" | "late_lookup" | "unknown";
  readonly orders: "authorize" | "follow_up";
  /** For how long it is slow, finds nothing or knows nothing, in milliseconds; 0 for a lost reply. */
  readonly forMs: number;
}

/**
 * Makes sure that an intent takes payment methods of this kind.
 * @throws DomainError `parameter_invalid` with param `payment_method`
 */
export function requireAllowedType(token: string, types: readonly string[]): void {
  const type = testPaymentMethod(token)?.type ?? "card";
  if (types.includes(type)) return;
  const message = `The PaymentMethod provided (${type}) is not allowed for this PaymentIntent. Its payment_method_types are: ${types.join(", ")}.`;
  throw refuse("parameter_invalid", message, { param: "payment_method" });
}

/** The refusal of a payment whose buyer had to be asked and could not be. */
export const authenticationRequired: ChargeFailure = {
  code: "authentication_required",
  declineCode: "authentication_required",
  message: "Your card was declined. This transaction requires authentication.",
};

/** How long refunds and bank debits take: long enough to be seen as pending, short enough to wait for. */
export const testSettlementMs = 10_000;

/** How long a fault lasts that ends by itself: longer than one call and its lease, well inside the drive window. */
const faultMs = 60_000;

const card = (brand: string, last4: string): TestPaymentMethod => ({ type: "card", brand, last4, failure: null });
const declined = (code: string, declineCode: string | null, message: string, last4 = "0002"): TestPaymentMethod => ({
  ...card("visa", last4),
  failure: { code, declineCode, message },
});
const bank = (last4: string, failure: ChargeFailure | null): TestPaymentMethod => ({
  type: "us_bank_account",
  brand: "TEST BANK",
  last4,
  failure,
  settlesAfterMs: testSettlementMs,
});
const faulty = (last4: string, fault: TestFault): TestPaymentMethod => ({ ...card("visa", last4), fault });

const bankRefusal = (code: string, message: string): ChargeFailure => ({ code, declineCode: null, message });

const refusedText = "Your card was declined.";
const generic = declined("card_declined", "generic_decline", refusedText);
const insufficientFunds = declined("card_declined", "insufficient_funds", "Your card has insufficient funds.", "9995");
const lostCard = declined("card_declined", "lost_card", refusedText, "9987");
const stolenCard = declined("card_declined", "stolen_card", refusedText, "9979");
const velocity = declined("card_declined", "card_velocity_exceeded", refusedText, "6975");

const methods: ReadonlyMap<string, TestPaymentMethod> = new Map([
  ["pm_card_visa", card("visa", "4242")],
  ["pm_card_visa_debit", card("visa", "5556")],
  ["pm_card_mastercard", card("mastercard", "4444")],
  ["pm_card_amex", card("amex", "8431")],
  ["pm_card_discover", card("discover", "1117")],
  ["pm_card_diners", card("diners", "3237")],
  ["pm_card_jcb", card("jcb", "0505")],
  ["pm_card_unionpay", card("unionpay", "0005")],
  ["pm_card_refundFail", { ...card("visa", "5126"), refund: "fails_later" }],
  ["pm_card_pendingRefund", { ...card("visa", "7726"), refund: "settles_later" }],
  ["pm_card_authenticationRequired", { ...card("visa", "3184"), challenge: "always" }],
  ["pm_card_authenticationRequiredOnSetup", { ...card("visa", "3155"), challenge: "always" }],
  ["pm_card_authenticationRequiredSetupForOffSession", { ...card("visa", "3178"), challenge: "on_session" }],
  [
    "pm_card_authenticationRequiredChargeDeclinedInsufficientFunds",
    { ...insufficientFunds, last4: "8341", challenge: "always" },
  ],
  ["pm_card_threeDSecure2Required", { ...card("visa", "3220"), challenge: "always" }],
  ["pm_card_threeDSecureRequiredChargeDeclined", { ...generic, last4: "8349", challenge: "always" }],
  ["pm_card_threeDSecureOptional", card("visa", "3055")],
  ["pm_usBankAccount_success", bank("6789", null)],
  [
    "pm_usBankAccount_insufficientFunds",
    bank("2227", bankRefusal("insufficient_funds", "The account has insufficient funds.")),
  ],
  ["pm_usBankAccount_accountClosed", bank("1116", bankRefusal("account_closed", "The account is closed."))],
  ["pm_card_acquirerReplyLost", faulty("9101", { kind: "reply_lost", orders: "authorize", forMs: 0 })],
  ["pm_card_acquirerSlow", faulty("9102", { kind: "slow", orders: "authorize", forMs: 3_000 })],
  ["pm_card_acquirerLateLookup", faulty("9103", { kind: "late_lookup", orders: "authorize", forMs: faultMs })],
  ["pm_card_acquirerUnknown", faulty("9104", { kind: "unknown", orders: "authorize", forMs: faultMs })],
  ["pm_card_followUpReplyLost", faulty("9105", { kind: "reply_lost", orders: "follow_up", forMs: 0 })],
  ["pm_card_followUpUnknown", faulty("9106", { kind: "unknown", orders: "follow_up", forMs: faultMs })],
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
