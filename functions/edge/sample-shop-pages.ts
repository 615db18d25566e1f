/**
 * The sample shop's pages: the order form, an order as it stands, and what went wrong.
 * They never hold a script or a style of their own, and never show what an order's buyer did not write or see before.
 */
import { Buffer } from "node:buffer";
import { cards, itemOf, items, priceText, quantityMax, shopCurrency } from "../domain/catalogue.ts";
import { mayRetry, type Order, type OrderPhase, phaseOf } from "../domain/order.ts";
import { html, type Insertable, type Markup } from "./html.ts";
import type { WireResponse } from "./wire.ts";

/** What a form held when it was refused, and why. */
export interface FormFault {
  readonly message: string;
  readonly item: string | undefined;
  readonly quantity: string | undefined;
  readonly card: string | undefined;
}

/**
 * The order form around a request token. Going back must show this very form, with this very token, so that sending it
 * again is the same order: browsers may keep it for that (`private, no-cache`), and a visit asks for a new one.
 */
export function orderForm(token: string, fault?: FormFault): WireResponse {
  const [firstItem, firstCard] = [fault?.item ?? items[0]?.id, fault?.card ?? cards[0]?.token];
  const body = html`<h1>Order something</h1>
${fault && html`<p class="fault" role="alert">${fault.message}</p>`}
<form method="post" action="/orders">
<input type="hidden" name="token" value="${token}" autocomplete="off">
<fieldset><legend>What</legend>
${items.map(
  ({ id, name, priceMinor }) => html`<label><input type="radio" name="item" value="${id}"${checked(id === firstItem)}>
${name}, ${priceText(priceMinor, shopCurrency)}</label>
`,
)}</fieldset>
<fieldset><legend>How many, and how you pay</legend>
<label>Quantity <select name="quantity">${Array.from({ length: quantityMax }, (_, index) => String(index + 1)).map(
    (number) => html`<option${selected(number === fault?.quantity)}>${number}</option>`,
  )}</select></label>
<label>Test card ${cardChoice(firstCard)}</label></fieldset>
<button>Order and pay</button>
<p class="soft">No real money moves here. Pressing twice, reloading or going back and sending again places one order.</p>
</form>`;
  return page(fault === undefined ? 200 : 400, "Sample shop", body, { cacheControl: "private, no-cache" });
}

/**
 * An order. `goesOn` sends the buyer on to the bank by itself: a link could be overlooked, and a redirect of the form's
 * answer to another origin is what the policy forbids.
 */
export function orderPage(
  order: Order,
  options: { readonly goesOn: boolean; readonly isChangedForm: boolean },
): WireResponse {
  const phase = phaseOf(order);
  const { title, text, isBad } = words[phase];
  const { actionUrl, failure } = order.payment;
  const isWaiting = phase === "action" && actionUrl !== null;
  const body = html`<h1>${title}</h1>
<p class="state${isBad && " bad"}" role="status">${text}${phase === "failed" && failure !== null && ` ${failure}`}</p>
${options.isChangedForm && html`<p class="fault">You had placed this order before. What you changed since then was not ordered.</p>`}
${isWaiting && html`<p><a class="button" href="${actionUrl}">Continue to your bank</a></p>`}
${phase === "unknown" && payForm(order, html`<button>Check the payment</button>`, null)}
${mayRetry(order) && payForm(order, html`<button>Try again</button>`, cardChoice(undefined))}
<dl>
<dt>Order</dt><dd>${order.id}</dd>
<dt>Bought</dt><dd>${order.quantity} × ${itemOf(order.itemId)?.name ?? order.itemId}</dd>
<dt>Price</dt><dd>${priceText(order.amountMinor, order.currency)}</dd>
${order.intentId !== null && html`<dt>Payment</dt><dd>${order.intentId}</dd>`}
${order.refundedMinor > 0n && html`<dt>Refunded</dt><dd>${priceText(order.refundedMinor, order.currency)}</dd>`}
</dl>
<p><a href="/">Order something else</a></p>`;
  const goesTo = isWaiting && options.goesOn ? `0; url=${actionUrl}` : phase === "processing" ? lookAgain : undefined;
  return page(200, title, body, { goesTo });
}

/** A page with a heading and a sentence. */
export function messagePage(
  status: number,
  title: string,
  sentence: string,
  headers: Readonly<Record<string, string>> = {},
): WireResponse {
  const body = html`<h1>${title}</h1><p class="fault" role="alert">${sentence}</p><p><a href="/">To the shop</a></p>`;
  return page(status, title, body, { headers });
}

/** See Other: the browser goes on with a GET, so that reloading what it then shows sends nothing again. */
export function seeOther(location: string): WireResponse {
  return { status: 303, headers: { ...safety, Location: location }, body: Buffer.alloc(0) };
}

/** A style sheet or a script; five minutes, so that a page after a deploy does not meet yesterday's for long. */
export function asset(contentType: string, text: string): WireResponse {
  return {
    status: 200,
    headers: {
      "Content-Type": contentType,
      "Cache-Control": "public, max-age=300",
      "X-Content-Type-Options": "nosniff",
    },
    body: Buffer.from(text, "utf8"),
  };
}

/** A payment that settles later is looked at again; two seconds are short for a person and long for the API. */
const lookAgain = "2";

const words: Readonly<Record<OrderPhase, { readonly title: string; readonly text: string; readonly isBad?: true }>> = {
  paid: { title: "Thank you, it is paid", text: "Your order is on its way." },
  action: { title: "Your bank has a question", text: "Your bank wants you to confirm this payment." },
  processing: { title: "One moment", text: "Your payment is being made. This page looks again by itself." },
  unknown: { title: "One moment", text: "We have not heard yet whether you paid. You cannot pay twice: check below." },
  failed: { title: "Not paid", text: "The payment was not made.", isBad: true },
  partly_refunded: { title: "Partly refunded", text: "Part of your money is on its way back." },
  refunded: { title: "Refunded", text: "Your money is on its way back." },
};

function payForm({ id, attempt }: Order, button: Markup, choice: Markup | null): Markup {
  return html`<form method="post" action="/orders/${id}/payments">
<input type="hidden" name="attempt" value="${attempt}" autocomplete="off">
${choice && html`<fieldset><legend>Another card</legend><label>Test card ${choice}</label></fieldset>`}
${button}</form>
`;
}

function cardChoice(chosen: string | undefined): Markup {
  return html`<select name="card">${cards.map(
    ({ token, label }) => html`<option value="${token}"${selected(token === chosen)}>${label}</option>`,
  )}</select>`;
}

const checked = (is: boolean): Insertable => is && html` checked`;
const selected = (is: boolean): Insertable => is && html` selected`;

interface PageOptions {
  readonly cacheControl?: string;
  /** Content of a refresh: seconds, perhaps with a URL. */
  readonly goesTo?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

function page(status: number, title: string, body: Markup, options: PageOptions): WireResponse {
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
${options.goesTo !== undefined && html`<meta http-equiv="refresh" content="${options.goesTo}">`}
<title>${title}</title>
<link rel="stylesheet" href="/shop.css">
<link rel="icon" href="data:,">
<script src="/shop.js" defer></script>
</head>
<body><main>
${body}
</main></body>
</html>
`;
  const headers = {
    ...safety,
    "Content-Type": "text/html; charset=utf-8",
    "Cache-Control": options.cacheControl ?? "no-store",
    ...options.headers,
  };
  return { status, headers, body: Buffer.from(String(document), "utf8") };
}

/** Only our own style and script, only our own forms, no frame around us; an order's address is not told to others. */
const safety = {
  "Content-Security-Policy":
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
} as const;
