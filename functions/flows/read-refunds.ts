/**
 * Reads refunds of one account.
 * It never shows an object of another account: that one does not exist for the asker.
 */
import type { RefundQuery } from "../domain/pages.ts";
import { noSuchRefund, type Refund } from "../domain/refund.ts";
import { booksOf } from "./idempotently-books.ts";
import type { Clock, Ledger, PaymentView } from "./ports.ts";

/** What reading needs. */
export interface ReadRefundDependencies {
  readonly ledger: Ledger;
  readonly clock: Clock;
}

/**
 * One refund with its payment, which an expansion may show, and with its bookings when asked.
 * @throws DomainError `resource_missing` with param `refund`
 */
export async function readRefund(
  deps: ReadRefundDependencies,
  input: { readonly accountId: string; readonly refundId: string; readonly withBooks: boolean },
): Promise<PaymentView> {
  const refund = await ownRefund(deps.ledger, input.accountId, input.refundId);
  if (refund === undefined) throw noSuchRefund(input.refundId);
  return await withBooks(deps, { ...(await paymentOf(deps.ledger, refund)), refund }, input.withBooks);
}

/** A page to list; cursors are ids of refunds (contract section 2, Lists). */
export interface RefundListInput extends Omit<RefundQuery, "startingAfter" | "endingBefore"> {
  readonly startingAfter: string | null;
  readonly endingBefore: string | null;
  /** Load each refund's bookings. */
  readonly withBooks: boolean;
}

/**
 * One page of refunds, newest first.
 * @throws DomainError `resource_missing` naming the cursor's parameter
 */
export async function listRefunds(
  deps: ReadRefundDependencies,
  input: RefundListInput,
): Promise<{ readonly views: readonly PaymentView[]; readonly hasMore: boolean }> {
  const { withBooks: isWithBooks, ...query } = input;
  const startingAfter = await cursor(deps.ledger, input.accountId, input.startingAfter, "starting_after");
  const endingBefore = await cursor(deps.ledger, input.accountId, input.endingBefore, "ending_before");
  const page = await deps.ledger.listRefunds({ ...query, startingAfter, endingBefore });
  // Refunds of one payment share its rows, so that a list of them reads these once.
  const payments = new Map<string, ReturnType<typeof paymentOf>>();
  const views = page.refunds.map(async (refund) => {
    const payment = payments.get(refund.chargeId) ?? paymentOf(deps.ledger, refund);
    payments.set(refund.chargeId, payment);
    return await withBooks(deps, { ...(await payment), refund }, isWithBooks);
  });
  return { views: await Promise.all(views), hasMore: page.hasMore };
}

async function withBooks(
  { ledger, clock }: ReadRefundDependencies,
  view: PaymentView & { readonly refund: Refund },
  isWanted: boolean,
): Promise<PaymentView> {
  if (!isWanted) return view;
  return { ...view, books: await booksOf(ledger.read, { charge: null, refund: view.refund }, clock.now()) };
}

async function cursor(ledger: Ledger, accountId: string, id: string | null, param: string): Promise<Refund | null> {
  if (id === null) return null;
  const refund = await ownRefund(ledger, accountId, id);
  if (refund === undefined) throw noSuchRefund(id, param);
  return refund;
}

async function ownRefund(ledger: Ledger, accountId: string, id: string): Promise<Refund | undefined> {
  const { refunds: refund } = await ledger.read({ refunds: id });
  return refund?.accountId === accountId ? refund : undefined;
}

/** What a refund is about; one round trip. */
async function paymentOf(ledger: Ledger, refund: Refund) {
  const { payment_intents: intent, charges: charge } = await ledger.read({
    payment_intents: refund.intentId,
    charges: refund.chargeId,
  });
  if (intent === undefined || charge === undefined) throw new Error(`The payment of ${refund.id} is missing.`);
  return { intent, charge };
}
