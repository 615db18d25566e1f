// Shows what the shop sells, and that nobody can buy anything else, or at another price.

import { cards, items, priceText, readCard, readPurchase } from "../../functions/domain/catalogue.ts";
import { testPaymentMethod } from "../../functions/domain/payment-methods.ts";

describe("the shop's shelf", () => {
  test("has cards that the payments API knows", () => {
    expect(cards.filter(({ token }) => testPaymentMethod(token) === undefined)).toEqual([]);
  });

  test("gives a purchase its price from the shelf", () => {
    expect(readPurchase({ item: "beans", quantity: "3", card: "pm_card_visa" })).toEqual({
      itemId: "beans",
      quantity: 3,
      amountMinor: 3_750n,
      currency: "usd",
      cardToken: "pm_card_visa",
    });
    expect(items.map(({ id }) => id)).toContain("beans");
  });

  test.each([
    ["no item", { item: undefined }, "parameter_missing", "item"],
    ["an empty item", { item: "" }, "parameter_missing", "item"],
    ["an item that is not for sale", { item: "shop" }, "parameter_invalid", "item"],
    ["no quantity", { quantity: undefined }, "parameter_missing", "quantity"],
    ["a quantity of none", { quantity: "0" }, "parameter_invalid", "quantity"],
    ["a quantity of ten", { quantity: "10" }, "parameter_invalid", "quantity"],
    ["a negative quantity", { quantity: "-1" }, "parameter_invalid", "quantity"],
    ["a card number", { card: "4242424242424242" }, "parameter_invalid", "card"],
    ["no card", { card: undefined }, "parameter_missing", "card"],
  ])("refuses %s by the field's name", (_title, change, code, param) => {
    const form = { item: "beans", quantity: "1", card: "pm_card_visa", ...change };

    expect(() => readPurchase(form)).toThrow(expect.objectContaining({ code, param }));
  });

  test("refuses a card it does not take without repeating it", () => {
    expect(() => readCard("4242424242424242")).toThrow(/^The shop does not take this card\.$/);
  });

  test.each([
    [1_250n, "usd", "12.50 USD"],
    [5n, "usd", "0.05 USD"],
    [500n, "jpy", "500 JPY"],
    [1_230n, "kwd", "1.230 KWD"],
    [9_007_199_254_740_993n, "eur", "90071992547409.93 EUR"],
  ] as const)("shows %s minor units of %s as %s", (amountMinor, currency, text) => {
    expect(priceText(amountMinor, currency)).toBe(text);
  });
});
