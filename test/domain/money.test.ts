// F27: amounts are integers in the currency's own minor unit, with its own smallest, largest and step.
// It must never compute an expected amount: each is written down as the contract's table has it.
import { checkAmount, currencies, readCurrency } from "../../functions/domain/money.ts";
import { refusal } from "../edge/parameter-matchers.ts";

const judge = (amountMinor: bigint, code: string): string => {
  try {
    checkAmount(amountMinor, readCurrency(code));
    return "taken";
  } catch {
    const { code: reason, param } = refusal(() => checkAmount(amountMinor, readCurrency(code)));
    expect(param).toBe("amount");
    return reason;
  }
};

describe("F27 an amount and its currency", () => {
  test.each([
    ["usd", 49n, "amount_too_small"],
    ["usd", 50n, "taken"],
    ["usd", 99_999_999n, "taken"],
    ["usd", 100_000_000n, "amount_too_large"],
    ["usd", 0n, "amount_too_small"],
    ["usd", -50n, "amount_too_small"],
    ["gbp", 29n, "amount_too_small"],
    ["gbp", 30n, "taken"],
    ["mxn", 999n, "amount_too_small"],
    ["mxn", 1000n, "taken"],
    ["czk", 1499n, "amount_too_small"],
    ["czk", 1500n, "taken"],
    // Two decimals for charges, whole forints only for payouts.
    ["huf", 17_499n, "amount_too_small"],
    ["huf", 17_501n, "taken"],
    // No decimals: 50 is fifty yen, not half a yen.
    ["jpy", 49n, "amount_too_small"],
    ["jpy", 50n, "taken"],
    ["jpy", 100n, "taken"],
    ["jpy", 99_999_999n, "taken"],
    ["vnd", 1n, "taken"],
    // Three decimals, the last of which must be 0.
    ["kwd", 1000n, "taken"],
    ["kwd", 1005n, "parameter_invalid"],
    ["kwd", 1010n, "taken"],
    ["kwd", 9n, "amount_too_small"],
    ["kwd", 99_999_990n, "taken"],
    ["kwd", 99_999_999n, "parameter_invalid"],
    // Two decimals on the wire, both 0.
    ["isk", 100n, "taken"],
    ["isk", 150n, "parameter_invalid"],
    ["isk", 99n, "amount_too_small"],
    ["ugx", 500n, "taken"],
    ["ugx", 501n, "parameter_invalid"],
  ] as const)("%s %s: %s", (currency, amountMinor, expected) => {
    expect(judge(amountMinor, currency)).toBe(expected);
  });

  test.each([
    ["usd", "usd"],
    ["USD", "usd"],
    ["Usd", "usd"],
  ] as const)("currency %s is %s", (text, expected) => {
    expect(readCurrency(text)).toBe(expected);
  });

  test.each([
    ["an unknown code", "XXX"],
    ["a code with space around it", " usd"],
    ["nothing", ""],
    ["a word", "dollars"],
    ["a name that every object has", "constructor"],
    ["a sign that lower-cases to a letter", "\u212arw"],
    ["a megabyte", "u".repeat(1_000_000)],
  ])("%s is refused as a currency", (_, text) => {
    expect(refusal(() => readCurrency(text))).toEqual({ code: "parameter_invalid", param: "currency" });
  });

  test("a refused currency is repeated only in part", () => {
    expect(() => readCurrency("u".repeat(1_000_000))).toThrow(/^.{0,100}$/);
  });

  test("decimals follow the contract's lists", () => {
    const withDecimals = (decimals: number) =>
      Object.entries(currencies)
        .filter(([, limits]) => limits.decimals === decimals)
        .map(([code]) => code)
        .sort();
    expect(withDecimals(0).join(" ")).toBe("bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf");
    expect(withDecimals(3).join(" ")).toBe("bhd jod kwd omr tnd");
    // In both of the contract's lists: the special case wins.
    expect(withDecimals(2)).toEqual(expect.arrayContaining(["isk", "ugx", "usd", "huf", "twd"]));
  });
});
