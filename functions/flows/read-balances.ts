/**
 * Reads the balance and the balance transactions of one account.
 * It never shows an object of another account: that one does not exist for the asker.
 */
import { balancesAt, type CurrencyBalance, sumsOf } from "../domain/balance.ts";
import type { Charge } from "../domain/charge.ts";
import { type DomainError, refuse } from "../domain/errors.ts";
import type { LedgerTransaction } from "../domain/ledger.ts";
import type { BookingQuery } from "../domain/pages.ts";
import type { Refund } from "../domain/refund.ts";
import type { Balances } from "./balance-ports.ts";
import type { Clock, Ledger } from "./ports.ts";

/** What reading needs. */
export interface ReadBalanceDependencies {
  readonly ledger: Ledger;
  readonly balances: Balances;
  readonly clock: Clock;
}

/** What an account is owed now, in each currency that ever moved. */
export async function readBalance(
  deps: Pick<ReadBalanceDependencies, "balances" | "clock">,
  input: { readonly accountId: string },
): Promise<readonly CurrencyBalance[]> {
  return balancesAt(sumsOf(await deps.balances.moment(input.accountId)), deps.clock.now());
}

/** A booking, and what it is about when that was asked for; a refund comes with its charge. */
export interface BookingView {
  readonly booking: LedgerTransaction;
  readonly source: { readonly charge: Charge; readonly refund: Refund | null } | null;
}

/**
 * One booking.
 * @throws DomainError `resource_missing` with param `id`
 */
export async function readBalanceTransaction(
  deps: ReadBalanceDependencies,
  input: { readonly accountId: string; readonly bookingId: string; readonly withSource: boolean },
): Promise<BookingView> {
  const booking = await ownBooking(deps.ledger, input.accountId, input.bookingId);
  if (booking === undefined) throw noSuchBooking(input.bookingId, "id");
  return await withSource(deps.ledger, booking, input.withSource);
}

/** A page to list; cursors are ids of balance transactions (contract section 2, Lists). */
export interface BookingListInput extends Omit<BookingQuery, "startingAfter" | "endingBefore"> {
  readonly startingAfter: string | null;
  readonly endingBefore: string | null;
  readonly withSources: boolean;
}

/**
 * One page of bookings, newest first.
 * @throws DomainError `resource_missing` naming the cursor's parameter
 */
export async function listBalanceTransactions(
  deps: ReadBalanceDependencies,
  input: BookingListInput,
): Promise<{ readonly views: readonly BookingView[]; readonly hasMore: boolean }> {
  const { withSources, ...query } = input;
  const startingAfter = await cursor(deps.ledger, input.accountId, input.startingAfter, "starting_after");
  const endingBefore = await cursor(deps.ledger, input.accountId, input.endingBefore, "ending_before");
  const { bookings, hasMore } = await deps.balances.list({ ...query, startingAfter, endingBefore });
  return { views: await Promise.all(bookings.map((each) => withSource(deps.ledger, each, withSources))), hasMore };
}

async function withSource(ledger: Ledger, booking: LedgerTransaction, isWanted: boolean): Promise<BookingView> {
  if (!isWanted) return { booking, source: null };
  const refund =
    booking.kind === "charge" ? null : ((await ledger.read({ refunds: booking.sourceId })).refunds ?? undefined);
  const chargeId = refund === null ? booking.sourceId : refund?.chargeId;
  const { charges: charge } = chargeId === undefined ? {} : await ledger.read({ charges: chargeId });
  if (charge === undefined || refund === undefined) throw new Error(`The source of ${booking.sourceId} is missing.`);
  return { booking, source: { charge, refund } };
}

/** 404, naming the parameter that held the id. */
function noSuchBooking(bookingId: string, param: string): DomainError {
  return refuse("resource_missing", `No such balance transaction: '${bookingId}'`, { param });
}

async function cursor(
  ledger: Ledger,
  accountId: string,
  id: string | null,
  param: string,
): Promise<LedgerTransaction | null> {
  if (id === null) return null;
  const booking = await ownBooking(ledger, accountId, id);
  if (booking === undefined) throw noSuchBooking(id, param);
  return booking;
}

async function ownBooking(ledger: Ledger, accountId: string, id: string): Promise<LedgerTransaction | undefined> {
  const { ledger_transactions: booking } = await ledger.read({ ledger_transactions: id });
  return booking?.accountId === accountId ? booking : undefined;
}
