/**
 * Reads payment intents and charges of one account.
 * It never shows an object of another account: that one does not exist for the asker.
 */
import type { Charge } from "../domain/charge.ts";
import { refuse } from "../domain/errors.ts";
import type { IntentQuery } from "../domain/pages.ts";
import type { PaymentIntent } from "../domain/payment-intent.ts";
import type { Ledger, PaymentView } from "./ports.ts";

/**
 * One intent, with its latest charge when asked.
 * @throws DomainError `resource_missing` with param `intent`
 */
export async function readPaymentIntent(
  deps: { readonly ledger: Ledger },
  input: { readonly accountId: string; readonly intentId: string; readonly withCharge: boolean },
): Promise<PaymentView> {
  const intent = await ownIntent(deps.ledger, input.accountId, input.intentId);
  if (intent === undefined)
    throw refuse("resource_missing", `No such payment_intent: '${input.intentId}'`, { param: "intent" });
  return await withCharge(deps.ledger, intent, input.withCharge);
}

/**
 * One charge, with its intent when asked.
 * @throws DomainError `resource_missing` with param `charge`
 */
export async function readCharge(
  deps: { readonly ledger: Ledger },
  input: { readonly accountId: string; readonly chargeId: string; readonly withIntent: boolean },
): Promise<{ readonly charge: Charge; readonly intent: PaymentIntent | null }> {
  const { charges: charge } = await deps.ledger.read({ charges: input.chargeId });
  if (charge === undefined || charge.accountId !== input.accountId) {
    throw refuse("resource_missing", `No such charge: '${input.chargeId}'`, { param: "charge" });
  }
  const intent = input.withIntent ? await ownIntent(deps.ledger, input.accountId, charge.intentId) : undefined;
  return { charge, intent: intent ?? null };
}

/** A page to list; cursors are ids of intents (contract section 2, Lists). */
export interface ListInput extends Omit<IntentQuery, "startingAfter" | "endingBefore"> {
  readonly startingAfter: string | null;
  readonly endingBefore: string | null;
  /** Load each intent's latest charge, for `expand[]=data.latest_charge`. */
  readonly withCharges: boolean;
}

/**
 * One page of intents, newest first.
 * @throws DomainError `resource_missing` naming the cursor's parameter
 */
export async function listPaymentIntents(
  deps: { readonly ledger: Ledger },
  input: ListInput,
): Promise<{ readonly views: readonly PaymentView[]; readonly hasMore: boolean }> {
  const { withCharges, ...query } = input;
  const startingAfter = await cursor(deps.ledger, input.accountId, input.startingAfter, "starting_after");
  const endingBefore = await cursor(deps.ledger, input.accountId, input.endingBefore, "ending_before");
  const page = await deps.ledger.listIntents({ ...query, startingAfter, endingBefore });
  const views = await Promise.all(page.intents.map((intent) => withCharge(deps.ledger, intent, withCharges)));
  return { views, hasMore: page.hasMore };
}

async function withCharge(ledger: Ledger, intent: PaymentIntent, wanted: boolean): Promise<PaymentView> {
  if (!wanted || intent.latestChargeId === null) return { intent, charge: null };
  const { charges: charge } = await ledger.read({ charges: intent.latestChargeId });
  return { intent, charge: charge ?? null };
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
