/**
 * The idempotency inspector: one key from its first claim to the last delivery, and who came again with it.
 * It must never put a key into an address: those stand in logs, where a key has another name.
 */
import { hasCode, refuse } from "../domain/errors.ts";
import { keyIdentity, keyLengthMax } from "../domain/idempotency.ts";
import { type Fields, fieldsOf } from "../domain/payment-news.ts";
import type { KeyLine, LinePage } from "../flows/history-ports.ts";
import type { ReadField } from "./dashboard-forms.ts";
import { lastDays, past } from "./dashboard-history.ts";
import { type Page, postForm } from "./dashboard-page.ts";
import { isIntentId } from "./dashboard-payments.ts";
import { momentIn, storySections } from "./dashboard-story.ts";
import { ask, type Part, type Visit } from "./dashboard-visit.ts";
import { chip, empty, fact, idLink, moment, panel, table, textIn, wholeNumberIn } from "./dashboard-words.ts";
import { html, type Insertable, type Markup } from "./html.ts";

/** `GET /keys`: which key? */
export async function keysPage(visit: Visit): Promise<Page> {
  return { ...common, body: keyForm(visit) };
}

/** `POST /keys`: from the key to its page, whose address has the name that logs have for it. */
export async function findKey(visit: Visit, form: ReadField): Promise<string | Page> {
  try {
    const key = form("key");
    if (key === undefined) throw refuse("parameter_missing", "Write the key.", { param: "key" });
    if (key.length > keyLengthMax) {
      throw refuse("parameter_invalid", `A key has at most ${keyLengthMax} characters.`, { param: "key" });
    }
    return `/keys/${keyIdentity(visit.session.accountId, false, key)}`;
  } catch (error) {
    if (!hasCode(error, "parameter_missing", "parameter_invalid")) throw error;
    const body = html`<p class="fault" role="alert">${error.message}</p>${keyForm(visit)}`;
    return { ...common, status: 400, body };
  }
}

/** `GET /keys/:id`. */
export async function keyPage(visit: Visit): Promise<Page> {
  const { id, session, query } = visit;
  if (!/^[0-9a-f]{64}$/.test(id)) {
    return {
      ...common,
      status: 404,
      body: html`<p class="fault" role="alert">There is no key with this name.</p>${keyForm(visit)}`,
    };
  }
  const [life, lines] = await Promise.all([
    ask(visit, "/v1/idempotency_keys/life", { key_id: id }),
    past(visit, (history) =>
      history.keyLines({
        ...{ accountId: session.accountId, range: lastDays(visit, historyDays), limit: linesMax, keyId: id },
        before: query("before") ?? null,
      }),
    ),
  ]);
  const body = html`${keyPanel(life)}
${panel("Everybody who came with it", lines, (page) => linesTable(visit, page))}
${life.kind === "there" && storySections(life.value)}
${keyForm(visit)}`;
  return { ...common, body };
}

const common = { title: "Idempotency inspector", place: "/keys" } as const;

/** A key's answer is kept for a day; thirty show what came of a key that was used for weeks. */
const historyDays = 30;
const linesMax = 100;

function keyForm({ session }: Visit): Markup {
  const fields = html`<label>Idempotency key<input type="text" name="key" required maxlength="${keyLengthMax}" autocomplete="off" spellcheck="false"></label>
<p class="soft">As your server sent it in the header Idempotency-Key. A key is only yours: another account's key of the same name is another key.</p>
<p class="actions"><button>Inspect</button></p>`;
  return html`<section class="panel narrow"><h2>Look at a key</h2>${postForm(session, "/keys", fields)}</section>`;
}

