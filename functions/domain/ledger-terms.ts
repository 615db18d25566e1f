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

/**
 * Reads fixed fees as a setting spells them, `usd:30,eur:25`; empty text is none.
 * @throws what `failure` makes of the problem, such as "names usd twice"
 */
export function fixedFeesIn(text: string, failure: (problem: string) => Error): FeeSchedule["fixedMinor"] {
  const fees: Partial<Record<Currency, bigint>> = {};
  for (const part of text === "" ? [] : text.split(",")) {
    const [, code = "", digits = ""] = /^([a-z]{3}):(0|[1-9][0-9]{0,7})$/.exec(part) ?? [];
    const problem = fixedFeeProblem(code, digits, fees);
    if (problem !== undefined) throw failure(problem);
    fees[code as Currency] = BigInt(digits);
  }
  return fees;
}

function fixedFeeProblem(code: string, digits: string, before: FeeSchedule["fixedMinor"]): string | undefined {
  if (code === "") return "must be a list like usd:30,eur:25";
  if (!Object.hasOwn(currencies, code)) return `names ${code}, which is no currency that we take`;
  const currency = code as Currency;
  if (before[currency] !== undefined) return `names ${code} twice`;
  const { stepMinor } = currencies[currency];
  return BigInt(digits) % BigInt(stepMinor) === 0n ? undefined : `must have a multiple of ${stepMinor} for ${code}`;
}
