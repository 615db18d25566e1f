// Shows that an order ends the same whatever is heard of its payment, in whatever order and however often.
// It must never look at more than the domain: how news arrives is tested elsewhere.

import {
  afterNews,
  attemptsMax,
  type ChargeNews,
  isSamePurchase,
  mayRetry,
  newOrder,
  nextTry,
  type Order,
  orderIdOf,
  type PaymentNews,
  type PaymentStatus,
  paymentKeyOf,
  phaseOf,
} from "../../functions/domain/order.ts";

const placedAtMs = Date.UTC(2026, 0, 15, 12, 0, 0);
const purchase = {
  itemId: "beans",
  quantity: 2,
  amountMinor: 2_500n,
  currency: "usd",
  cardToken: "pm_card_visa",
} as const;
const placed = newOrder(orderIdOf("a-token"), purchase, placedAtMs);

function payment(version: number | null, status: PaymentStatus, more: Partial<PaymentNews> = {}): PaymentNews {
  return {
    kind: "payment",
    ...{ version, status, intentId: "pi_1", currency: "usd", failure: null, actionUrl: null },
    receivedMinor: status === "succeeded" ? 2_500n : 0n,
    ...more,
  };
}

const charge = (version: number, refundedMinor: bigint): ChargeNews => ({
  ...{ kind: "charge", version, refundedMinor, intentId: "pi_1" },
});

const heard = (order: Order, ...all: readonly (PaymentNews | ChargeNews)[]) =>
  all.reduce((standing, news) => afterNews(standing, news, placedAtMs + 1_000), order);

describe("an order's names", () => {
  test("follow from the request token, which they do not tell", () => {
    expect(orderIdOf("a-token")).toBe(orderIdOf("a-token"));
    expect(orderIdOf("a-token")).toMatch(/^order_[0-9a-f]{32}$/);
    expect(orderIdOf("b-token")).not.toBe(orderIdOf("a-token"));
  });

  test("make the key of its payment, another one for each try", () => {
    const refused = heard(placed, payment(null, "requires_payment_method"));
    const again = nextTry(refused, 1, "pm_card_visa");

    expect(paymentKeyOf(placed)).toBe(`${placed.id}-1`);
    expect(again && paymentKeyOf(again)).toBe(`${placed.id}-2`);
  });
});

describe("an order's phase", () => {
  test.each([
    ["unknown", "unknown"],
    ["requires_action", "action"],
    ["processing", "processing"],
    ["requires_confirmation", "processing"],
    ["requires_payment_method", "failed"],
    ["canceled", "failed"],
    ["succeeded", "paid"],
  ] as const)("of a payment that is %s is %s", (status, phase) => {
    expect(phaseOf(heard(placed, payment(null, status)))).toBe(phase);
  });

  test("tells a part that was refunded from the whole", () => {
    const paid = heard(placed, payment(3, "succeeded"));

    expect(phaseOf(heard(paid, charge(2, 1_000n)))).toBe("partly_refunded");
    expect(phaseOf(heard(paid, charge(2, 2_500n)))).toBe("refunded");
  });
});

