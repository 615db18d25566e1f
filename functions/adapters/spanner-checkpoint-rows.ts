/**
 * Checkpoints of balances as rows of `balance_checkpoints`.
 * It must never round: the moment stays text with all its digits, and amounts are text inside the JSON.
 */
import type { BalanceCheckpoint } from "../domain/balance.ts";
import { type FoundColumns, reader, type SentColumns, sendJson } from "./spanner-columns.ts";

/** The row of a checkpoint. */
export function sendCheckpoint({ accountId, currency, readAt, sums }: BalanceCheckpoint): SentColumns {
  const days = sums.map(({ availableOnMs, amountMinor }) => [dayOf(availableOnMs), String(amountMinor)]);
  return { account_id: accountId, currency, read_at: readAt, sums: sendJson(Object.fromEntries(days)) };
}

/** The checkpoint of a found row. */
export function readCheckpoint(columns: FoundColumns): BalanceCheckpoint {
  const read = reader(columns);
  const days = Object.entries(read.json<Readonly<Record<string, string>>>("sums"));
  const sums = days.map(([day, amount]) => ({ availableOnMs: Date.parse(day), amountMinor: BigInt(amount) }));
  return {
    accountId: read.text("account_id"),
    currency: read.text("currency"),
    readAt: read.exactTime("read_at"),
    sums: sums.sort((one, other) => one.availableOnMs - other.availableOnMs),
  };
}

/** `2026-01-17`, which `Date.parse` takes for that day's UTC midnight. */
function dayOf(availableOnMs: number): string {
  return new Date(availableOnMs).toISOString().slice(0, 10);
}
