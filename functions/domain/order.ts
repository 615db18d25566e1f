/**
 * An order of the sample shop: what was bought, how its payment stands, and what news of the payment does to it.
 * It never decides by the order in which news arrives: every permutation of the same news, repeated or not, ends alike.
 */
import { createHash } from "node:crypto";
import type { Currency } from "./money.ts";

/** One order. Amounts are minor units of `currency`. */
export interface Order {
  readonly id: string;
  readonly itemId: string;
  readonly quantity: number;
  readonly amountMinor: bigint;
  readonly currency: Currency;
  readonly createdAtMs: number;
  /** Which try of paying this is, from 1: part of the key under which the payments API is asked. */
  readonly attempt: number;
  /** The card of this try. */
  readonly cardToken: string;
  /** The payment at the payments API, once its answer is known. */
  readonly intentId: string | null;
  readonly payment: OrderPayment;
  /** When it was found paid, for the first time; what a shop does for money, it does when this is set. */
  readonly paidAtMs: number | null;
  readonly refundedMinor: bigint;
  /** Version of the charge that `refundedMinor` is from; 0 before any. */
  readonly chargeVersion: number;
}

/** The newest that is known of the payment. */
export interface OrderPayment {
  /** Version of the payment that an event told; 0 before any. Answers of the API carry none. */
  readonly version: number;
  readonly status: PaymentStatus;
  /** Why it failed, in words for the buyer. */
  readonly failure: string | null;
  /** Where the buyer's bank asks for a confirmation. */
  readonly actionUrl: string | null;
}

/** States of a payment in the words of the API (contract section 5.3); `unknown` until one is heard. */
export type PaymentStatus =
  | "unknown"
  | "requires_payment_method"
  | "requires_confirmation"
  | "requires_action"
  | "processing"
  | "requires_capture"
  | "succeeded"
  | "canceled";

/** What an order looks like to the buyer. */
export type OrderPhase = "unknown" | "action" | "processing" | "paid" | "failed" | "partly_refunded" | "refunded";

/** News of a payment: from an answer of the API (`version` null) or from an event. */
export interface PaymentNews {
  readonly kind: "payment";
  readonly version: number | null;
  readonly intentId: string;
  readonly status: PaymentStatus;
  readonly receivedMinor: bigint;
  readonly currency: string;
  readonly failure: string | null;
  readonly actionUrl: string | null;
}

/** News of the charge behind a payment. */
export interface ChargeNews {
  readonly kind: "charge";
  readonly version: number;
  readonly intentId: string;
  readonly refundedMinor: bigint;
}

/**
 * The id of the order that this request token makes: a digest, so that the same token is the same order, and an order's
 * address tells nobody the token.
 */
export function orderIdOf(token: string): string {
  return `order_${createHash("sha256").update(`sample-shop order ${token}`, "utf8").digest("hex").slice(0, idLength)}`;
}

/** 128 bits: nobody finds another buyer's order by trying. */
const idLength = 32;

/** What a buyer asked for. */
export interface Purchase {
  readonly itemId: string;
  readonly quantity: number;
  readonly amountMinor: bigint;
  readonly currency: Currency;
  readonly cardToken: string;
}

/** A new order; nothing is known of its payment yet. */
export function newOrder(id: string, purchase: Purchase, nowMs: number): Order {
  return {
    id,
    ...purchase,
    createdAtMs: nowMs,
    attempt: 1,
    intentId: null,
    payment: { version: 0, ...unheard },
    paidAtMs: null,
    refundedMinor: 0n,
    chargeVersion: 0,
  };
}

const unheard = { status: "unknown", failure: null, actionUrl: null } as const;

/** True when both buy the same. The card does not count: how an order is paid is asked again when a card is refused. */
export function isSamePurchase(order: Order, purchase: Purchase): boolean {
  const { itemId, quantity, amountMinor, currency } = purchase;
  return (
    order.itemId === itemId &&
    order.quantity === quantity &&
    order.amountMinor === amountMinor &&
    order.currency === currency
  );
}

/** The idempotency key of an order's present try: derived, so that whoever asks again asks for the same payment. */
export function paymentKeyOf({ id, attempt }: Order): string {
  return `${id}-${attempt}`;
}

/** The idempotency key under which the shop makes its webhook endpoint at this URL: whoever asks again asks for the same. */
export function endpointKeyOf(url: string): string {
  return `sample-shop-endpoint-${createHash("sha256").update(url, "utf8").digest("hex")}`;
}

/** The state for people. Being paid outlives whatever is heard later of the payment itself. */
export function phaseOf({ paidAtMs, payment, refundedMinor, amountMinor }: Order): OrderPhase {
  if (paidAtMs !== null) {
    if (refundedMinor === 0n) return "paid";
    return refundedMinor < amountMinor ? "partly_refunded" : "refunded";
  }
  if (payment.status === "requires_action") return "action";
  if (payment.status === "requires_payment_method" || payment.status === "canceled") return "failed";
  return payment.status === "unknown" ? "unknown" : "processing";
}

/** True when the buyer may try to pay once more, perhaps with another card. */
export function mayRetry(order: Order): boolean {
  return order.payment.status === "requires_payment_method" && order.paidAtMs === null && order.attempt < attemptsMax;
}

/** Five: whoever has been refused that often needs another bank, and a form that never ends invites card testing. */
export const attemptsMax = 5;

/**
 * The next try with this card, or undefined when `attempt` is not the present one (a form sent twice) or none is allowed.
 * The version stays, so that late news of the try before it is recognised as old.
 */
export function nextTry(order: Order, attempt: number, cardToken: string): Order | undefined {
  if (order.attempt !== attempt || !mayRetry(order)) return undefined;
  return { ...order, attempt: attempt + 1, cardToken, payment: { version: order.payment.version, ...unheard } };
}

/** The order after the news; the same object when it changes nothing. */
export function afterNews(order: Order, news: PaymentNews | ChargeNews, nowMs: number): Order {
  // A payment of somebody else's that names this order is none of its business.
  if (order.intentId !== null && order.intentId !== news.intentId) return order;
  return news.kind === "payment" ? afterPayment(order, news, nowMs) : afterCharge(order, news);
}

function afterPayment(order: Order, news: PaymentNews, nowMs: number): Order {
  // The effect is never left out because of a version: a success is one, however late it is heard (design section 6).
  const paidAtMs = order.paidAtMs ?? (isWholePayment(order, news) ? nowMs : null);
  const isNews = isNewer(order.payment, news);
  if (!isNews && paidAtMs === order.paidAtMs) return order;
  const { status, failure, actionUrl } = news;
  const payment = isNews
    ? { version: news.version ?? order.payment.version, status, failure, actionUrl }
    : order.payment;
  return { ...order, intentId: news.intentId, paidAtMs, payment };
}

/** An event replaces what is older by its version. An answer has none: it is of now, and only a final state stands firm. */
function isNewer(known: OrderPayment, { version, status, failure, actionUrl }: PaymentNews): boolean {
  if (version !== null) return version > known.version;
  const isFinal = known.status === "succeeded" || known.status === "canceled";
  return !isFinal && (known.status !== status || known.failure !== failure || known.actionUrl !== actionUrl);
}

/** Whoever knows an order's id could make a cheaper payment that names it. */
function isWholePayment(order: Order, { status, receivedMinor, currency }: PaymentNews): boolean {
  return status === "succeeded" && receivedMinor >= order.amountMinor && currency === order.currency;
}

function afterCharge(order: Order, { version, refundedMinor }: ChargeNews): Order {
  return version > order.chargeVersion ? { ...order, chargeVersion: version, refundedMinor } : order;
}
