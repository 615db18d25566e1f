/**
 * How the sample shop orders and pays: first the order under the token's name, then its payment under the order's.
 * It must never make a key of its own for a payment: the key follows from the order and the try, so that every repeat of
 * every step asks for the same payment.
 */
import { hasCode, refuse } from "../domain/errors.ts";
import {
  afterNews,
  isSamePurchase,
  newOrder,
  nextTry,
  type Order,
  orderIdOf,
  type Purchase,
  paymentKeyOf,
  phaseOf,
} from "../domain/order.ts";
import type { Clock, Log } from "./ports.ts";
import type { PayAnswer, ShopOrders, ShopPayments } from "./shop-ports.ts";

/** What the verbs need. */
export interface ShopDependencies {
  readonly orders: ShopOrders;
  readonly payments: ShopPayments;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Places the order of this request token and pays it; the second time, whatever the form says then, it is the first order.
 * @param returnUrlOf the address of an order, for the way back from a bank's page
 * @throws DomainError `store_unavailable`, `permission_denied`
 */
export async function placeOrder(
  deps: ShopDependencies,
  request: { readonly token: string; readonly purchase: Purchase; readonly returnUrlOf: ReturnUrlOf },
): Promise<{ readonly order: Order; readonly isChangedForm: boolean }> {
  const wanted = newOrder(orderIdOf(request.token), request.purchase, deps.clock.now());
  const { kind, order } = await deps.orders.create(wanted);
  deps.log("INFO", "order placed", { orderId: order.id, isFirst: kind === "created" });
  return {
    order: await payOrder(deps, order, request.returnUrlOf),
    isChangedForm: !isSamePurchase(order, request.purchase),
  };
}

/**
 * Tries to pay a refused order again, with this card; without one it asks about the try that there is. `attempt` is the try
 * that the buyer saw refused: a form that is sent twice starts one try and meets it.
 * @throws DomainError `resource_missing` when there is no such order; `store_unavailable`, `permission_denied`
 */
export async function tryAgain(
  deps: ShopDependencies,
  request: {
    readonly orderId: string;
    readonly attempt: number;
    readonly cardToken: string | null;
    readonly returnUrlOf: ReturnUrlOf;
  },
): Promise<Order> {
  const { attempt, cardToken } = request;
  const found = await deps.orders.change(request.orderId, (order) =>
    cardToken === null ? undefined : nextTry(order, attempt, cardToken),
  );
  if (found === undefined) throw refuse("resource_missing", "There is no such order.");
  return await payOrder(deps, found.order, request.returnUrlOf);
}

/**
 * The order as it stands, after a look at its payment where that is not final. It changes nothing at the payments API.
 * @throws DomainError `resource_missing` when there is no such order; `store_unavailable`, `permission_denied`
 */
export async function lookAtOrder(deps: ShopDependencies, orderId: string): Promise<Order> {
  const order = await deps.orders.read(orderId);
  if (order === undefined) throw refuse("resource_missing", "There is no such order.");
  const isOpen = ["action", "processing"].includes(phaseOf(order));
  if (!isOpen || order.intentId === null) return order;
  return await hear(deps, order, await deps.payments.look(order.intentId));
}

/** The address of an order. */
export type ReturnUrlOf = (orderId: string) => string;

/** Asks for the present try's payment until there is an answer, a few times; an order whose answer is known asks nothing. */
async function payOrder(deps: ShopDependencies, order: Order, returnUrlOf: ReturnUrlOf): Promise<Order> {
  if (phaseOf(order) !== "unknown") return order;
  for (const pauseMs of pausesMs) {
    const answer = await askOnce(deps, order, returnUrlOf(order.id));
    if (answer.kind !== "unknown") return await hear(deps, order, answer);
    deps.log("WARNING", "payment not answered", { orderId: order.id, attempt: order.attempt, reason: answer.reason });
    await deps.clock.sleep(pauseMs);
  }
  return (await deps.orders.read(order.id)) ?? order;
}

/** Three calls within the patience of somebody who looks at a page; what comes later, the event tells or the buyer asks. */
const pausesMs: readonly number[] = [500, 1_500, 0];

async function askOnce({ payments }: ShopDependencies, order: Order, returnUrl: string): Promise<PayAnswer> {
  const { id: orderId, amountMinor, currency, cardToken, intentId } = order;
  const wanted = { idempotencyKey: paymentKeyOf(order), orderId, amountMinor, currency, cardToken, returnUrl };
  const answer = await (intentId === null ? payments.pay(wanted) : payments.payAgain({ ...wanted, intentId }));
  // The first answer tells how it was then. A look that fails leaves us with that, and the next one corrects it.
  if (answer.kind !== "news" || !answer.isReplay) return answer;
  const now = await payments.look(answer.news.intentId);
  return now.kind === "news" ? now : answer;
}

/** Writes down what an answer says. */
async function hear(deps: ShopDependencies, order: Order, answer: PayAnswer): Promise<Order> {
  if (answer.kind === "refused") {
    deps.log("ERROR", "payments API refused the shop", { orderId: order.id, reason: answer.reason });
  }
  if (answer.kind !== "news") return order;
  const nowMs = deps.clock.now();
  let changed: Awaited<ReturnType<ShopOrders["change"]>>;
  try {
    changed = await deps.orders.change(order.id, (standing) => afterNews(standing, answer.news, nowMs));
  } catch (error) {
    if (!hasCode(error, "store_unavailable")) throw error;
    // The payment is made; the order learns of it from the next look or from the event.
    deps.log("WARNING", "answer not written down", { orderId: order.id });
    return afterNews(order, answer.news, nowMs);
  }
  if (changed === undefined) return order;
  if (changed.isChanged && order.paidAtMs === null && changed.order.paidAtMs === nowMs) {
    deps.log("INFO", "order paid", { orderId: order.id, heardFrom: "answer" });
  }
  return changed.order;
}
