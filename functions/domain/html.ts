/**
 * Text inside HTML: the one place where what a merchant or customer wrote becomes markup's content.
 * It must never be skipped for a value that "cannot" hold markup.
 */

/** A piece of HTML; `html` is the only way to make one. */
export interface Html {
  readonly markup: string;
}

/**
 * A tagged template that escapes every value; values that are `Html` already stay as they are, lists are joined, and null
 * leaves nothing.
 */
export function html(
  pieces: TemplateStringsArray,
  ...values: readonly (string | null | Html | readonly Html[])[]
): Html {
  const markup = pieces.map((piece, index) => piece + (index < values.length ? contentOf(values[index] ?? null) : ""));
  return { markup: markup.join("") };
}

function contentOf(value: string | null | Html | readonly Html[]): string {
  if (value === null) return "";
  if (typeof value === "string") return escaped(value);
  return "markup" in value ? value.markup : value.map(({ markup }) => markup).join("");
}

/** Safe as content of an element and as a quoted attribute; control characters, which HTML cannot hold, become spaces. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`)
    .replace(/\p{Cc}/gu, (character) => (character === "\n" || character === "\t" ? character : " "));
}
