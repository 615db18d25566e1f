/**
 * On what terms a payment is booked: what we keep of it, and when the merchant may have the rest.
 * It never takes more than was paid, and never depends on when a booking is run again: the time is given.
 */
import { type Currency, currencies } from "./money.ts";

/** What bookings need to know beside the payment; a deployment's settings (see `ledgerTermsOf` in config.ts). */
export interface LedgerTerms {
  readonly fees: FeeSchedule;
  /** Days from the UTC day of a booking to the UTC midnight at which its money is available; 0 or more. */
  readonly availableAfterDays: number;
}

/** The fee of a charge: a share of what was captured, and a fixed part. */
export interface FeeSchedule {
  /** Hundredths of a percent, 0 to 10,000. */
  readonly basisPoints: number;
  /** Minor units per captured charge; a currency that is not named has no fixed part. */
  readonly fixedMinor: Readonly<Partial<Record<Currency, bigint>>>;
}

/**
 * 2.9 % and about 30 US cents, as card processors commonly ask, and two days, as they commonly need to be paid themselves:
 * numbers that a fork changes first. Currencies without a line cost the share alone.
 */
export const standardTerms: LedgerTerms = {
  fees: {
    basisPoints: 290,
    fixedMinor: {
      usd: 30n,
      eur: 25n,
      gbp: 20n,
      cad: 30n,
      aud: 30n,
      chf: 30n,
      jpy: 40n,
      sek: 250n,
      nok: 250n,
      dkk: 180n,
    },
  },
  availableAfterDays: 2,
};

/**
 * The fee of a capture in minor units: the share, rounded half up to the smallest step of the currency (a cent, a yen, ten
 * fils, a whole króna), plus the fixed part, and never more than the capture itself. Rounded to the step, because what
 * is left must be an amount that can be paid out.
 */
export function feeMinor(capturedMinor: bigint, currency: Currency, fees: FeeSchedule): bigint {
  const step = BigInt(currencies[currency].stepMinor);
  const stepsDivisor = wholeBasisPoints * step;
  const shareMinor = ((2n * capturedMinor * BigInt(fees.basisPoints) + stepsDivisor) / (2n * stepsDivisor)) * step;
  const fee = shareMinor + (fees.fixedMinor[currency] ?? 0n);
  return fee < capturedMinor ? fee : capturedMinor;
}

/** The UTC midnight from which a booking's money is available, in milliseconds since the epoch. */
export function availableOnMs(bookedAtMs: number, terms: LedgerTerms): number {
  return Math.floor(bookedAtMs / dayMs) * dayMs + terms.availableAfterDays * dayMs;
}

/** Basis points of the whole. */
const wholeBasisPoints = 10_000n;

const dayMs = 24 * 60 * 60 * 1000;
