/**
 * The crash tour: a test payment that meets a crash on purpose, its retry, and the key that shows what became of both.
 * It must never exist in prod, nor make a payment twice: each button is one key, however often it is pressed.
 */
import { keyIdentity } from "../domain/idempotency.ts";
import { fieldsOf } from "../domain/payment-news.ts";
import type { MerchantAnswer } from "../flows/dashboard-ports.ts";
import type { ReadField } from "./dashboard-forms.ts";
import { type Page, postForm } from "./dashboard-page.ts";
import { isOnce, keyRefused, type Visit } from "./dashboard-visit.ts";
import { chip, idLink, table, textIn } from "./dashboard-words.ts";
import { html, type Insertable, type Markup } from "./html.ts";

/** `GET /tour`. */
export async function tourPage(visit: Visit): Promise<Page> {
  if (!visit.ports.hasTour) return closed;
  const stops = Object.entries(tour).map(([stop, { title, happens }]) => {
    const fields = html`<input type="hidden" name="stop" value="${stop}"><input type="hidden" name="once" value="${visit.ports.random.token()}" autocomplete="off"><button>${title}</button>`;
    return html`<li class="panel"><h2>${title}</h2><p>${happens}</p>${postForm(visit.session, "/tour", fields)}</li>`;
  });
  const body = html`<p>Each button makes a test payment of USD 20.00 whose first request goes wrong on purpose, and then sends the same request again, as your server would. Look at the key afterwards: there is one payment.</p><ul class="stops">${stops}</ul>`;
  return { ...common, body };
}

/**
 * `POST /tour`: the request that goes wrong, and its retry. It answers with a page, because both answers are worth seeing;
 * sending the form again is the same key, so it makes nothing.
 */
export async function walkTour(visit: Visit, form: ReadField): Promise<Page> {
  if (!visit.ports.hasTour) return closed;
  const [stop = "", once] = [form("stop"), form("once")];
  const chosen = Object.hasOwn(tour, stop) ? tour[stop] : undefined;
  if (chosen === undefined || !isOnce(once)) {
    return { ...common, status: 400, body: html`<p class="fault" role="alert">There is no such stop.</p>` };
  }
  const key = `tour ${stop} ${once}`;
  const first = await pay(visit, key, { "Crash-Tour": stop });
  // The dead instance's lease is 3 s: the retry waits for it, as a patient client does.
  const retry = await pay(visit, key, { Prefer: "wait=10" });
  const keyId = keyIdentity(visit.session.accountId, false, key);
  const columns = [{ name: "Request" }, { name: "What your server saw" }, { name: "Payment" }];
  const body = html`<section class="panel"><h2>${chosen.title}</h2><p>${chosen.happens}</p>
${table("Both requests carried the same idempotency key", columns, [rowOf("The first", first), rowOf("The retry", retry)])}</section>
<section class="panel"><h2>Why there is one payment</h2><p>${chosen.because}</p><p class="actions"><a class="button" href="/keys/${keyId}">Inspect the key</a><a class="button quiet" href="/tour">Back to the tour</a></p></section>`;
  return { ...common, body };
}

const common = { title: "Crash tour", place: "/tour" } as const;

const closed: Page = {
  title: "Nothing here",
  status: 404,
  body: html`<p class="fault" role="alert">There is no crash tour in this stage.</p><p><a href="/">To the dashboard</a></p>`,
};

interface Stop {
  readonly title: string;
  readonly happens: string;
  readonly because: string;
}

const tour: Readonly<Record<string, Stop>> = {
  "lose-answer": {
    title: "Lose the answer",
    happens: "All of the work is done, and the connection ends without an answer.",
    because:
      "The answer was kept with the payment in one commit, so the retry got the same bytes again and did no work.",
  },
  "crash-after-t1": {
    title: "Crash after the first commit",
    happens: "The instance dies once the key, the payment and the attempt stand in the ledger; no money was asked for.",
    because:
      "The retry found the attempt that the dead worker had written, took it over as generation 2, and asked the card network under that attempt's own key.",
  },
  "crash-after-acquirer": {
    title: "Crash after the money moved",
    happens: "The instance dies once the card network has answered; our ledger does not know yet.",
    because:
      "The retry repeated the network's call under the attempt's own key, so the network gave its first answer again and moved no money twice.",
  },
  "run-twice": {
    title: "Run twice at once",
    happens: "Two instances get the request at the same time.",
    because: "Only one of them could create the key's record; the other one waited and got its answer.",
  },
};

const paymentForm = {
  ...{ amount: "2000", currency: "usd", confirm: "true", payment_method: "pm_card_visa" },
  ...{ description: "A stop of the crash tour", "payment_method_types[0]": "card" },
} as const;

async function pay({ ports, session }: Visit, key: string, headers: Readonly<Record<string, string>>) {
  const send = { form: paymentForm, idempotencyKey: key };
  const answer = await ports.api.call({ apiKey: session.apiKey, path: "/v1/payment_intents", send, headers });
  if (answer.kind === "answered" && answer.status === 401) throw keyRefused();
  return answer;
}

function rowOf(name: string, answer: MerchantAnswer): Insertable[] {
  if (answer.kind === "silent") return [name, html`${chip("failed")} No answer.`, "unknown"];
  const body = fieldsOf(answer.body);
  const seen: Markup | string = answer.isReplay ? html` ${chip("replayed")} The first answer, again.` : "";
  const id = textIn(body, "id");
  return [name, html`HTTP ${answer.status}${seen}`, id === "" ? "" : idLink("/payments", id)];
}
