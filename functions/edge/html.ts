/**
 * Markup as a template: `html` escapes whatever is put into it, unless it is markup that `html` made before.
 * It must never be given text as markup: there is no way to mark a string as safe.
 */

/** A piece of markup. */
export class Markup {
  readonly #text: string;

  constructor(strings: readonly string[], values: readonly Insertable[]) {
    this.#text = strings.map((text, index) => text + inserted(values[index])).join("");
  }

  /** The markup's characters. */
  toString(): string {
    return this.#text;
  }
}

/** What may stand in a template; null and false leave the place empty, a list is its parts one after the other. */
export type Insertable = Markup | string | number | bigint | null | false | undefined | readonly Insertable[];

/** A template of markup. A value in a tag must stand in double quotes. */
export function html(strings: TemplateStringsArray, ...values: readonly Insertable[]): Markup {
  return new Markup(strings, values);
}

/** Text as it may stand in markup and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
}

function inserted(value: Insertable): string {
  if (value === null || value === undefined || value === false) return "";
  if (value instanceof Markup) return value.toString();
  if (Array.isArray(value)) return value.map(inserted).join("");
  return escapeHtml(String(value));
}
