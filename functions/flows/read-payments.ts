/**
 * Reads payment intents and charges of one account.
 * It never shows an object of another account: that one does not exist for the asker.
 */
import type { Charge } from "../domain/charge.ts";
import { refuse } from "../domain/errors.ts";
import type { IntentQuery } from "../domain/pages.ts";
import type { PaymentIntent } from "../domain/payment-intent.ts";
import { booksOf } from "./idempotently-books.ts";
import type { Books, Clock, Ledger, PaymentView } from "./ports.ts";

/** What reading needs. */
export interface ReadPaymentDependencies {
  readonly ledger: Ledger;
  readonly clock: Clock;
}

/** What to load beside the intent: its latest charge, and that charge's booking. */
export interface IntentParts {
  readonly withCharge: boolean;
  readonly withBooks: boolean;
}

/**
 * One intent, with its latest charge when asked.
 * @throws DomainError `resource_missing` with param `intent`
 */
export async function readPaymentIntent(
  deps: ReadPaymentDependencies,
  input: { readonly accountId: string; readonly intentId: string } & IntentParts,
): Promise<PaymentView> {
  const intent = await ownIntent(deps.ledger, input.accountId, input.intentId);
  if (intent === undefined)
    throw refuse("resource_missing", `No such payment_intent: '${input.intentId}'`, { param: "intent" });
  return await withParts(deps, intent, input);
}

/**
 * One charge, with its intent and its booking when asked.
 * @throws DomainError `resource_missing` with param `charge`
 */
export async function readCharge(
  deps: ReadPaymentDependencies,
  input: ChargeInput,
): Promise<{ readonly charge: Charge; readonly intent: PaymentIntent | null; readonly books: Books | undefined }> {
  const { charges: charge } = await deps.ledger.read({ charges: input.chargeId });
  if (charge === undefined || charge.accountId !== input.accountId) {
    throw refuse("resource_missing", `No such charge: '${input.chargeId}'`, { param: "charge" });
  }
  const intent = input.withIntent ? await ownIntent(deps.ledger, input.accountId, charge.intentId) : undefined;
  const books = input.withBooks ? await booksOf(deps.ledger.read, { charge }, deps.clock.now()) : undefined;
  return { charge, intent: intent ?? null, books };
}

/** A charge to read. */
export interface ChargeInput {
  readonly accountId: string;
  readonly chargeId: string;
  readonly withIntent: boolean;
  readonly withBooks: boolean;
}

/** A page to list; cursors are ids of intents (contract section 2, Lists). */
export interface ListInput extends Omit<IntentQuery, "startingAfter" | "endingBefore">, IntentParts {
  readonly startingAfter: string | null;
  readonly endingBefore: string | null;
}

/**
 * One page of intents, newest first.
 * @throws DomainError `resource_missing` naming the cursor's parameter
 */
export async function listPaymentIntents(
  deps: ReadPaymentDependencies,
  input: ListInput,
): Promise<{ readonly views: readonly PaymentView[]; readonly hasMore: boolean }> {
  const { withCharge, withBooks, ...query } = input;
  const startingAfter = await cursor(deps.ledger, input.accountId, input.startingAfter, "starting_after");
  const endingBefore = await cursor(deps.ledger, input.accountId, input.endingBefore, "ending_before");
  const page = await deps.ledger.listIntents({ ...query, startingAfter, endingBefore });
  const views = await Promise.all(page.intents.map((intent) => withParts(deps, intent, { withCharge, withBooks })));
  return { views, hasMore: page.hasMore };
}

async function withParts(
  { ledger, clock }: ReadPaymentDependencies,
  intent: PaymentIntent,
  wanted: IntentParts,
): Promise<PaymentView> {
  if (!wanted.withCharge || intent.latestChargeId === null) return { intent, charge: null };
  const { charges: charge = null } = await ledger.read({ charges: intent.latestChargeId });
  if (!wanted.withBooks) return { intent, charge };
  return { intent, charge, books: await booksOf(ledger.read, { charge }, clock.now()) };
}

async function cursor(
  ledger: Ledger,
  accountId: string,
  id: string | null,
  param: string,
): Promise<PaymentIntent | null> {
  if (id === null) return null;
  const intent = await ownIntent(ledger, accountId, id);
  if (intent === undefined) throw refuse("resource_missing", `No such payment_intent: '${id}'`, { param });
  return intent;
}

async function ownIntent(ledger: Ledger, accountId: string, id: string): Promise<PaymentIntent | undefined> {
  const { payment_intents: intent } = await ledger.read({ payment_intents: id });
  return intent?.accountId === accountId ? intent : undefined;
}