describe("news of a payment", () => {
  test("F49: in any order and repeated leaves the same order: paid once, refunded to the newest word", () => {
    const story = [
      payment(1, "processing"),
      payment(2, "requires_action", { actionUrl: "https://bank.example/" }),
      payment(5, "succeeded"),
      charge(2, 500n),
      charge(3, 2_500n),
    ];
    const ends = permutations(story).map((order) => {
      const paidAt: (number | null)[] = [];
      const end = [...order, ...order].reduce((standing, news, index) => {
        const next = afterNews(standing, news, placedAtMs + index);
        if (next.paidAtMs !== standing.paidAtMs) paidAt.push(next.paidAtMs);
        return next;
      }, placed);
      // When it was paid is when it was first heard, which differs; how often must not.
      expect(paidAt).toHaveLength(1);
      return JSON.stringify({ ...end, paidAtMs: "once" }, (_, value) =>
        typeof value === "bigint" ? String(value) : value,
      );
    });

    expect(ends).toHaveLength(120);
    expect(new Set(ends).size).toBe(1);
    expect(phaseOf(heard(placed, ...story))).toBe("refunded");
  });

  test("of a success counts even when something newer was heard before", () => {
    const canceledFirst = heard(placed, payment(9, "canceled"), payment(5, "succeeded"));

    expect(canceledFirst.paidAtMs).toBe(placedAtMs + 1_000);
    expect(canceledFirst.payment).toMatchObject({ version: 9, status: "canceled" });
  });

  test("from an answer, which has no version, replaces what is not final and nothing that is", () => {
    const waiting = heard(placed, payment(4, "requires_action"), payment(null, "processing"));
    const final = heard(placed, payment(4, "succeeded"), payment(null, "requires_action"));

    expect(waiting.payment).toMatchObject({ version: 4, status: "processing" });
    expect(final.payment.status).toBe("succeeded");
  });

  test("that says nothing new gives the very same order back", () => {
    const once = heard(placed, payment(null, "processing"));
    const paid = heard(placed, payment(5, "succeeded"));

    expect(heard(once, payment(null, "processing"))).toBe(once);
    expect(heard(paid, payment(5, "succeeded"), payment(null, "succeeded"), charge(0, 0n))).toBe(paid);
  });

  test.each([
    ["less than the order costs", { receivedMinor: 2_499n }],
    ["another currency", { currency: "jpy" }],
  ])("of a success with %s pays nothing", (_title, more) => {
    expect(heard(placed, payment(5, "succeeded", more)).paidAtMs).toBeNull();
  });

  test("of another payment than the order's own changes nothing", () => {
    const own = heard(placed, payment(1, "processing"));

    expect(heard(own, payment(7, "succeeded", { intentId: "pi_2" }), { ...charge(7, 1n), intentId: "pi_2" })).toBe(own);
  });
});

describe("another try", () => {
  const refused = heard(placed, payment(3, "requires_payment_method", { failure: "Your card was declined." }));

  test("takes the new card, keeps the payment, and forgets the refusal", () => {
    expect(nextTry(refused, 1, "pm_card_mastercard")).toMatchObject({
      attempt: 2,
      cardToken: "pm_card_mastercard",
      intentId: "pi_1",
      payment: { version: 3, status: "unknown", failure: null },
    });
  });

  test("is not made by a form that was sent before, nor for an order that was not refused", () => {
    const again = nextTry(refused, 1, "pm_card_visa") as Order;

    expect(nextTry(again, 1, "pm_card_visa")).toBeUndefined();
    expect(nextTry(placed, 1, "pm_card_visa")).toBeUndefined();
    expect(nextTry(heard(placed, payment(5, "succeeded")), 1, "pm_card_visa")).toBeUndefined();
  });

  test("does not mind late news of the try before it", () => {
    const again = nextTry(refused, 1, "pm_card_visa") as Order;

    expect(heard(again, payment(3, "requires_payment_method")).payment.status).toBe("unknown");
  });

  test("ends after the fifth", () => {
    expect(mayRetry({ ...refused, attempt: attemptsMax - 1 })).toBe(true);
    expect(mayRetry({ ...refused, attempt: attemptsMax })).toBe(false);
  });
});

test("the same purchase is told from another by everything but the card", () => {
  expect(isSamePurchase(placed, { ...purchase, cardToken: "pm_card_amex" })).toBe(true);
  expect(isSamePurchase(placed, { ...purchase, itemId: "filter" })).toBe(false);
  expect(isSamePurchase(placed, { ...purchase, quantity: 3 })).toBe(false);
  expect(isSamePurchase(placed, { ...purchase, amountMinor: 1n })).toBe(false);
});

function permutations<Value>(values: readonly Value[]): Value[][] {
  if (values.length === 0) return [[]];
  return values.flatMap((value, index) =>
    permutations(values.filter((_, other) => other !== index)).map((rest) => [value, ...rest]),
  );
}
