// Shows that nothing put into markup becomes markup, wherever it stands.

import { escapeHtml, html } from "../../functions/edge/html.ts";

const nasty = `"><script>alert('1')</script>&amp;\``;

describe("a template of markup", () => {
  test("escapes text between tags and in attributes", () => {
    const markup = String(html`<p title="${nasty}">${nasty}</p>`);

    expect(markup).toBe(`<p title="${escapeHtml(nasty)}">${escapeHtml(nasty)}</p>`);
    expect(escapeHtml(nasty)).not.toMatch(/[<>"'`]/);
    expect(escapeHtml("&lt;")).toBe("&#38;lt;");
  });

  test("takes markup that it made before as it is, alone and in lists", () => {
    expect(String(html`<ul>${["a", "<b>"].map((text) => html`<li>${text}</li>`)}</ul>`)).toBe(
      "<ul><li>a</li><li>&#60;b&#62;</li></ul>",
    );
  });

  test("shows numbers, and leaves the place of null, undefined and false empty", () => {
    expect(String(html`${0}|${12n}|${null}|${undefined}|${false}`)).toBe("0|12|||");
  });

  test("cannot be told that a string is markup", () => {
    const disguised = { toString: () => "<script>" } as unknown as string;

    expect(String(html`${disguised}`)).toBe("&#60;script&#62;");
  });
});
