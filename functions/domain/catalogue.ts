/**
 * What the sample shop sells, the test cards it takes, and how both are read from a form.
 * It never takes a price from outside: a form names an item, and the price is the one that stands here.
 */
import { refuse } from "./errors.ts";
import { type Currency, currencies } from "./money.ts";
import type { Purchase } from "./order.ts";

/** One thing for sale. */
export interface Item {
  readonly id: string;
  readonly name: string;
  readonly priceMinor: bigint;
}

/** Everything in the shop costs in one currency. */
export const shopCurrency: Currency = "usd";

/** The shelf. */
export const items: readonly Item[] = [
  { id: "beans", name: "Coffee beans, 250 g", priceMinor: 1_250n },
  { id: "grinder", name: "Hand grinder", priceMinor: 8_900n },
  { id: "filter", name: "Paper filters, 100", priceMinor: 640n },
];

/** A test card as the form offers it. */
export interface Card {
  readonly token: string;
  readonly label: string;
}

/** Test cards by what happens to them (contract section 5.4); no real card can be entered anywhere. */
export const cards: readonly Card[] = [
  { token: "pm_card_visa", label: "Visa ending in 4242: pays" },
  { token: "pm_card_visa_chargeDeclinedInsufficientFunds", label: "Visa ending in 9995: has no money" },
  { token: "pm_card_threeDSecure2Required", label: "Visa ending in 3220: your bank asks first" },
];

/** Most of one thing in an order. */
export const quantityMax = 9;

/** The item with this id, or undefined. */
export function itemOf(id: string): Item | undefined {
  return items.find((item) => item.id === id);
}

/**
 * The purchase that a form describes.
 * @throws DomainError `parameter_missing` or `parameter_invalid`, each with the field's name as `param`
 */
export function readPurchase(form: {
  readonly item: string | undefined;
  readonly quantity: string | undefined;
  readonly card: string | undefined;
}): Purchase {
  const item = itemOf(present("item", form.item));
  if (item === undefined) throw refuse("parameter_invalid", "The shop has no such item.", { param: "item" });
  const quantityText = present("quantity", form.quantity);
  if (!/^[1-9]$/.test(quantityText)) {
    throw refuse("parameter_invalid", `The quantity must be a whole number from 1 to ${quantityMax}.`, {
      param: "quantity",
    });
  }
  const quantity = Number(quantityText);
  return {
    itemId: item.id,
    quantity,
    amountMinor: item.priceMinor * BigInt(quantity),
    currency: shopCurrency,
    cardToken: readCard(form.card),
  };
}

/**
 * The token of a card that the shop takes.
 * @throws DomainError `parameter_missing` or `parameter_invalid` with param `card`
 */
export function readCard(token: string | undefined): string {
  const card = cards.find((one) => one.token === present("card", token));
  if (card === undefined) throw refuse("parameter_invalid", "The shop does not take this card.", { param: "card" });
  return card.token;
}

/** An amount for people, for example `12.50 USD`; exact, because it never passes through a fraction. */
export function priceText(amountMinor: bigint, currency: Currency): string {
  const { decimals } = currencies[currency];
  const digits = String(amountMinor).padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const part = decimals === 0 ? "" : `.${digits.slice(-decimals)}`;
  return `${whole}${part} ${currency.toUpperCase()}`;
}

function present(param: string, value: string | undefined): string {
  if (value === undefined || value === "") throw refuse("parameter_missing", `Please choose: ${param}.`, { param });
  return value;
}
