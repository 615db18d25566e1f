/**
 * How the sample shop hears of its payments by events: it makes one webhook endpoint, and changes orders by what is told.
 * It must never change an order by an event that nobody verified: that is done before (`receive-webhook.ts`).
 */
import { afterNews, type ChargeNews, endpointKeyOf, type PaymentNews } from "../domain/order.ts";
import type { Clock, Log } from "./ports.ts";
import type { ShopEndpoints, ShopOrders, ShopPayments } from "./shop-ports.ts";

/** What hearing needs. */
export interface HearingDependencies {
  readonly orders: ShopOrders;
  readonly payments: ShopPayments;
  readonly endpoints: ShopEndpoints;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Makes sure that the shop has an endpoint at this URL, with one read where it has; it asks the API under a key that follows
 * from the URL, so that however many instances do it there is one. It never rejects: an order is paid without it too, and
 * the next one tries again.
 */
export async function ensureEndpoint(deps: HearingDependencies, url: string): Promise<void> {
  try {
    if ((await deps.endpoints.read()) !== undefined) return;
    const idempotencyKey = endpointKeyOf(url);
    const answer = await deps.payments.makeEndpoint({ url, idempotencyKey });
    if (answer.kind === "made") {
      await deps.endpoints.keep({ url, secret: answer.secret });
      deps.log("INFO", "webhook endpoint made", {});
    } else deps.log("WARNING", "no webhook endpoint", { reason: answer.reason });
  } catch (error) {
    deps.log("WARNING", "no webhook endpoint", { reason: error instanceof Error ? error.name : typeof error });
  }
}

/**
 * Changes the order by the news; one that is not there is another shop's of the same account. Repeated, or after newer news,
 * it changes nothing.
 * @throws DomainError `store_unavailable`, `permission_denied`: the event must come again
 */
export async function hearNews(
  deps: Pick<HearingDependencies, "orders" | "clock" | "log">,
  { orderId, news }: { readonly orderId: string; readonly news: PaymentNews | ChargeNews },
): Promise<void> {
  const nowMs = deps.clock.now();
  let wasPaid = true;
  const changed = await deps.orders.change(orderId, (order) => {
    wasPaid = order.paidAtMs !== null;
    return afterNews(order, news, nowMs);
  });
  if (changed?.isChanged && !wasPaid && changed.order.paidAtMs !== null) {
    deps.log("INFO", "order paid", { orderId, heardFrom: "event" });
  }
}
