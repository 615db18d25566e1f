/**
 * Expansion: which ids of an answer a client may ask to see as whole objects, and rendering with them (contract section 2).
 * It never loads: `needsCharge` says what the caller has to load, and a missing object is a bug that throws.
 */
import type Stripe from "stripe";
import { balanceTransactionId, bookingOfCharge, bookingsOfRefund } from "../domain/balance-transaction.ts";
import type { Charge } from "../domain/charge.ts";
import { refuse } from "../domain/errors.ts";
import type { PaymentIntent } from "../domain/payment-intent.ts";
import type { Books, PaymentView } from "../flows/ports.ts";
import type { BookingView } from "../flows/read-balances.ts";
import { serializeBalanceTransaction } from "./serialize-balance.ts";
import { serializeCharge } from "./serialize-charge.ts";
import { serializePaymentIntent } from "./serialize-payment-intent.ts";
import { serializeRefund } from "./serialize-refund.ts";

/**
 * Checks the paths that a request wants expanded.
 * @returns the paths as seen from one object (without `data.`), each once and sorted, ready for the functions below
 * @throws DomainError `parameter_invalid` with param `expand[0]`, `expand[1]`, …
 */
export function readExpansions(paths: readonly string[], shown: ShownObject, scope: "one" | "list"): readonly string[] {
  const prefix = scope === "list" ? listPrefix : "";
  const expansions = paths.map((path, index) => {
    const param = `expand[${index}]`;
    if (path.split(".").length > levelsMax) {
      throw refuse("parameter_invalid", `A property can be expanded at most ${levelsMax} levels deep.`, { param });
    }
    const expansion = path.startsWith(prefix) ? path.slice(prefix.length) : "";
    if (!expandable[shown].includes(expansion)) {
      throw refuse("parameter_invalid", `This property cannot be expanded (${path.slice(0, shownCharactersMax)}).`, {
        param,
      });
    }
    return expansion;
  });
  return [...new Set(expansions)].sort();
}

/** True when a balance transaction's source must be loaded before it is rendered. */
export function needsSource(expansions: readonly string[]): boolean {
  return reaches(expansions, "source");
}

/** True when an intent's latest charge must be loaded before it is rendered. */
export function needsCharge(expansions: readonly string[]): boolean {
  return reaches(expansions, "latest_charge");
}

/** True when a charge's intent must be loaded before the charge is rendered. */
export function needsIntent(expansions: readonly string[]): boolean {
  return reaches(expansions, "payment_intent");
}

/**
 * The intent with expansions applied.
 * @throws Error when `latest_charge` is to be expanded and the view does not hold that charge
 */
export function renderPaymentIntent(view: PaymentView, expansions: readonly string[]): Stripe.PaymentIntent {
  const shown = serializePaymentIntent(view.intent);
  if (!needsCharge(expansions) || view.intent.latestChargeId === null) return shown;
  if (view.charge?.id !== view.intent.latestChargeId) {
    throw new Error(`The latest charge of ${view.intent.id} was not loaded for its expansion.`);
  }
  const inner = expansions
    .filter((path) => path.startsWith("latest_charge."))
    .map((path) => path.slice("latest_charge.".length));
  return { ...shown, latest_charge: renderCharge(view.charge, view.intent, inner, view.books) };
}

/**
 * The charge with expansions applied.
 * @param intent the charge's intent; null when no expansion asks for it
 * @throws Error when `payment_intent` is to be expanded and another intent or none is given
 */
export function renderCharge(
  charge: Charge,
  intent: PaymentIntent | null,
  expansions: readonly string[],
  books?: Books,
): Stripe.Charge {
  const shown = {
    ...serializeCharge(charge),
    ...(reaches(expansions, "balance_transaction")
      ? { balance_transaction: bookingNamed(bookingOfCharge(charge), books) }
      : {}),
  };
  if (!needsIntent(expansions)) return shown;
  if (intent?.id !== charge.intentId) throw new Error(`The intent of ${charge.id} was not loaded for its expansion.`);
  return { ...shown, payment_intent: serializePaymentIntent(intent) };
}

/**
 * The refund with expansions applied.
 * @throws Error when the view holds no refund, or not the charge that it is about
 */
export function renderRefund(view: PaymentView, expansions: readonly string[]): Stripe.Refund {
  const { intent, charge, refund, books } = view;
  if (refund === undefined || charge?.id !== refund.chargeId)
    throw new Error("A refund was not loaded with its charge.");
  const [booked, undone] = bookingsOfRefund(refund);
  const isUndoneShown = undone !== null && reaches(expansions, "failure_balance_transaction");
  return {
    ...serializeRefund(refund, charge.paymentMethodId),
    ...(reaches(expansions, "balance_transaction") ? { balance_transaction: bookingNamed(booked, books) } : {}),
    ...(isUndoneShown ? { failure_balance_transaction: bookingNamed(undone, books) as Stripe.BalanceTransaction } : {}),
    ...(reaches(expansions, "charge") ? { charge: serializeCharge(charge) } : {}),
    ...(reaches(expansions, "payment_intent") ? { payment_intent: serializePaymentIntent(intent) } : {}),
  };
}

/** The balance transaction at a time, with its source whole where the view has it. */
export function renderBalanceTransaction({ booking, source }: BookingView, atMs: number): Stripe.BalanceTransaction {
  const shown = serializeBalanceTransaction(booking, atMs);
  if (source === null) return shown;
  const { charge, refund } = source;
  return {
    ...shown,
    source: refund === null ? serializeCharge(charge) : serializeRefund(refund, charge.paymentMethodId),
  };
}

/** A booking whole, by its id; null for none. */
function bookingNamed(id: string | null, books: Books | undefined): Stripe.BalanceTransaction | null {
  if (id === null) return null;
  const booking = books?.bookings.find((each) => balanceTransactionId(each) === id);
  if (books === undefined || booking === undefined) throw new Error(`${id} was not loaded for its expansion.`);
  return serializeBalanceTransaction(booking, books.atMs);
}

/** The objects that an answer shows. */
export type ShownObject =
  | ("payment_intent" | "charge" | "refund" | "balance" | "balance_transaction")
  | "webhook_endpoint";

/** What can be expanded, per object: only what this API can show whole. */
const expandable: Readonly<Record<ShownObject, readonly string[]>> = {
  payment_intent: ["latest_charge", "latest_charge.balance_transaction", "latest_charge.payment_intent"],
  charge: ["balance_transaction", "payment_intent"],
  refund: ["balance_transaction", "charge", "failure_balance_transaction", "payment_intent"],
  balance: [],
  balance_transaction: ["source"],
  webhook_endpoint: [],
};

/** On a list, paths start at its items. */
const listPrefix = "data.";

/** Deepest path, `data` included (contract section 2). */
const levelsMax = 4;

/** How much of a refused path is repeated: enough to recognise it, no room for an essay. */
const shownCharactersMax = 64;

function reaches(expansions: readonly string[], property: string): boolean {
  return expansions.some((path) => path === property || path.startsWith(`${property}.`));
}
