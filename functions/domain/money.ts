/**
 * Amounts and currencies: which exist, how many decimals they have and what a payment may be worth.
 * Amounts are integers in the currency's own minor unit; nothing here ever multiplies by 100.
 */
import { type DomainError, refuse } from "./errors.ts";

/**
 * Checks an amount against the limits of its currency (contract section 2, "Scalars").
 * @param amountMinor integer in minor units of `currency`
 * @throws DomainError `amount_too_small`, `amount_too_large` or `parameter_invalid`, each with param `amount`
 */
export function checkAmount(amountMinor: bigint, currency: Currency): void {
  const limits = currencies[currency];
  if (amountMinor > amountMaxMinor) {
    throw refuse("amount_too_large", `Amount must be no more than ${amountMaxMinor} ${currency}.`, { param: "amount" });
  }
  if (amountMinor < BigInt(limits.minimumMinor)) {
    throw refuse(
      "amount_too_small",
      `Amount must be at least ${limits.minimumMinor} in the smallest unit of ${currency}.`,
      {
        param: "amount",
      },
    );
  }
  const fault = stepFault(amountMinor, currency, "amount");
  if (fault !== undefined) throw fault;
}

/**
 * What is wrong with an amount that is no whole number of its currency's smallest steps; parts of a payment keep to them
 * too. Undefined when nothing is.
 * @returns DomainError `parameter_invalid` with the given param, as a value
 */
export function stepFault(amountMinor: bigint, currency: Currency, param: string): DomainError | undefined {
  const { stepMinor } = currencies[currency];
  if (amountMinor % BigInt(stepMinor) === 0n) return undefined;
  return refuse("parameter_invalid", `Amounts in ${currency} must be a multiple of ${stepMinor}.`, { param });
}

/**
 * Folds a currency code to lower case and checks that it is one we take.
 * @throws DomainError `parameter_invalid` with param `currency`
 */
export function readCurrency(text: string): Currency {
  // ASCII first: the Kelvin sign, too, has a lower case that is a plain k.
  const folded = /^[A-Za-z]{3}$/.test(text) ? text.toLowerCase() : "";
  if (!Object.hasOwn(currencies, folded)) {
    throw refuse(
      "parameter_invalid",
      `Invalid currency: ${text.slice(0, 16).toWellFormed()}. See the list of supported currencies.`,
      {
        param: "currency",
      },
    );
  }
  return folded as Currency;
}

/** Largest amount of one payment in minor units: the field takes up to eight digits (contract section 2). */
export const amountMaxMinor = 99_999_999n;

interface CurrencyLimits {
  /** Digits after the point when shown to a person. */
  readonly decimals: 0 | 2 | 3;
  /** Smallest payment, in minor units. */
  readonly minimumMinor: number;
  /** Amounts must be a multiple of this many minor units. */
  readonly stepMinor: number;
}

const two = (minimumMinor: number): CurrencyLimits => ({ decimals: 2, minimumMinor, stepMinor: 1 });
const zero = (minimumMinor: number): CurrencyLimits => ({ decimals: 0, minimumMinor, stepMinor: 1 });
/** Three decimals, the last of which must be 0. */
const three = (minimumMinor: number): CurrencyLimits => ({ decimals: 3, minimumMinor, stepMinor: 10 });
/** Two decimals on the wire, of which both must be 0. */
const wholeUnits = (minimumMinor: number): CurrencyLimits => ({ decimals: 2, minimumMinor, stepMinor: 100 });

/**
 * The currencies we take, with decimals, minimum and step (contract section 2, "Scalars").
 * Where the contract names no minimum the smallest legal step stands.
 */
export const currencies = {
  usd: two(50),
  eur: two(50),
  cad: two(50),
  aud: two(50),
  chf: two(50),
  sgd: two(50),
  nzd: two(50),
  brl: two(50),
  inr: two(50),
  gbp: two(30),
  mxn: two(1000),
  hkd: two(400),
  sek: two(300),
  nok: two(300),
  dkk: two(250),
  pln: two(200),
  aed: two(200),
  myr: two(200),
  ron: two(200),
  czk: two(1500),
  huf: two(17_500),
  thb: two(1000),
  twd: two(1),
  zar: two(1),
  ils: two(1),
  isk: wholeUnits(100),
  ugx: wholeUnits(100),
  jpy: zero(50),
  krw: zero(50),
  bif: zero(1),
  clp: zero(1),
  djf: zero(1),
  gnf: zero(1),
  kmf: zero(1),
  mga: zero(1),
  pyg: zero(1),
  rwf: zero(1),
  vnd: zero(1),
  vuv: zero(1),
  xaf: zero(1),
  xof: zero(1),
  xpf: zero(1),
  bhd: three(10),
  jod: three(10),
  kwd: three(10),
  omr: three(10),
  tnd: three(10),
} as const satisfies Record<string, CurrencyLimits>;

/** Lower-case three-letter code of a currency we take. */
export type Currency = keyof typeof currencies;