function keyPanel(life: Part<Fields>): Markup {
  if (life.kind === "missing") {
    return html`<section class="panel"><h2>The key</h2>${empty("No request of yours has left a key like this, or its answer is long gone.")}</section>`;
  }
  return panel("The key", life, (fields) => {
    const record = fieldsOf(fields["record"]);
    const outcome = fieldsOf(record["outcome"]);
    const claim = fieldsOf(fields["claim"]);
    const resource = textIn(record, "resource");
    const status = wholeNumberIn(outcome, "status");
    const generation = wholeNumberIn(record, "generation") ?? wholeNumberIn(claim, "generation") ?? "";
    return html`<dl>
${fact("Key", html`<code>${textIn(fields, "idempotency_key")}</code>`)}
${fact("In the logs", html`<code>${textIn(fields, "key_id")}</code>`)}
${fact("State", chip(textIn(fields, "state")))}
${fact("Request", textIn(record, "path") === "" ? "" : html`<code>${textIn(record, "method")} ${textIn(record, "path")}</code>`)}
${fact("First request", html`<code>${textIn(record, "request") || textIn(claim, "request")}</code>`)}
${fact("Made", isIntentId(resource) ? idLink("/payments", resource) : resource)}
${fact("Answer", status === undefined ? "" : `HTTP ${status}, kept`)}
${fact("Replayed until", momentIn(record, "expires_at_ms"))}
${fact("Generation", generation)}
${fact("Taken over", momentIn(record, "taken_over_at_ms"))}
${fact("Cache", cacheWords(fields, claim))}
</dl>`;
  });
}

/** What the fast memory says; the ledger's row is the truth. */
function cacheWords(life: Fields, claim: Fields): string {
  const read = textIn(life, "claim_read");
  if (read !== "found")
    return read === "none" ? "knows nothing of it; the ledger does" : "did not answer; the ledger did";
  return `${textIn(claim, "state").replaceAll("_", " ")}, generation ${wholeNumberIn(claim, "generation") ?? "unknown"}`;
}

function linesTable(visit: Visit, { lines, next }: LinePage): Insertable {
  if (lines.length === 0)
    return empty("The logs know no request with it yet. They are some minutes behind in the cloud.");
  const requests = lines.filter(({ keyOutcome }) => keyOutcome !== null);
  const count = (...outcomes: readonly string[]) =>
    requests.filter(({ keyOutcome }) => outcomes.includes(keyOutcome ?? "")).length;
  const verdict = `${count("executed", "adopted")} did the work, ${count("replayed", "waited")} got the first answer again, ${count("in_use", "mismatch", "released")} were turned away.`;
  return html`<p>${verdict}</p>${table(
    "Newest first, from the logs",
    columns,
    lines.map((line) => rowOf(visit, line)),
  )}
${next !== null && html`<p class="actions"><a class="button quiet" href="/keys/${visit.id}?before=${encodeURIComponent(next)}">Older</a></p>`}`;
}

const columns = [
  { name: "When" },
  { name: "What" },
  { name: "Answer", isNumber: true },
  { name: "Request" },
  { name: "Trace" },
];

function rowOf({ ports }: Visit, line: KeyLine): Insertable[] {
  const { atMs, keyOutcome, message, service, generation, status, code, requestId, originalRequestId, traceId } = line;
  const href = traceId !== null && /^[0-9a-f]{32}$/.test(traceId) ? ports.traceUrl(traceId) : null;
  return [
    moment(atMs, true),
    html`${keyOutcome === null ? html`${message} <span class="soft">${service}</span>` : chip(keyOutcome)}${generation !== null && html` <span class="soft">generation ${generation}</span>`}`,
    html`${status ?? ""}${code !== null && html` <span class="soft">${code.replaceAll("_", " ")}</span>`}`,
    html`<code>${requestId}</code>${originalRequestId !== null && originalRequestId !== requestId && html` <span class="soft">again the answer of <code>${originalRequestId}</code></span>`}`,
    href === null
      ? html`<code>${traceId}</code>`
      : html`<a href="${href}">Trace <code>${traceId?.slice(0, 8)}</code></a>`,
  ];
}
