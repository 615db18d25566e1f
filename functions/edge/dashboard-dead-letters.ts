/**
 * The pages of dead letters: what was given up, the dry run that says what a redrive would send, and the redrive.
 * It must never redrive anything but the plan that was shown, however often the form is sent.
 */
import type { Fields } from "../domain/payment-news.ts";
import { planIn, plannedMax, planOf, planText } from "../domain/redrive-plan.ts";
import { carryOutRedrive } from "../flows/carry-out-redrive.ts";
import type { ReadField } from "./dashboard-forms.ts";
import { type Notice, type Page, postForm } from "./dashboard-page.ts";
import { ask, type Part, tell, type Visit } from "./dashboard-visit.ts";
import {
  chip,
  empty,
  idLink,
  itemsIn,
  panel,
  secondsIn,
  shownPart,
  table,
  textIn,
  wholeNumberIn,
} from "./dashboard-words.ts";
import { html, type Markup } from "./html.ts";

/** `GET /dead-letters`: the newest, and the way to a plan. */
export async function deadLettersPage(visit: Visit): Promise<Page> {
  const { dead, endpoints } = await readDead(visit);
  const body = panel("Given up", dead, (list) => {
    const items = itemsIn(list);
    if (items.length === 0) return empty("Nothing was given up. Deliveries that used up their three days appear here.");
    return html`${letters(items, endpoints)}${list["has_more"] === true && html`<p class="soft">There are more: redrive these first.</p>`}
<p class="actions"><a class="button" href="/dead-letters/plan">Plan a redrive (dry run)</a></p>`;
  });
  return { ...common, title: "Dead letters", body, notice: noticeOf(visit.query) };
}

/** `GET /dead-letters/plan`: the dry run. Nothing is sent or changed by it. */
export async function planPage(visit: Visit): Promise<Page> {
  const { dead, endpoints } = await readDead(visit);
  const body = shownPart(dead, (list) => {
    const { ready, left } = sorted(list, endpoints);
    if (ready.length === 0 && left.length === 0) return empty("There is nothing to redrive.");
    const plan = planOf(
      ready.map((letter) => ({ deliveryId: textIn(letter, "id"), redriveId: textIn(letter, "redrive") || null })),
    );
    const form = html`<input type="hidden" name="plan" value="${planText(plan.lines)}"><input type="hidden" name="hash" value="${plan.hash}">
<button>Redrive ${count(ready.length)}</button>`;
    return html`<section class="panel"><h2>Would be sent again</h2>
${ready.length === 0 ? empty("None: the endpoints of all of them are disabled or deleted.") : letters(ready, endpoints)}
${
  ready.length > 0 &&
  html`<dl><dt>Plan</dt><dd><code>${plan.hash}</code></dd></dl><p class="soft">Each gets three days of attempts anew. What changes until then is left out; sending this plan twice redrives nothing twice.</p>
<div class="actions">${postForm(visit.session, "/dead-letters/redrive", form)}<a class="button quiet" href="/dead-letters">Back</a></div>`
}</section>
${left.length > 0 && html`<section class="panel"><h2>Would be left out</h2><p>Their endpoint is disabled or deleted, so nothing is sent to it.</p>${letters(left, endpoints)}</section>`}`;
  });
  return { ...common, title: "Redrive: dry run", body: html`${body}` };
}

