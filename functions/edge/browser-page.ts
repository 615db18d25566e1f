/**
 * Small HTML pages for a buyer's browser: one heading, one sentence, at most a form, readable on a phone and in the dark.
 * They never hold a script, and never take text as markup.
 */
import { Buffer } from "node:buffer";
import type { WireResponse } from "./wire.ts";

/** A page with a heading and a sentence. */
export function page(
  status: number,
  heading: string,
  sentence: string,
  headers: Readonly<Record<string, string>> = {},
): WireResponse {
  return htmlPage(status, heading, `<p>${escaped(sentence)}</p>`, headers);
}

/** A page whose body is markup already; every value in it went through `escaped`. */
export function htmlPage(
  status: number,
  heading: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): WireResponse {
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escaped(heading)}</title>
<style>${style}</style>
</head>
<body><main><h1>${escaped(heading)}</h1>${body}</main></body>
</html>
`;
  return { status, headers: { ...pageHeaders, ...headers }, body: Buffer.from(html, "utf8") };
}

/** See Other: the browser goes on with a GET, whatever it sent. */
export function redirect(location: string): WireResponse {
  const headers = { Location: location, "Cache-Control": "no-store", "Referrer-Policy": "no-referrer" };
  return { status: 303, headers, body: Buffer.alloc(0) };
}

/** Text as it may stand in markup and in quoted attributes. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

const style =
  ":root{color-scheme:light dark}body{font:1.1rem/1.5 system-ui,sans-serif;margin:0;display:grid;place-items:center;min-height:100vh}" +
  "main{max-width:26rem;padding:1.5rem}h1{font-size:1.4rem}button{font:inherit;padding:.6rem 1.2rem;margin:.3rem .6rem .3rem 0;border-radius:.4rem;border:2px solid;cursor:pointer}";

/** No script runs, nothing is loaded, no other page may frame it; the address holds an id, so no referrer tells it. */
const pageHeaders = {
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
  "Cache-Control": "no-store",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
} as const;
