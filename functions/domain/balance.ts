/**
 * A merchant's balance: sums of what bookings owe it, kept by the day from which the money is available.
 * It never reads a clock: which days have come is told to it.
 */
import type { ExactTime } from "./exact-time.ts";
import type { Currency } from "./money.ts";

/** What the bookings of one currency and day add to what a merchant is owed; minor units, negative when more went back. */
export interface DaySum {
  readonly currency: Currency;
  /** UTC midnight from which it is available, in milliseconds since the epoch. */
  readonly availableOnMs: number;
  readonly amountMinor: bigint;
}

/**
 * One currency of a checkpoint: all bookings of an account up to a moment, summed. All currencies of an account have a row
 * of the same moment; one without a row had no bookings by then (design section 5, Ledger).
 */
export interface BalanceCheckpoint {
  readonly accountId: string;
  readonly currency: Currency;
  /**
   * The read timestamp, to the nanosecond: bookings committed at or before it are in the sums, later ones are not. Text,
   * because a number of milliseconds would put bookings of the same millisecond on either side.
   */
  readonly readAt: ExactTime;
  /** By day, ascending; days long past are in one sum, under the last of them. */
  readonly sums: readonly Omit<DaySum, "currency">[];
}

/** One account's bookings at one moment: the newest checkpoint, and what was booked after it. */
export interface BalanceMoment {
  /** The moment, as in `BalanceCheckpoint`. */
  readonly readAt: ExactTime;
  /** Rows of the newest checkpoint; empty when there is none. */
  readonly checkpoint: readonly BalanceCheckpoint[];
  /** Sums of the bookings that no checkpoint holds. */
  readonly tail: readonly DaySum[];
}

/** What a merchant may have, and what it will have. */
export interface CurrencyBalance {
  readonly currency: Currency;
  readonly availableMinor: bigint;
  readonly pendingMinor: bigint;
}

/** Checkpoint and tail together, one sum for each currency and day, ascending; a day that comes to nothing stays. */
export function sumsOf({ checkpoint, tail }: Pick<BalanceMoment, "checkpoint" | "tail">): readonly DaySum[] {
  const known = checkpoint.flatMap(({ currency, sums }) => sums.map((sum) => ({ ...sum, currency })));
  const merged = new Map<string, DaySum>();
  for (const sum of [...known, ...tail]) {
    const key = `${sum.currency} ${sum.availableOnMs}`;
    merged.set(key, { ...sum, amountMinor: sum.amountMinor + (merged.get(key)?.amountMinor ?? 0n) });
  }
  return [...merged.values()].sort(byCurrencyAndDay);
}

/** The balance in each currency that ever had a booking, by currency. */
export function balancesAt(sums: readonly DaySum[], nowMs: number): readonly CurrencyBalance[] {
  const balances = new Map<Currency, CurrencyBalance>();
  for (const { currency, availableOnMs, amountMinor } of sums) {
    const { availableMinor, pendingMinor } = balances.get(currency) ?? { availableMinor: 0n, pendingMinor: 0n };
    const isAvailable = availableOnMs <= nowMs;
    balances.set(currency, {
      currency,
      availableMinor: availableMinor + (isAvailable ? amountMinor : 0n),
      pendingMinor: pendingMinor + (isAvailable ? 0n : amountMinor),
    });
  }
  return [...balances.values()].sort((one, other) => (one.currency < other.currency ? -1 : 1));
}

/**
 * The checkpoint of a moment, with the days before `foldBeforeMs` in one sum each currency: they are available for good,
 * so a checkpoint stays as small as the days that are still to come.
 */
export function checkpointOf(
  accountId: string,
  moment: BalanceMoment,
  foldBeforeMs: number,
): readonly BalanceCheckpoint[] {
  const sums = sumsOf(moment);
  const currencies = [...new Set([...moment.checkpoint, ...sums].map(({ currency }) => currency))];
  return currencies.map((currency) => {
    const own = sums.filter((each) => each.currency === currency);
    const past = own.filter(({ availableOnMs }) => availableOnMs < foldBeforeMs);
    const last = past.at(-1);
    const pastMinor = past.reduce((total, { amountMinor }) => total + amountMinor, 0n);
    const folded = last === undefined ? [] : [{ ...last, amountMinor: pastMinor }];
    // The sum of the past stays even when it is nothing: its day says where the past ends.
    const kept = [...folded, ...own.slice(past.length).filter(({ amountMinor }) => amountMinor !== 0n)];
    return {
      accountId,
      currency,
      readAt: moment.readAt,
      sums: kept.map(({ availableOnMs, amountMinor }) => ({ availableOnMs, amountMinor })),
    };
  });
}

function byCurrencyAndDay(one: DaySum, other: DaySum): number {
  if (one.currency !== other.currency) return one.currency < other.currency ? -1 : 1;
  return one.availableOnMs - other.availableOnMs;
}
