/**
 * The pages of webhooks: the endpoints, one endpoint with its deliveries, and the test event.
 * It must never show a signing secret: the API gives it once, to whoever made the endpoint.
 */
import type { Fields } from "../domain/payment-news.ts";
import type { ReadField } from "./dashboard-forms.ts";
import { type Page, postForm } from "./dashboard-page.ts";
import { ask, failedForm, isOnce, type Part, tell, type Visit } from "./dashboard-visit.ts";
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

/** `GET /webhooks`. */
export async function webhooksPage(visit: Visit): Promise<Page> {
  const [part, recent] = await Promise.all([
    ask(visit, "/v1/webhook_endpoints", { limit: "100" }),
    ask(visit, "/v1/webhook_deliveries", { limit: "25" }),
  ]);
  const rows = (list: Fields) =>
    itemsIn(list).map((endpoint) => [
      idLink("/webhooks", textIn(endpoint, "id")),
      html`<code class="url">${textIn(endpoint, "url")}</code>`,
      chip(textIn(endpoint, "status")),
      textIn(endpoint, "description"),
      secondsIn(endpoint, "created"),
    ]);
  const body = panel("Endpoints", part, (list) =>
    itemsIn(list).length === 0
      ? empty("There are no endpoints. POST /v1/webhook_endpoints makes one.")
      : table("Where your events are sent", endpointColumns, rows(list)),
  );
  return { ...common, title: "Webhooks", body: html`${body}${deliveriesPanel("Newest deliveries", recent, null)}` };
}

/** `GET /webhooks/:id`: `status` narrows its deliveries, `after` goes on behind one. */
export async function endpointPage(visit: Visit): Promise<Page> {
  const { id, query } = visit;
  if (!/^we_\w{1,250}$/.test(id)) return noSuchEndpoint;
  const status = statuses.find((one) => one === query("status"));
  const after = query("after");
  const [endpoint, deliveries] = await Promise.all([
    ask(visit, `/v1/webhook_endpoints/${id}`),
    ask(visit, "/v1/webhook_deliveries", {
      limit: "25",
      webhook_endpoint: id,
      ...(status === undefined ? {} : { status }),
      ...(after !== undefined && isDeliveryId(after) ? { starting_after: after } : {}),
    }),
  ]);
  if (endpoint.kind === "missing") return noSuchEndpoint;
  const paging = { address: `/webhooks/${id}`, status, isFirst: after === undefined };
  const body = html`<p><code>${id}</code></p>
${panel("Endpoint", endpoint, (fields) => endpointFacts(visit, fields))}
${deliveriesPanel("Deliveries", deliveries, paging)}`;
  return { ...common, title: "Webhook endpoint", body, notice: notices[query("done") ?? ""] };
}

/** `POST /webhooks/:id/test`: one event that exists nowhere else. */
export async function sendTest(visit: Visit, form: ReadField): Promise<string | Page> {
  const { id } = visit;
  const once = form("once");
  if (!/^we_\w{1,250}$/.test(id) || !isOnce(once)) return noSuchEndpoint;
  const sent = await tell(visit, `/v1/webhook_endpoints/${id}/send_test_event`, {
    form: {},
    idempotencyKey: `dashboard test ${once}`,
  });
  if (sent.kind === "there") return `/webhooks/${id}?done=tested`;
  return failedForm(visit, { ...common, title: "Test event", part: sent, action: `/webhooks/${id}/test`, once });
}

/** True for text that can be a delivery's id. */
export function isDeliveryId(text: string): boolean {
  return /^wd_\w{1,250}$/.test(text);
}

