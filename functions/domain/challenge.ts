/**
 * A challenge: the buyer proves to the card's issuer who they are, on a page of the acquirer's (3-D Secure).
 * It never decides whether one is needed: that is the acquirer's word, and so is how it went.
 */
import { type Attempt, automaticKey, type ChallengeTerms } from "./attempt.ts";
import type { Changed } from "./changed.ts";
import type { ChargeFailure } from "./charge.ts";
import type { PaymentIntent } from "./payment-intent.ts";

/** What a confirm says about challenges. */
export interface Asking {
  /** False for a payment without the buyer, and for one that rather fails than asks. */
  readonly isAllowed: boolean;
  /** Origin of this API as the client reached it, without a trailing slash. */
  readonly baseUrl: string;
  readonly merchantReturnUrl: string | null;
}

/** The terms of an attempt; null when nobody may be asked. */
export function challengeTerms(asking: Asking, attemptId: string): ChallengeTerms | null {
  if (!asking.isAllowed) return null;
  const startUrl = `${asking.baseUrl}/challenges/${attemptId}`;
  return { startUrl, returnUrl: `${startUrl}/return`, merchantReturnUrl: asking.merchantReturnUrl, pageUrl: null };
}

/**
 * The challenge was passed: the same order goes out again, as an attempt of its own that carries the authentication. With
 * manual confirmation the merchant's server confirms once more, and then the order goes out (contract section 5.3).
 * @param next id, lease and time of the attempt to come
 */
export function passed(intent: PaymentIntent, challenged: Attempt, next: NextAttempt, nowMs: number): Changed {
  requireWaiting(intent, challenged);
  const free = { ...intent, version: intent.version + 1, nextAction: null };
  const superseded: Attempt = { ...challenged, state: "authenticated", closedAtMs: nowMs };
  if (intent.confirmationMethod === "manual") {
    const again = { ...free, status: "requires_confirmation", authentication: challenged.authentication } as const;
    return { intent: again, superseded, events: [] };
  }
  const attempt: Attempt = {
    ...challenged,
    id: next.attemptId,
    chargeId: next.chargeId,
    state: "open",
    // It was asked once; an acquirer that asks again for what it has just accepted would ask for ever.
    challenge: null,
    keyHash: automaticKey(next.attemptId),
    leaseUntilMs: next.leaseUntilMs,
    createdAtMs: nowMs,
    closedAtMs: null,
  };
  return { intent: { ...free, status: "processing", activeAttemptId: attempt.id }, superseded, attempt, events: [] };
}

/** Ids made before the transaction starts, and the lease of its worker. */
export interface NextAttempt {
  readonly attemptId: string;
  readonly chargeId: string;
  readonly leaseUntilMs: number;
}

/** The challenge was refused, or nobody answered it in its time: the payment needs another method (contract section 5.3). */
export function refused(intent: PaymentIntent, challenged: Attempt, nowMs: number): Changed {
  requireWaiting(intent, challenged);
  const paymentMethod = { id: challenged.paymentMethodId, token: challenged.paymentMethodToken };
  return {
    intent: {
      ...intent,
      version: intent.version + 1,
      status: "requires_payment_method",
      nextAction: null,
      paymentMethod: null,
      lastPaymentError: { ...authenticationFailure, chargeId: null, paymentMethod },
    },
    superseded: { ...challenged, state: "declined", closedAtMs: nowMs },
    events: [{ type: "payment_intent.payment_failed", about: "payment_intent" }],
  };
}

/** True when the intent still waits for this attempt's challenge. */
export function isWaitingFor(intent: PaymentIntent, attempt: Attempt): boolean {
  return attempt.state === "challenged" && intent.nextAction?.attemptId === attempt.id;
}

/** The attempt of a challenge that a later command made pointless. */
export function supersede(challenged: Attempt, nowMs: number): Attempt {
  return { ...challenged, state: "superseded", closedAtMs: nowMs };
}

/** What a payment shows whose buyer did not prove who they are. */
export const authenticationFailure: ChargeFailure = {
  code: "payment_intent_authentication_failure",
  declineCode: null,
  message: "The provided PaymentMethod has failed authentication. You can provide a new PaymentMethod to try again.",
};

/** How soon to ask the acquirer how a challenge went, when the buyer does not come back by themselves: in milliseconds. */
export function nextLookMs(challenged: Attempt, nowMs: number): number {
  // As long again as it has waited so far: few looks in a day, and never a long wait for one who paid at once.
  return Math.min(Math.max(nowMs - challenged.createdAtMs, firstLookMs), longestWaitMs);
}

/** A minute: a buyer who is still reading the page comes back by themselves. */
const firstLookMs = 60_000;
/** An hour: the acquirer's challenges end by themselves, and then one look suffices. */
const longestWaitMs = 60 * 60 * 1000;

function requireWaiting(intent: PaymentIntent, attempt: Attempt): void {
  if (!isWaitingFor(intent, attempt)) throw new Error(`Intent ${intent.id} does not wait for attempt ${attempt.id}.`);
}
