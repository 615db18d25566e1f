/**
 * The frame of every page of the dashboard: head, landmarks, navigation, and the headers that fence it in.
 * It must never hold a script or a style of its own, nor let a page be kept, framed or told to another site.
 */
import { Buffer } from "node:buffer";
import { keyLabel, type Session } from "../domain/dashboard-session.ts";
import { tokenField } from "./dashboard-forms.ts";
import { html, type Insertable, type Markup } from "./html.ts";
import type { WireResponse } from "./wire.ts";

/** What a page shows. */
export interface Page {
  readonly title: string;
  readonly body: Markup;
  /** The place in the navigation that it belongs to. */
  readonly place?: Place | undefined;
  /** 200 unless it is given. */
  readonly status?: number;
  /** What came of the form before it, in a sentence. */
  readonly notice?: Notice | undefined;
}

/** A sentence on top of a page. */
export interface Notice {
  readonly text: string;
  readonly isBad?: boolean;
}

/** A path of the navigation. */
export type Place = (typeof places)[number]["path"];

const places = [
  { path: "/", name: "Overview" },
  { path: "/payments", name: "Payments" },
  { path: "/webhooks", name: "Webhooks" },
  { path: "/dead-letters", name: "Dead letters" },
  { path: "/keys", name: "Keys" },
  { path: "/ledger", name: "Ledger" },
  { path: "/tour", name: "Crash tour" },
] as const;

/** Where a sign-in leads. */
export const home: Place = "/";

/** A page of somebody who is signed in, or of nobody: that one has no navigation. `hasTour` puts the crash tour into it. */
export function pageResponse(page: Page, session: Session | undefined, hasTour = false): WireResponse {
  const { title, body, place, status = 200, notice } = page;
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${title} · Payments dashboard</title>
<link rel="stylesheet" href="/dashboard.css">
<link rel="icon" href="data:,">
<script src="/dashboard.js" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
${session && header(session, place, hasTour)}
<main id="content" tabindex="-1">
<h1>${title}</h1>
${notice && html`<p class="notice${notice.isBad && " bad"}" role="${notice.isBad ? "alert" : "status"}">${notice.text}</p>`}
${body}
</main>
<footer><p id="zone">Times are in UTC.</p></footer>
<p id="busy" class="busy" role="status" hidden></p>
</body>
</html>
`;
  return {
    status,
    headers: { ...fences, "Content-Type": "text/html; charset=utf-8" },
    body: Buffer.from(String(document), "utf8"),
  };
}

/** See Other: the browser goes on with a GET, so that reloading what it then shows sends nothing again. */
export function seeOther(location: string, headers: Readonly<Record<string, string>> = {}): WireResponse {
  return { status: 303, headers: { ...fences, Location: location, ...headers }, body: Buffer.alloc(0) };
}

/** The style sheet or the script; five minutes, so that a page after a deploy does not meet yesterday's for long. */
export function assetResponse(contentType: string, text: string): WireResponse {
  const headers = {
    "Content-Type": contentType,
    "Cache-Control": "public, max-age=300",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
  };
  return { status: 200, headers, body: Buffer.from(text, "utf8") };
}

/** A form that changes something, with the proof of its session. */
export function postForm(session: Session, action: string, content: Insertable): Markup {
  return html`<form method="post" action="${action}">
<input type="hidden" name="${tokenField}" value="${session.formToken}" autocomplete="off">
${content}</form>`;
}

function header(session: Session, place: Place | undefined, hasTour: boolean): Markup {
  const shown = places.filter(({ path }) => path !== "/tour" || hasTour);
  return html`<header>
<p class="brand"><span aria-hidden="true" class="mark"></span>Payments</p>
<nav aria-label="Dashboard"><ul>${shown.map(
    ({ path, name }) => html`<li><a href="${path}"${path === place && html` aria-current="page"`}>${name}</a></li>`,
  )}</ul></nav>
<div class="who"><p>Key <code>${keyLabel(session)}</code></p>${postForm(session, "/sign-out", html`<button class="quiet">Sign out</button>`)}</div>
</header>`;
}

/**
 * Only our own style, script and forms; no frame around us; nothing kept, by the browser or on the way. The referrer
 * stays on this site, and there it is needed: without one a browser hides the origin of a form.
 */
const fences = {
  "Content-Security-Policy":
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  "Cache-Control": "no-store",
  "Referrer-Policy": "same-origin",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
} as const;
