/**
 * What an update or a confirm changes of an intent, and which fields an authorization has closed.
 * It never moves money and never decides whether a command is legal in a state: that is `decide.ts`.
 */
import { checkAmount } from "./money.ts";
import { type IntentChanges, mergeMetadata, type PaymentIntent, type PaymentIntentStatus } from "./payment-intent.ts";

/**
 * The intent with the changes applied, one version higher.
 * @throws DomainError for an amount outside the limits of its currency, and for too much metadata
 */
export function applyChanges(intent: PaymentIntent, changes: IntentChanges, ids: ChangeIds): PaymentIntent {
  const { amountMinor, currency, captureMethod, paymentMethodToken, metadata, ...details } = changes;
  const next = {
    ...intent,
    ...details,
    version: intent.version + 1,
    amountMinor: amountMinor ?? intent.amountMinor,
    currency: currency ?? intent.currency,
    captureMethod: captureMethod ?? intent.captureMethod,
    metadata: mergeMetadata(intent.metadata, metadata),
    // Any later change forgets the last decline (contract section 5.3).
    lastPaymentError: null,
  };
  if (amountMinor !== undefined || currency !== undefined) checkAmount(next.amountMinor, next.currency);
  if (!touchesMoney(changes)) return next;
  // What was to be authenticated is another payment now.
  const restarted = { ...next, authentication: null, nextAction: null };
  if (paymentMethodToken !== undefined) {
    const paymentMethod = paymentMethodToken === null ? null : { id: ids.paymentMethodId, token: paymentMethodToken };
    const status = paymentMethod === null ? "requires_payment_method" : "requires_confirmation";
    return { ...restarted, paymentMethod, status };
  }
  return next.status === "requires_action" ? { ...restarted, status: "requires_confirmation" } : restarted;
}

/** True when the changes make it another payment for the network: amount, currency, method, or when money is taken. */
export function touchesMoney(changes: IntentChanges): boolean {
  return moneyFields.some((name) => changes[name] !== undefined);
}

/** Ids made before the transaction starts, because its body may run again. */
export interface ChangeIds {
  /** Id for a payment method that the command brings. */
  readonly paymentMethodId: string;
}

/** The wire name of the first field that the changes touch and the intent no longer takes; undefined when all is open. */
export function closedField(intent: PaymentIntent, changes: IntentChanges): string | undefined {
  if (!closedToMoney.has(intent.status)) return undefined;
  const field = moneyFields.find((name) => changes[name] !== undefined);
  return field === undefined ? undefined : wireNames[field];
}

/** From an authorization on, amount and method are what the network agreed to. */
const closedToMoney: ReadonlySet<PaymentIntentStatus> = new Set([
  "processing",
  "requires_capture",
  "succeeded",
  "canceled",
]);

/** Fields that a closed intent no longer takes. */
const moneyFields = ["amountMinor", "currency", "captureMethod", "paymentMethodToken"] as const;

const wireNames: Record<(typeof moneyFields)[number], string> = {
  amountMinor: "amount",
  currency: "currency",
  captureMethod: "capture_method",
  paymentMethodToken: "payment_method",
};