/** `POST /dead-letters/redrive`: exactly the plan in the form. */
export async function redrivePlan(visit: Visit, form: ReadField): Promise<string | Page> {
  const plan = planIn(form("plan") ?? "", form("hash") ?? "");
  if (plan === undefined) {
    const body = html`<p class="fault" role="alert">This is not a plan that was shown, so nothing was sent.</p><p><a href="/dead-letters/plan">Make a new plan</a></p>`;
    return { ...common, title: "Redrive", status: 400, body };
  }
  const { redriven, changed, failed } = await carryOutRedrive(
    {
      look: async (deliveryId) => {
        const part = await ask(visit, `/v1/webhook_deliveries/${deliveryId}`);
        if (part.kind === "fault") return undefined;
        const fields = part.kind === "there" ? part.value : {};
        return { isDead: textIn(fields, "status") === "dead", redriveId: textIn(fields, "redrive") || null };
      },
      redrive: async (deliveryId, idempotencyKey) => {
        const part = await tell(visit, `/v1/webhook_deliveries/${deliveryId}/redrive`, { form: {}, idempotencyKey });
        return part.kind === "there";
      },
    },
    plan,
  );
  visit.ports.log("INFO", "dashboard redrove", {
    ...{ accountId: visit.session.accountId, plan: plan.hash, redriven, changed, failed },
  });
  return `/dead-letters?redriven=${redriven}&changed=${changed}&failed=${failed}`;
}

const common = { place: "/dead-letters" } as const;

async function readDead(visit: Visit): Promise<{ dead: Part<Fields>; endpoints: ReadonlyMap<string, Fields> }> {
  const [dead, list] = await Promise.all([
    ask(visit, "/v1/webhook_deliveries", { status: "dead", limit: String(plannedMax) }),
    ask(visit, "/v1/webhook_endpoints", { limit: "100" }),
  ]);
  // Without the endpoints nobody knows which letters can be sent, so the part that needs both is missing.
  if (list.kind !== "there") return { dead: dead.kind === "fault" ? dead : list, endpoints: new Map() };
  return { dead, endpoints: new Map(itemsIn(list.value).map((endpoint) => [textIn(endpoint, "id"), endpoint])) };
}

function sorted(list: Fields, endpoints: ReadonlyMap<string, Fields>) {
  const isReady = (letter: Fields) =>
    textIn(endpoints.get(textIn(letter, "webhook_endpoint")) ?? {}, "status") === "enabled";
  const items = itemsIn(list);
  return { ready: items.filter(isReady), left: items.filter((letter) => !isReady(letter)) };
}

function letters(items: readonly Fields[], endpoints: ReadonlyMap<string, Fields>): Markup {
  const rows = items.map((letter) => {
    const endpointId = textIn(letter, "webhook_endpoint");
    const endpoint = endpoints.get(endpointId);
    return [
      secondsIn(letter, "created"),
      html`<code>${textIn(letter, "event_type")}</code>`,
      chip(textIn(letter, "dead_letter_reason")),
      wholeNumberIn(letter, "attempts"),
      endpoint === undefined
        ? html`<code>${endpointId}</code> (deleted)`
        : html`<code class="url">${textIn(endpoint, "url")}</code>`,
      idLink("/deliveries", textIn(letter, "id")),
    ];
  });
  return table("Newest first", columns, rows);
}

const columns = [
  { name: "Created" },
  { name: "Event" },
  { name: "Reason" },
  { name: "Attempts", isNumber: true },
  { name: "Endpoint" },
  { name: "Delivery" },
];

/** What the redirect after a redrive tells: three small numbers, and nothing else from an address becomes a sentence. */
function noticeOf(query: ReadField): Notice | undefined {
  const [redriven, changed, failed] = ["redriven", "changed", "failed"].map((name) => {
    const text = query(name) ?? "";
    return /^[0-9]{1,2}$/.test(text) ? Number(text) : undefined;
  });
  if (redriven === undefined || changed === undefined || failed === undefined) return undefined;
  const parts: string[] = [`${count(redriven)} on the way again.`];
  if (changed > 0)
    parts.push(`${count(changed)} had changed since the plan and ${changed === 1 ? "was" : "were"} left alone.`);
  if (failed > 0) parts.push(`${count(failed)} could not be redriven; the same plan can be sent again safely.`);
  return { text: parts.join(" "), isBad: failed > 0 };
}

function count(deliveries: number): string {
  return `${deliveries} ${deliveries === 1 ? "delivery" : "deliveries"}`;
}
