/**
 * Tells card data from other text: what looks like a card's number, and which parameters would carry parts of a card.
 * It must never hand out what it found: whoever asks learns yes or no, and nothing of the number.
 */

/**
 * True when a text holds what can be a card's number, alone or between other words: 13 to 19 digits (ISO/IEC 7812-1),
 * with white space or dashes between them or without, that begin as card networks begin and pass the Luhn check.
 * Digits that touch a letter are part of an id, digits after a `+` are a telephone's; both are no card's number.
 */
export function holdsCardNumber(text: string): boolean {
  // Makes plain digits of the wide ones of East Asian keyboards.
  const plain = text.normalize("NFKC");
  for (const [run] of plain.matchAll(digitRuns)) {
    const groups = run.split(/[^0-9]+/);
    if (run === plain.trim() && isCardNumber(groups.join(""))) return true;
    if (holdsNumber(groups)) return true;
  }
  return false;
}

/**
 * True when the path of a parameter names a secret of a card, whatever its value is: number or security code of a
 * `card` or a `source`, or anything of the card in `payment_method_data`.
 */
export function isCardParameter(path: readonly string[]): boolean {
  const names = path.map((name) => name.toLowerCase());
  const below = (outer: string) => (names.includes(outer) ? names.slice(names.indexOf(outer) + 1) : []);
  if (below("payment_method_data").includes("card")) return true;
  return [...below("card"), ...below("source")].some((name) => cardSecrets.has(name));
}

/** What of a card must never enter, by the names that clients use. */
const cardSecrets: ReadonlySet<string> = new Set(["number", "cvc", "cvv", "cvv2"]);

/**
 * Digits with at most three separators between two of them: white space or any dash. No letter or digit may touch the
 * run, or many a hexadecimal id would hold one.
 */
const digitRuns = /(?<![\p{L}\p{N}+])[0-9]+(?:[\s\p{Pd}]{1,3}[0-9]+)*(?![\p{L}\p{N}])/gu;

/** Fewest and most digits of a card's number: ISO/IEC 7812-1 ends at 19, the shortest that were ever issued have 13. */
const [digitsMin, digitsMax] = [13, 19];

/** Longest group inside a longer text: cards are printed in 4-4-4-4, 4-6-5 or 4-6-4. The groups of a UUID have 8 and 12. */
const groupMax = 6;

/**
 * How the numbers of card networks begin. The other digits belong to airlines, fuel and telecommunications, and to
 * the dates and times that merchants send all day, one in ten of which would pass the Luhn check.
 */
const networks = /^(?:2[2-7]|[3-6])/;

/** Takes every group for the first one, so that a date or a security code beside the number does not hide it. */
function holdsNumber(groups: readonly string[]): boolean {
  return groups.some((first, start) => {
    if (isCardNumber(first)) return true;
    let digits = "";
    for (const group of groups.slice(start, start + digitsMax)) {
      digits += group;
      if (group.length > groupMax || digits.length > digitsMax) return false;
      if (isCardNumber(digits)) return true;
    }
    return false;
  });
}

function isCardNumber(digits: string): boolean {
  return digits.length >= digitsMin && digits.length <= digitsMax && networks.test(digits) && passesLuhn(digits);
}

/** The check digit of ISO/IEC 7812-1, annex B: every second digit from the right counts double, by its own digits. */
function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (const [index, digit] of [...digits].reverse().entries()) {
    const weighted = Number(digit) * (index % 2 === 0 ? 1 : 2);
    sum += weighted > 9 ? weighted - 9 : weighted;
  }
  return sum % 10 === 0;
}
