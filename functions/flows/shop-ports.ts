/**
 * What the sample shop needs from the outside: its own orders, and the payments API. Types only.
 * It never names a product or a wire name; adapters satisfy these types.
 */
import type { Order, PaymentNews } from "../domain/order.ts";

/** The shop's orders. Every method may reject with `store_unavailable` or `permission_denied`. */
export interface ShopOrders {
  /** Creates the order if none has its id; of two parallel calls one creates. Returns the order that stands. */
  create(order: Order): Promise<{ readonly kind: "created" | "exists"; readonly order: Order }>;
  read(id: string): Promise<Order | undefined>;
  /**
   * Replaces the order by what `change` makes of it, as one step that no other change comes between; `change` may run
   * again and must be pure. Nothing is written when it returns the order it was given, or undefined.
   * @returns the order that stands and whether it was changed; undefined when there is none
   */
  change(
    id: string,
    change: (order: Order) => Order | undefined,
  ): Promise<{ readonly order: Order; readonly isChanged: boolean } | undefined>;
}

/** Where the shop hears of its payments. Every method may reject with `store_unavailable` or `permission_denied`. */
export interface ShopEndpoints {
  /** The endpoint that stands, or undefined. */
  read(): Promise<ShopEndpoint | undefined>;
  /** Keeps the endpoint if there is none; of two parallel calls one stays. Returns the one that stands. */
  keep(endpoint: ShopEndpoint): Promise<ShopEndpoint>;
}

/** A webhook endpoint of the shop's account, and the secret that its events are signed with. */
export interface ShopEndpoint {
  readonly url: string;
  readonly secret: string;
}

/** What came of making an endpoint; the failures are those of `PayAnswer`. */
export type EndpointAnswer =
  | { readonly kind: "made"; readonly secret: string }
  | Exclude<PayAnswer, { readonly kind: "news" }>;

/** The payments API as this merchant uses it; every call may be repeated with its key. It never rejects. */
export interface ShopPayments {
  /** Makes a webhook endpoint for all events. */
  makeEndpoint(order: { readonly url: string; readonly idempotencyKey: string }): Promise<EndpointAnswer>;
  /** Creates a payment and confirms it. */
  pay(order: PayOrder): Promise<PayAnswer>;
  /** Confirms a payment that failed once more, with another card. */
  payAgain(order: PayOrder & { readonly intentId: string }): Promise<PayAnswer>;
  /** How the payment stands now. */
  look(intentId: string): Promise<PayAnswer>;
}

/** What the shop wants paid. */
export interface PayOrder {
  readonly idempotencyKey: string;
  readonly orderId: string;
  readonly amountMinor: bigint;
  readonly currency: string;
  readonly cardToken: string;
  /** Where the buyer comes back to from a bank's page. */
  readonly returnUrl: string;
}

/** What came of a call. */
export type PayAnswer =
  /** `isReplay`: the first answer to this key, given again; what has happened since is not in it. */
  | { readonly kind: "news"; readonly news: PaymentNews; readonly isReplay: boolean }
  /** No answer, or one that says to ask again: the payment may or may not have been made. */
  | { readonly kind: "unknown"; readonly reason: string }
  /** The API refuses the call as such, so that asking again is of no use. `reason` is a status and a code. */
  | { readonly kind: "refused"; readonly reason: string };
