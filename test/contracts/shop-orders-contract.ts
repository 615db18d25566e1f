// What every store of the shop's orders must do: the memory twin and Firestore run the same tests.
// It must never use what only one of them has.
import { randomBytes } from "node:crypto";
import { newOrder, type Order, orderIdOf } from "../../functions/domain/order.ts";
import type { ShopOrders } from "../../functions/flows/shop-ports.ts";

/** Orders for one suite. */
export type OrdersUnderTest = { readonly orders: ShopOrders; close(): Promise<void> };

/** Registers the suite. */
export function shopOrdersContract(open: () => Promise<OrdersUnderTest>): void {
  let subject: OrdersUnderTest;
  beforeAll(async () => {
    subject = await open();
  });
  afterAll(async () => await subject.close());

  test("a new order is created, and can be read at once", async () => {
    const order = someOrder();

    expect(await subject.orders.create(order)).toEqual({ kind: "created", order });
    expect(await subject.orders.read(order.id)).toEqual(order);
  });

  test("an order that nobody placed is not there, and cannot be changed", async () => {
    const { id } = someOrder();

    expect(await subject.orders.read(id)).toBeUndefined();
    expect(await subject.orders.change(id, (order) => order)).toBeUndefined();
    expect(await subject.orders.read(id)).toBeUndefined();
  });

  test("a second order under an id is not created: the first one stands and is returned", async () => {
    const first = someOrder();
    await subject.orders.create(first);

    const second = await subject.orders.create({ ...first, quantity: 9, amountMinor: 11_250n });

    expect(second).toEqual({ kind: "exists", order: first });
    expect(await subject.orders.read(first.id)).toEqual(first);
  });

  test("of 20 parallel orders under an id one is created, and all callers are given that one", async () => {
    const { id } = someOrder();
    const offered = Array.from({ length: 20 }, (_, index) => ({ ...someOrder(), id, createdAtMs: index }));

    const results = await Promise.all(offered.map((order) => subject.orders.create(order)));

    expect(results.filter(({ kind }) => kind === "created")).toHaveLength(1);
    const standing = await subject.orders.read(id);
    for (const { order } of results) expect(order).toEqual(standing);
  });

  test("a change is kept with each of its fields", async () => {
    const order = someOrder();
    await subject.orders.create(order);
    const wanted: Order = {
      ...order,
      attempt: 2,
      cardToken: "pm_card_amex",
      intentId: "pi_1",
      payment: { version: 7, status: "requires_action", failure: "No.", actionUrl: "https://bank.example/?a=1&b=2" },
      paidAtMs: 1_735_689_600_001,
      amountMinor: 9_007_199_254_740_993n,
      refundedMinor: 9_007_199_254_740_992n,
      chargeVersion: 3,
    };

    expect(await subject.orders.change(order.id, () => wanted)).toEqual({ order: wanted, isChanged: true });
    expect(await subject.orders.read(order.id)).toEqual(wanted);
  });

  test("a change that gives the order back, or nothing, writes nothing", async () => {
    const order = someOrder();
    await subject.orders.create(order);

    expect(await subject.orders.change(order.id, (standing) => standing)).toEqual({ order, isChanged: false });
    expect(await subject.orders.change(order.id, () => undefined)).toEqual({ order, isChanged: false });
    expect(await subject.orders.read(order.id)).toEqual(order);
  });

  test("a change that throws writes nothing", async () => {
    const order = someOrder();
    await subject.orders.create(order);

    const thrown = subject.orders.change(order.id, () => {
      throw new RangeError("no");
    });

    await expect(thrown).rejects.toThrow();
    expect(await subject.orders.read(order.id)).toEqual(order);
  });

  test("of 10 parallel changes none is lost, and a change that only the first may make is made once", async () => {
    const order = someOrder();
    await subject.orders.create(order);

    const results = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        subject.orders.change(order.id, (standing) => ({
          ...standing,
          refundedMinor: standing.refundedMinor + 1n,
          paidAtMs: standing.paidAtMs ?? index,
        })),
      ),
    );

    const standing = await subject.orders.read(order.id);
    expect(standing?.refundedMinor).toBe(10n);
    expect(new Set(results.map((result) => result?.order.paidAtMs))).toEqual(new Set([standing?.paidAtMs]));
  });
}

function someOrder(): Order {
  const purchase = {
    itemId: "beans",
    quantity: 1,
    amountMinor: 1_250n,
    currency: "usd",
    cardToken: "pm_card_visa",
  } as const;
  return newOrder(orderIdOf(randomBytes(12).toString("hex")), purchase, 1_735_689_600_000);
}