/** A table of deliveries; `paging` gives it filters and pages, null neither. */
export function deliveriesPanel(title: string, part: Part<Fields>, paging: Paging | null): Markup {
  return panel(title, part, (list) => {
    const items = itemsIn(list);
    const last = items.at(-1);
    const more = list["has_more"] === true && last !== undefined ? textIn(last, "id") : null;
    const rows = items.map((delivery) => [
      secondsIn(delivery, "created"),
      html`<code>${textIn(delivery, "event_type")}</code>`,
      chip(textIn(delivery, "status")),
      wholeNumberIn(delivery, "attempts"),
      nextAttempt(delivery),
      idLink("/deliveries", textIn(delivery, "id")),
    ]);
    return html`${paging && filters(paging)}
${rows.length === 0 ? empty(paging?.status === undefined ? "Nothing was sent yet." : `None of its deliveries is ${paging.status}.`) : table("Newest first", deliveryColumns, rows)}
${paging && pages(paging, more)}`;
  });
}

/** When the next attempt comes, or why none does. */
export function nextAttempt(delivery: Fields): Insertable {
  const status = textIn(delivery, "status");
  if (status === "pending") return secondsIn(delivery, "next_attempt_at");
  return status === "dead" ? `none: ${textIn(delivery, "dead_letter_reason").replaceAll("_", " ")}` : "none needed";
}

interface Paging {
  readonly address: string;
  readonly status: string | undefined;
  readonly isFirst: boolean;
}

const common = { place: "/webhooks" } as const;

const statuses = ["pending", "delivered", "dead"] as const;

const notices: Readonly<Record<string, { readonly text: string }>> = {
  tested: { text: "A test event is on its way. Its delivery is the newest in the list." },
};

const noSuchEndpoint: Page = {
  ...common,
  title: "Webhook endpoint",
  status: 404,
  body: html`<p class="fault" role="alert">There is no endpoint with this id.</p><p><a href="/webhooks">All endpoints</a></p>`,
};

const endpointColumns = [
  { name: "Endpoint" },
  { name: "URL" },
  { name: "Status" },
  { name: "Description" },
  { name: "Created" },
];

const deliveryColumns = [
  { name: "Created" },
  { name: "Event" },
  { name: "Status" },
  { name: "Attempts", isNumber: true },
  { name: "Next attempt" },
  { name: "Delivery" },
];

function endpointFacts(visit: Visit, endpoint: Fields): Markup {
  const events = endpoint["enabled_events"];
  const words = Array.isArray(events) ? events.filter((word): word is string => typeof word === "string") : [];
  const isEnabled = textIn(endpoint, "status") === "enabled";
  const button = html`<input type="hidden" name="once" value="${visit.ports.random.token()}" autocomplete="off"><button class="quiet">Send a test event</button>`;
  return html`<dl>
${fact("URL", html`<code>${textIn(endpoint, "url")}</code>`)}
${fact("Status", chip(textIn(endpoint, "status")))}
${fact("Events", words.join(", "))}
${fact("Description", textIn(endpoint, "description"))}
${fact("Created", secondsIn(endpoint, "created"))}
</dl>${isEnabled && html`<div class="actions">${postForm(visit.session, `/webhooks/${visit.id}/test`, button)}</div>`}`;
}

function filters({ address, status }: Paging): Markup {
  const link = (name: string, target: string, isCurrent: boolean) =>
    html`<li><a href="${target}"${isCurrent && html` aria-current="true"`}>${name}</a></li>`;
  return html`<nav aria-label="Deliveries by status" class="tabs"><ul>${link("all", address, status === undefined)}${statuses.map(
    (one) => link(one, `${address}?status=${one}`, one === status),
  )}</ul></nav>`;
}

function pages({ address, status, isFirst }: Paging, more: string | null): Insertable {
  if (isFirst && more === null) return null;
  const to = (after?: string) => {
    const kept = { ...(status === undefined ? {} : { status }), ...(after === undefined ? {} : { after }) };
    const text = new URLSearchParams(kept).toString();
    return text === "" ? address : `${address}?${text}`;
  };
  return html`<p class="actions">${!isFirst && html`<a class="button quiet" href="${to()}">Newest</a>`}
${more !== null && html`<a class="button quiet" href="${to(more)}">Older</a>`}</p>`;
}
