// What a capture costs, to the last minor unit, when its money is available, and how a deployment says otherwise.
// It must never compute an expected fee with the code under test: the table is literal.
import fc from "fast-check";
import { environmentOfTerms, ledgerTermsOf } from "../../functions/config-readers.ts";
import { availableOnMs, type FeeSchedule, feeMinor, standardTerms } from "../../functions/domain/ledger-terms.ts";
import { type Currency, currencies } from "../../functions/domain/money.ts";

const codes = Object.keys(currencies) as Currency[];

describe("a fee", () => {
  test.each<[string, bigint, Currency, bigint]>([
    ["a share and a fixed part", 2_000n, "usd", 88n],
    ["a share of half a cent, rounded up", 50n, "usd", 31n], // 1.45 + 30, and 1.45 is below a half
    ["just below half a cent, rounded down", 1_499n, "usd", 73n], // 43.471
    ["exactly half a cent, rounded up", 500n, "usd", 45n], // 14.5
    ["never more than the payment", 30n, "usd", 30n],
    ["one cent of one cent", 1n, "eur", 1n],
    ["the largest payment", 99_999_999n, "usd", 2_900_030n], // 2,899,999.971
    ["whole yen", 50n, "jpy", 41n], // 1.45 + 40
    ["half a yen, rounded up", 500n, "jpy", 55n], // 14.5
    ["a currency without a fixed part", 1_000n, "thb", 29n],
    ["a share that rounds to nothing", 17n, "clp", 0n], // 0.493
    ["ten fils, because the last digit must be 0", 10_000n, "kwd", 290n],
    ["five fils, rounded up to ten", 3_280n, "kwd", 100n], // 95.12
    ["less than five fils, rounded down", 1_000n, "kwd", 30n], // 29 is nearer to 30
    ["four fils, rounded down to none", 150n, "bhd", 0n], // 4.35
    ["a whole króna, because a bank knows no part of it", 5_000n, "isk", 100n], // 145
    ["half a króna, rounded up", 500_000n, "ugx", 14_500n],
    ["less than half a króna, rounded down", 1_700n, "isk", 0n], // 49.3
  ])("is %s: %s %s", (_, capturedMinor, currency, expected) => {
    expect(feeMinor(capturedMinor, currency, standardTerms.fees)).toBe(expected);
  });

  test("is never negative, never more than the capture, and always leaves an amount that can be paid out", () => {
    const schedule = fc.record({
      basisPoints: fc.integer({ min: 0, max: 10_000 }),
      steps: fc.bigInt({ min: 0n, max: 1_000n }),
    });
    const capture = fc.record({ currency: fc.constantFrom(...codes), steps: fc.bigInt({ min: 1n, max: 9_999_999n }) });
    fc.assert(
      fc.property(schedule, capture, ({ basisPoints, steps }, { currency, steps: captured }) => {
        const step = BigInt(currencies[currency].stepMinor);
        const fees: FeeSchedule = { basisPoints, fixedMinor: { [currency]: steps * step } };
        const fee = feeMinor(captured * step, currency, fees);
        expect(fee >= 0n && fee <= captured * step && fee % step === 0n).toBe(true);
      }),
    );
  });
});

test.each<[string, number, number]>([
  ["2026-03-01T00:00:00.000Z", 2, Date.UTC(2026, 2, 3)],
  ["2026-03-01T23:59:59.999Z", 2, Date.UTC(2026, 2, 3)],
  ["2026-02-28T12:00:00.000Z", 1, Date.UTC(2026, 2, 1)],
  ["2026-03-01T12:00:00.000Z", 0, Date.UTC(2026, 2, 1)],
])("what is booked at %s is available from a UTC midnight %i days later", (bookedAt, availableAfterDays, expected) => {
  expect(availableOnMs(Date.parse(bookedAt), { ...standardTerms, availableAfterDays })).toBe(expected);
});

describe("the variables of the terms", () => {
  test("may be left out, and say the same when they are written and read again", () => {
    expect(ledgerTermsOf({})).toEqual(standardTerms);
    expect(ledgerTermsOf(environmentOfTerms(standardTerms))).toEqual(standardTerms);
    const free = { fees: { basisPoints: 0, fixedMinor: {} }, availableAfterDays: 0 };
    expect(ledgerTermsOf(environmentOfTerms(free))).toEqual(free);
    expect(ledgerTermsOf({ FEE_BASIS_POINTS: "150", FEE_FIXED_MINOR: "isk:0,kwd:100" })).toEqual({
      ...standardTerms,
      fees: { basisPoints: 150, fixedMinor: { isk: 0n, kwd: 100n } },
    });
  });

  test.each([
    [{ FEE_BASIS_POINTS: "2.9" }, "FEE_BASIS_POINTS must be a whole number from 0 to 10000."],
    [{ FEE_BASIS_POINTS: "10001" }, "FEE_BASIS_POINTS must be"],
    [{ FEE_BASIS_POINTS: "-1" }, "FEE_BASIS_POINTS must be"],
    [{ AVAILABLE_AFTER_DAYS: "91" }, "AVAILABLE_AFTER_DAYS must be a whole number from 0 to 90."],
    [{ FEE_FIXED_MINOR: "30" }, "FEE_FIXED_MINOR must be a list like usd:30,eur:25."],
    [{ FEE_FIXED_MINOR: "usd:30," }, "FEE_FIXED_MINOR must be a list"],
    [{ FEE_FIXED_MINOR: "usd:0.30" }, "FEE_FIXED_MINOR must be a list"],
    [{ FEE_FIXED_MINOR: "xyz:30" }, "FEE_FIXED_MINOR names xyz, which is no currency that we take."],
    [{ FEE_FIXED_MINOR: "usd:30,usd:31" }, "FEE_FIXED_MINOR names usd twice."],
    [{ FEE_FIXED_MINOR: "kwd:5" }, "FEE_FIXED_MINOR must have a multiple of 10 for kwd."],
  ])("are refused by name: %j", (variables, message) => {
    expect(() => ledgerTermsOf(variables)).toThrow(`Environment variable ${message}`);
  });
});
