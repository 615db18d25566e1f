/**
 * The audit of checkpoints: each must be the sum of all bookings of its account that were committed by its moment.
 * It must never take one checkpoint for another's proof: every one is held against the bookings alone.
 */
import type { BalanceCheckpoint } from "./balance.ts";
import type { ExactTime } from "./exact-time.ts";
import type { LedgerTransaction } from "./ledger.ts";
import type { Currency } from "./money.ts";

/** An audit that is shown all checkpoints, then all bookings up to `until`, in any order; the end tells the first bad one. */
export function auditBalances(): BalanceAudit {
  const moments = new Map<string, Moment[]>();
  let until: ExactTime | null = null;
  return {
    checkpoint: (row) => {
      const { accountId, currency, readAt } = row;
      const own = moments.get(accountId) ?? [];
      const moment = own.find((each) => each.readAt === readAt) ?? {
        accountId,
        readAt,
        rows: new Map(),
        sums: new Map(),
      };
      moments.set(accountId, own.includes(moment) ? own : [...own, moment]);
      moment.rows.set(currency, row);
      until = until !== null && until > readAt ? until : readAt;
    },
    until: () => until,
    booking: ({ accountId, currency, availableOnMs, payableMinor }, committedAt) => {
      for (const { readAt, sums } of moments.get(accountId) ?? []) {
        if (committedAt > readAt) continue;
        const days = sums.get(currency) ?? new Map<number, bigint>();
        sums.set(currency, days.set(availableOnMs, (days.get(availableOnMs) ?? 0n) + payableMinor));
      }
    },
    end: () => {
      for (const moment of [...moments.values()].flat()) {
        const fault = faultIn(moment);
        if (fault !== undefined) return fault;
      }
      return undefined;
    },
  };
}

/** See `auditBalances`. */
export interface BalanceAudit {
  checkpoint(row: BalanceCheckpoint): void;
  /** The newest moment of them; later bookings need not be shown. Null while there is no checkpoint. */
  until(): ExactTime | null;
  booking(row: LedgerTransaction, committedAt: ExactTime): void;
  end(): CheckpointFault | undefined;
}

/** A checkpoint that is wrong, and why; ids and amounts in minor units. */
export interface CheckpointFault {
  /** `account/currency/moment`. */
  readonly key: string;
  readonly problem: string;
}

/** All checkpoints of an account and a moment, and what the bookings say of it, by currency and day. */
interface Moment {
  readonly accountId: string;
  readonly readAt: ExactTime;
  readonly rows: Map<Currency, BalanceCheckpoint>;
  readonly sums: Map<Currency, Map<number, bigint>>;
}

function faultIn({ accountId, readAt, rows, sums }: Moment): CheckpointFault | undefined {
  for (const currency of new Set([...rows.keys(), ...sums.keys()])) {
    const problem = problemOf(rows.get(currency), sums.get(currency) ?? new Map());
    if (problem !== undefined) return { key: `${accountId}/${currency}/${readAt}`, problem };
  }
  return undefined;
}

/** Days before the checkpoint's first one are part of that: they were past, and folded. */
function problemOf(row: BalanceCheckpoint | undefined, days: ReadonlyMap<number, bigint>): string | undefined {
  if (row === undefined) return "it has no row, but its account had bookings by then";
  const [first] = row.sums;
  const booked = new Map<number, bigint>();
  for (const [dayMs, amountMinor] of days) {
    const foldedMs = first === undefined ? dayMs : Math.max(dayMs, first.availableOnMs);
    booked.set(foldedMs, (booked.get(foldedMs) ?? 0n) + amountMinor);
  }
  const known = new Map(row.sums.map(({ availableOnMs, amountMinor }) => [availableOnMs, amountMinor]));
  for (const dayMs of [...new Set([...known.keys(), ...booked.keys()])].sort((one, other) => one - other)) {
    const [knownMinor, bookedMinor] = [known.get(dayMs) ?? 0n, booked.get(dayMs) ?? 0n];
    if (knownMinor === bookedMinor) continue;
    const day = new Date(dayMs).toISOString().slice(0, 10);
    return `it says that ${knownMinor} is available from ${day}, its bookings say ${bookedMinor}`;
  }
  return undefined;
}
