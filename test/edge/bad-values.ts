// Every way in which a parameter can be wrong, and for each kind of field what the contract answers to each.
// It must never leave a way out: a kind has a verdict for all of them, also where the verdict is that the value is good.

/** The ways, each as what a form says in place of the field `name`. */
export const ways = {
  missing: () => [],
  empty: (name: string) => [`${name}=`],
  "a map": (name: string) => [`${name}[zzz]=1`],
  "a list": (name: string) => [`${name}[]=zzz`],
  "a word": (name: string) => [`${name}=zzz`],
  negative: (name: string) => [`${name}=-5`],
  "a float": (name: string) => [`${name}=10.5`],
  "huge and too long": (name: string) => [`${name}=${"9".repeat(5_000)}`],
  unicode: (name: string) => [`${name}=é😀漢`],
  "with NUL": (name: string) => [`${name}=a%00b`],
  "badly escaped": (name: string) => [`${name}=%ff`],
  "sent twice": (name: string) => [`${name}=1`, `${name}=1`],
} as const;

/** A way to be wrong. */
export type Way = keyof typeof ways;

/** What the API answers: it takes the value, or says what is wrong in the words of contract section 4. */
export type Verdict = "accepted" | { status: number; type: string; code: string | undefined; param: string };

/** The verdicts on a field of some kind, given the field's name. */
export type Kind = (name: string) => Readonly<Record<Way, Verdict>>;

/** A refusal of a parameter. */
export function refused(code: string | undefined, param: string, status = 400): Verdict {
  return { status, type: "invalid_request_error", code, param };
}

const invalid = (name: string) => refused(undefined, name);

/** What holds for all kinds, and for a field that only takes certain words. */
const onlyCertainWords: Kind = (name) => ({
  missing: "accepted",
  empty: refused("parameter_invalid_empty", name),
  "a map": invalid(name),
  "a list": invalid(name),
  "a word": invalid(name),
  negative: invalid(name),
  "a float": invalid(name),
  "huge and too long": invalid(name),
  unicode: invalid(name),
  "with NUL": invalid(name),
  "badly escaped": invalid(name),
  "sent twice": invalid(name),
});

/** The same verdict on every value that is one text. */
const onTexts = (verdict: Verdict) => ({
  "a word": verdict,
  negative: verdict,
  "a float": verdict,
  "huge and too long": verdict,
  unicode: verdict,
});

const integers: Kind = (name) => {
  const notInteger = refused("parameter_invalid_integer", name);
  return { ...onlyCertainWords(name), ...onTexts(notInteger), "a map": notInteger, "a list": notInteger };
};

/** The kinds of fields that the API has. */
export const kinds = {
  choice: onlyCertainWords,
  currency: onlyCertainWords,
  email: onlyCertainWords,
  /** Of at most 1000 characters, so that the huge value is too long for it. */
  text: (name) => ({ ...onlyCertainWords(name), ...onTexts("accepted"), "huge and too long": invalid(name) }),
  /** Of 5000 characters or more. */
  longText: (name) => ({ ...onlyCertainWords(name), ...onTexts("accepted") }),
  integer: integers,
  amount: (name) => ({ ...integers(name), "huge and too long": refused("amount_too_large", name) }),
  /** An id that nothing can have is as good as one that nothing has. */
  id: (name) => ({ ...onlyCertainWords(name), ...onTexts(refused("resource_missing", name, 404)) }),
  /** So many digits look like the number of a card. */
  paymentMethod: (name) => ({
    ...onlyCertainWords(name),
    ...onTexts(refused("resource_missing", name, 404)),
    "huge and too long": invalid(name),
  }),
  url: (name) => ({ ...onlyCertainWords(name), ...onTexts(refused("url_invalid", name)) }),
  object: (name) => ({
    ...onlyCertainWords(name),
    "a map": refused("parameter_unknown", `${name}[zzz]`),
    "a list": refused("parameter_unknown", `${name}[0]`),
  }),
  /** A list of certain words, or of paths that can be expanded. */
  list: (name) => ({ ...onlyCertainWords(name), "a list": invalid(`${name}[0]`) }),
  metadata: (name) => ({ ...onlyCertainWords(name), empty: "accepted", "a map": "accepted", "a list": "accepted" }),
  /** A number of seconds, or bounds by name. */
  range: (name) => ({
    ...integers(name),
    "a map": refused("parameter_unknown", `${name}[zzz]`),
    "a list": refused("parameter_unknown", `${name}[0]`),
  }),
} as const satisfies Record<string, Kind>;

/** One field of an endpoint. */
export interface FieldDescription {
  readonly name: string;
  readonly kind: keyof typeof kinds;
  /** Refused when it is missing. */
  readonly required?: true;
  /** An empty value unsets it. */
  readonly clearable?: true;
  /** What the form must also hold for this field to be looked at, as `name=value` pieces. */
  readonly beside?: readonly string[];
  /** An entry of a list or of metadata, which no endpoint declares by name. */
  readonly entry?: true;
}

/** The verdicts on one field. */
export function verdictsOn({ name, kind, required, clearable }: FieldDescription): Readonly<Record<Way, Verdict>> {
  return {
    ...kinds[kind](name),
    ...(required ? { missing: refused("parameter_missing", name) } : {}),
    ...(clearable ? { empty: "accepted" } : {}),
  };
}

/** A form that is good but for one field, which is wrong in one way. */
export function formWith(base: readonly string[], field: FieldDescription, way: Way): string {
  const isOther = (piece: string) => !piece.startsWith(`${field.name}=`) && !piece.startsWith(`${field.name}[`);
  return [...base, ...(field.beside ?? [])].filter(isOther).concat(ways[way](field.name)).join("&");
}
