// Invariants about money: what the acquirer did, and what the books say of it.
// It must never take the books for what happened: the acquirer's journal is.
import type { LedgerEntry, LedgerTransaction } from "../../../functions/domain/ledger.ts";
import type { Aftermath } from "../aftermath.ts";
import { lasts, type NetworkOrder, ordersOf, type Remains, returns, takes, totalOf } from "./network.ts";

/** Amounts are given out once (`shoppers.ts`), so a kind of effect with an amount belongs to one wish of one client. */
export async function oneEffectPerKey(after: Remains): Promise<string[]> {
  const counts = new Map<string, number>();
  for (const order of await ordersOf(after)) {
    const isEffect = order.kind === "refund" ? returns(order) : lasts(order) && order.kind !== "void";
    if (!isEffect) continue;
    const name = `${order.kind} of ${order.amountMinor} ${order.currency}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].filter(([, count]) => count > 1).map(([name, count]) => `${name} happened ${count} times`);
}

/** Debits less credits, by booking and by currency. */
export function entriesSumToZero({ stores }: Pick<Aftermath, "stores">): string[] {
  const sums = new Map<string, bigint>();
  for (const { kind, sourceId, currency, entries } of stores.tables.rows("ledger_transactions")) {
    for (const { direction, amountMinor } of entries) {
      const signed = direction === "debit" ? amountMinor : -amountMinor;
      for (const name of [`${kind} ${sourceId}`, currency]) sums.set(name, (sums.get(name) ?? 0n) + signed);
    }
  }
  return [...sums].filter(([, sum]) => sum !== 0n).map(([name, sum]) => `${name} sums to ${sum}`);
}

/** What a bank would complain about. */
export async function refundedWithinCaptured(after: Remains): Promise<string[]> {
  const orders = await ordersOf(after);
  return orders
    .filter((order) => order.kind === "authorize" && lasts(order))
    .flatMap((authorization) => {
      const reference = authorization.result.kind === "approved" ? authorization.result.reference : "";
      const about = (kind: NetworkOrder["kind"]) =>
        orders.filter((order) => order.kind === kind && order.reference === reference);
      const captures = about("capture").filter(lasts);
      const captured = authorization.captureLater ? totalOf(captures) : authorization.amountMinor;
      const refunded = totalOf(about("refund").filter(returns));
      const ends = captures.length + about("void").filter(lasts).length;
      return [
        ...(captured > authorization.amountMinor ? [`${reference} gave ${captured}`] : []),
        ...(refunded > captured ? [`${reference} gave back ${refunded} of ${captured}`] : []),
        ...(ends > 1 ? [`${reference} was captured or voided ${ends} times`] : []),
      ];
    });
}

/** By currency: what the acquirer owes us by the books is what it took from buyers less what it gave back. */
export async function booksMatchNetwork(after: Remains): Promise<string[]> {
  const orders = await ordersOf(after);
  return ["usd", "eur", "jpy"].flatMap((currency) => {
    const own = orders.filter((order) => order.currency === currency);
    const moved = totalOf(own.filter(takes)) - totalOf(own.filter(returns));
    const bookings = after.stores.tables.rows("ledger_transactions").filter((each) => each.currency === currency);
    const booked = -creditedTo("acquirer_receivable", bookings);
    return booked === moved ? [] : [`the books hold ${booked} ${currency}, the network moved ${moved}`];
  });
}

/** Available and pending together are the sum of what bookings owe the merchant. */
export function balancesAreSums({ stores, balances }: Aftermath): string[] {
  const bookings = stores.tables.rows("ledger_transactions");
  return [...balances].flatMap(([accountId, told]) => {
    const own = bookings.filter((booking) => booking.accountId === accountId);
    return [...new Set(own.map(({ currency }) => currency))].flatMap((currency) => {
      const payable = creditedTo(
        "merchant_payable",
        own.filter((booking) => booking.currency === currency),
      );
      const lines = [...(told?.available ?? []), ...(told?.pending ?? [])].filter((line) => line.currency === currency);
      const sum = lines.reduce((total: number, line) => total + line.amount, 0);
      return BigInt(sum) === payable ? [] : [`${accountId} is told ${sum} ${currency} and owed ${payable}`];
    });
  });
}

function creditedTo(account: LedgerEntry["ledgerAccount"], bookings: readonly LedgerTransaction[]): bigint {
  return bookings
    .flatMap(({ entries }) => entries)
    .filter(({ ledgerAccount }) => ledgerAccount === account)
    .reduce((sum, { direction, amountMinor }) => sum + (direction === "credit" ? amountMinor : -amountMinor), 0n);
}
