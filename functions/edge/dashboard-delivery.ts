/**
 * The page of one delivery: its attempts, the next one, and the button that sends it again.
 * It must never render what a receiver answered as anything but text.
 */
import { type Fields, fieldsOf } from "../domain/payment-news.ts";
import type { ReadField } from "./dashboard-forms.ts";
import { type Page, postForm } from "./dashboard-page.ts";
import { isIntentId } from "./dashboard-payments.ts";
import { ask, failedForm, isOnce, type Part, tell, type Visit } from "./dashboard-visit.ts";
import { isDeliveryId, nextAttempt } from "./dashboard-webhooks.ts";
import {
  chip,
  empty,
  fact,
  idLink,
  itemsIn,
  panel,
  secondsIn,
  table,
  textIn,
  wholeNumberIn,
} from "./dashboard-words.ts";
import { html, type Insertable, type Markup } from "./html.ts";

/** `GET /deliveries/:id`. */
export async function deliveryPage(visit: Visit): Promise<Page> {
  const { id, query } = visit;
  if (!isDeliveryId(id)) return noSuchDelivery;
  const [delivery, attempts] = await Promise.all([
    ask(visit, `/v1/webhook_deliveries/${id}`),
    ask(visit, `/v1/webhook_deliveries/${id}/attempts`),
  ]);
  if (delivery.kind === "missing") return noSuchDelivery;
  const eventId = delivery.kind === "there" ? textIn(delivery.value, "event") : "";
  const event: Part<Fields> = /^evt_\w{1,250}$/.test(eventId)
    ? await ask(visit, `/v1/events/${eventId}`)
    : { kind: "missing" };
  const body = html`<p><code>${id}</code></p>
${panel("Delivery", delivery, (fields) => facts(visit, fields, event))}
${panel("Attempts", attempts, attemptsTable)}`;
  return { ...common, body, notice: query("done") === "resent" ? { text: resent } : undefined };
}

/** `POST /deliveries/:id/resend`: one attempt outside the schedule. */
export async function resendForm(visit: Visit, form: ReadField): Promise<string | Page> {
  const { id } = visit;
  const once = form("once");
  if (!isDeliveryId(id) || !isOnce(once)) return noSuchDelivery;
  const sent = await tell(visit, `/v1/webhook_deliveries/${id}/resend`, {
    form: {},
    idempotencyKey: `dashboard resend ${once}`,
  });
  if (sent.kind === "there") return `/deliveries/${id}?done=resent`;
  return failedForm(visit, { ...common, title: "Resend", part: sent, action: `/deliveries/${id}/resend`, once });
}

const common = { title: "Delivery", place: "/webhooks" } as const;

const resent = "It is being sent again. Reload the page in a moment to see the attempt.";

const noSuchDelivery: Page = {
  ...common,
  status: 404,
  body: html`<p class="fault" role="alert">There is no delivery with this id.</p><p><a href="/webhooks">All webhooks</a></p>`,
};

function facts(visit: Visit, delivery: Fields, event: Part<Fields>): Markup {
  const object = event.kind === "there" ? fieldsOf(fieldsOf(event.value["data"])["object"]) : {};
  const paymentId =
    textIn(object, "object") === "payment_intent" ? textIn(object, "id") : textIn(object, "payment_intent");
  const isDead = textIn(delivery, "status") === "dead";
  const button = html`<input type="hidden" name="once" value="${visit.ports.random.token()}" autocomplete="off"><button>Resend</button>`;
  return html`<dl>
${fact("Status", chip(textIn(delivery, "status")))}
${fact("Event", html`<code>${textIn(delivery, "event_type")}</code>, <code>${textIn(delivery, "event")}</code>`)}
${fact("Payment", isIntentId(paymentId) ? idLink("/payments", paymentId) : "")}
${fact("Endpoint", idLink("/webhooks", textIn(delivery, "webhook_endpoint")))}
${fact("Created", secondsIn(delivery, "created"))}
${fact("Next attempt", nextAttempt(delivery))}
${fact("Redrive", textIn(delivery, "redrive"))}
</dl>
<div class="actions">${postForm(visit.session, `/deliveries/${visit.id}/resend`, button)}${isDead && html`<a class="button quiet" href="/dead-letters">Dead letters</a>`}</div>`;
}

function attemptsTable(list: Fields): Insertable {
  const items = itemsIn(list);
  if (items.length === 0) return empty("No attempt was made yet.");
  const rows = items.map((attempt) => [
    secondsIn(attempt, "created"),
    placeOf(attempt),
    resultOf(attempt),
    duration(wholeNumberIn(attempt, "duration_ms")),
    html`<pre>${textIn(attempt, "response_excerpt")}</pre>`,
  ]);
  return table("Newest first, fifty at most", columns, rows);
}

const columns = [
  { name: "Sent" },
  { name: "Attempt" },
  { name: "Result" },
  { name: "Took", isNumber: true },
  { name: "Answer" },
];

function placeOf(attempt: Fields): string {
  const number = wholeNumberIn(attempt, "number");
  return number === undefined ? "resend" : `${number} of the schedule`;
}

function resultOf(attempt: Fields): Insertable {
  const status = wholeNumberIn(attempt, "http_status");
  const failure = textIn(attempt, "failure");
  const code = status === undefined ? "" : ` HTTP ${status}`;
  // That the status was not one of success is what the status says.
  const why = failure === "status" ? "" : failure;
  return html`${chip(failure === "" ? "delivered" : "failed")}${code}${why !== "" && html` <span class="soft">${why.replaceAll("_", " ")}</span>`}`;
}

function duration(milliseconds: number | undefined): string {
  return milliseconds === undefined ? "" : `${milliseconds} ms`;
}
