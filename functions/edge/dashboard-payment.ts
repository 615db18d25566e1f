/**
 * The page of one payment: what it is, how it came to stand as it does, and what is booked of it.
 * It must never show a client secret: whoever has it may act as the buyer.
 */
import { type Fields, fieldsOf } from "../domain/payment-news.ts";
import type { Page } from "./dashboard-page.ts";
import { isIntentId } from "./dashboard-payments.ts";
import { storySections } from "./dashboard-story.ts";
import { ask, type Part, type Visit } from "./dashboard-visit.ts";
import { chip, fact, money, panel, secondsIn, textIn, wholeNumberIn } from "./dashboard-words.ts";
import { html, type Insertable, type Markup } from "./html.ts";

/** `GET /payments/:id`. */
export async function paymentPage(visit: Visit): Promise<Page> {
  const { id } = visit;
  const nothing: Part<Fields> = { kind: "missing" };
  const [part, timeline] = isIntentId(id)
    ? await Promise.all([
        ask(visit, `/v1/payment_intents/${id}`, { "expand[0]": "latest_charge" }),
        ask(visit, `/v1/payment_intents/${id}/timeline`),
      ])
    : [nothing, nothing];
  const common = { title: "Payment", place: "/payments" } as const;
  if (part.kind === "missing") {
    const body = html`<p class="fault" role="alert">There is no payment with this id.</p><p><a href="/payments">All payments</a></p>`;
    return { ...common, status: 404, body };
  }
  return {
    ...common,
    body: html`<p><code>${id}</code></p>${panel("Payment", part, facts)}
${timeline.kind === "there" ? storySections(timeline.value) : panel("What happened", timeline, () => null)}`,
  };
}

function facts(intent: Fields): Markup {
  const currency = textIn(intent, "currency");
  const charge = fieldsOf(intent["latest_charge"]);
  const refunded = wholeNumberIn(charge, "amount_refunded") ?? 0;
  return html`<dl>
${fact("Status", chip(textIn(intent, "status")))}
${fact("Amount", money(wholeNumberIn(intent, "amount"), currency))}
${fact("Received", money(wholeNumberIn(intent, "amount_received"), currency))}
${refunded > 0 && fact("Refunded", money(refunded, currency))}
${fact("Created", secondsIn(intent, "created"))}
${fact("Description", textIn(intent, "description"))}
${fact("Customer", textIn(intent, "customer"))}
${fact("Receipt to", textIn(intent, "receipt_email"))}
${fact("Last error", textIn(fieldsOf(intent["last_payment_error"]), "message"))}
${fact("Charge", textIn(charge, "id"))}
${fact("Cancellation reason", textIn(intent, "cancellation_reason"))}
</dl>${metadataOf(fieldsOf(intent["metadata"]))}`;
}

function metadataOf(metadata: Fields): Insertable {
  const entries = Object.entries(metadata).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  if (entries.length === 0) return null;
  return html`<h3>Metadata</h3><dl>${entries.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
}
