// What counts as card data, as tables: numbers in every spelling, and the long numbers that merchants do send.
// It must never hold the number of a real card: these are the test numbers that networks and processors publish.
import fc from "fast-check";
import { holdsCardNumber, isCardParameter } from "../../functions/domain/card-data.ts";

describe("a card's number", () => {
  test.each([
    ["16 digits", "4242424242424242"],
    ["16 digits of another network", "5555555555554444"],
    ["16 digits of the second series", "2223003122003222"],
    ["15 digits", "378282246310005"],
    ["14 digits", "30569309025904"],
    ["13 digits", "4222222222222"],
    ["19 digits", "6205500000000000004"],
    ["groups of four", "4242 4242 4242 4242"],
    ["groups of a card with 15 digits", "3782 822463 10005"],
    ["dashes", "4000-0000-0000-0002"],
    ["long dashes", "4242\u20134242\u20134242\u20134242"],
    ["no-break spaces", "4242\u00a04242\u00a04242\u00a04242"],
    ["line breaks and tabs", "4242\n4242\t4242 \n 4242"],
    ["spaces around it", "  4242424242424242 "],
    ["a space anywhere", "424242424242 4242"],
    ["every digit on its own", "4 2 4 2 4 2 4 2 4 2 4 2 4 2 4 2"],
    ["wide digits", "４２４２４２４２４２４２４２４２"],
    ["words around it", "charge my card 4242 4242 4242 4242, please"],
    ["a date and a code beside it", "4242 4242 4242 4242 12 30 123"],
    ["a number before it", "17 4242 4242 4242 4242"],
    ["a date behind a slash", "4242424242424242/1230"],
    ["punctuation around it", "(4242424242424242)"],
    ["a name with an underscore", "tok_4242424242424242"],
    ["a fraction, as a number of JSON", "4242424242424242.0"],
    ["another one that is none", "4242424242424241 4242424242424242"],
  ])("is seen with %s", (_, text) => {
    expect(holdsCardNumber(text)).toBe(true);
  });

  test.each([
    ["nothing", ""],
    ["a wrong check digit", "4242424242424241"],
    ["12 digits", "424242424242"],
    ["20 digits", "42424242424242424242"],
    ["letters at its side", "x4242424242424242"],
    ["letters at its end", "4242424242424242b"],
    ["a time in milliseconds with the right check digit", "1768478400006"],
    ["a day and a number", "2026011512345672"],
    ["zeros only", "0000000000000000"],
    ["a telephone number", "+4242424242424242"],
    ["dots as in an amount", "4.242.424.242.424.242"],
    ["more than three spaces in between", "42424242    42424242"],
    ["an id of ours", "pi_3fA4242424242424242bXyz"],
    ["a UUID", "42424242-4242-4242-8424-242424242424"],
    ["an amount", "99999999"],
  ])("is not seen in %s", (_, text) => {
    expect(holdsCardNumber(text)).toBe(false);
  });

  test("is seen whatever the digits are, and not when one of them is another", () => {
    fc.assert(
      fc.property(cardNumber, fc.nat({ max: 18 }), fc.integer({ min: 1, max: 9 }), (digits, place, step) => {
        const at = place % digits.length;
        const wrong = [...digits].map((digit, index) => (index === at ? (Number(digit) + step) % 10 : digit)).join("");
        return holdsCardNumber(digits) && !holdsCardNumber(wrong);
      }),
    );
  });

  test("costs linear time to look for", () => {
    const megabyte = 1_048_576;
    const startMs = performance.now();
    for (const piece of ["4", "4 ", "4   ", "4-x", " "]) holdsCardNumber(`${piece.repeat(megabyte / piece.length)}x`);
    expect(performance.now() - startMs).toBeLessThan(5_000);
  });
});

describe("a parameter of a card", () => {
  test.each([
    ["card[number]"],
    ["card[cvc]"],
    ["CARD[Number]"],
    ["source[number]"],
    ["source[cvv]"],
    ["payment_method_data[card]"],
    ["payment_method_data[card][exp_month]"],
    ["payment_method_data[card][number]"],
    ["a[b][card][deeper][number]"],
  ])("is %s", (name) => {
    expect(isCardParameter(pathOf(name))).toBe(true);
  });

  test.each([
    ["card"],
    ["number"],
    ["cvc"],
    ["metadata[number]"],
    ["metadata[card]"],
    ["payment_method_types[0]"],
    ["payment_method_data[type]"],
    ["payment_method_options[card][request_three_d_secure]"],
    ["number[card]"],
  ])("is not %s", (name) => {
    expect(isCardParameter(pathOf(name))).toBe(false);
  });
});

/** 13 to 19 digits with a right check digit. The sum is made over all digits, unlike in the code under test. */
const cardNumber = fc
  .tuple(fc.constantFrom("4", "34", "51", "2720", "62"), fc.array(fc.nat({ max: 9 }), { minLength: 11, maxLength: 14 }))
  .map(([prefix, rest]) => {
    const body = prefix + rest.join("");
    const digits = body.slice(0, 18);
    const check = "0123456789".split("").find((last) => luhnSum(digits + last) % 10 === 0);
    return digits + check;
  });

function luhnSum(digits: string): number {
  const twice = [0, 2, 4, 6, 8, 1, 3, 5, 7, 9];
  return digits
    .split("")
    .reduce(
      (sum, digit, index) => sum + ((digits.length - index) % 2 === 0 ? (twice[Number(digit)] ?? 0) : Number(digit)),
      0,
    );
}

function pathOf(name: string): string[] {
  return name.replaceAll("]", "").split("[");
}
