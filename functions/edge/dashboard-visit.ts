/**
 * One visit of somebody who is signed in: what the page is asked for, and the way to the payments API.
 * It must never call the API with another key than the session's, nor hold a page back because one part of it failed.
 */
import type { Session } from "../domain/dashboard-session.ts";
import { type DomainError, refuse } from "../domain/errors.ts";
import { type Fields, fieldsOf } from "../domain/payment-news.ts";
import type { MerchantAnswer, MerchantApi } from "../flows/dashboard-ports.ts";
import type { History } from "../flows/history-ports.ts";
import type { Clock, Log, Random } from "../flows/ports.ts";
import type { ReadField } from "./dashboard-forms.ts";
import { type Page, type Place, postForm } from "./dashboard-page.ts";
import type { SessionPorts } from "./dashboard-session.ts";
import { html } from "./html.ts";

/** What the dashboard runs on. */
export interface DashboardPorts extends SessionPorts {
  readonly api: MerchantApi;
  /** What was, by day and by key; the account is always the session's. */
  readonly history: History;
  /** Where a trace can be looked at, by its 32 hexadecimal digits; null where there is no such place. */
  readonly traceUrl: (traceId: string) => string | null;
  /** Whether the stage has the crash tour; never in prod. */
  readonly hasTour: boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** One visit. */
export interface Visit {
  readonly ports: DashboardPorts;
  readonly session: Session;
  /** Field of the address. */
  readonly query: ReadField;
  /** Id that the path names; empty when it names none. */
  readonly id: string;
}

/** A part of a page: what was found, that there is no such thing, or a sentence on what went wrong. */
export type Part<Value> =
  | { readonly kind: "there"; readonly value: Value }
  | { readonly kind: "missing" }
  | { readonly kind: "fault"; readonly sentence: string };

/**
 * Reads from the API as the merchant.
 * @throws DomainError `api_key_invalid` once the key is good no more: that ends the session
 */
export async function ask(
  { ports, session }: Visit,
  path: string,
  query: Readonly<Record<string, string>> = {},
): Promise<Part<Fields>> {
  return partOf(await ports.api.call({ apiKey: session.apiKey, path, query }));
}

/** Sends a form to the API as the merchant, under an idempotency key. @throws as `ask` */
export async function tell(
  { ports, session }: Visit,
  path: string,
  send: { readonly form: Readonly<Record<string, string>>; readonly idempotencyKey: string },
): Promise<Part<Fields>> {
  return partOf(await ports.api.call({ apiKey: session.apiKey, path, send }));
}

/** The part with another value. */
export function mapPart<From, To>(part: Part<From>, change: (value: From) => To): Part<To> {
  return part.kind === "there" ? { kind: "there", value: change(part.value) } : part;
}

/** The page after a form that did not come through: why, and the same form again, under the same key. */
export function failedForm(
  { session }: Visit,
  failed: {
    readonly title: string;
    readonly place: Place;
    readonly part: Part<Fields>;
    readonly action: string;
    readonly once: string;
  },
): Page {
  const { title, place, part, action, once } = failed;
  const sentence = part.kind === "fault" ? part.sentence : "There is nothing at this address any more.";
  const again = html`<input type="hidden" name="once" value="${once}" autocomplete="off"><button>Try again</button>`;
  const body = html`<p class="fault" role="alert">${sentence}</p><p class="soft">Trying again is safe: it is the same request, and is carried out once.</p>
<div class="actions">${postForm(session, action, again)}</div>`;
  return { title, place, status: part.kind === "missing" ? 404 : 502, body };
}

/** The error that ends a session. */
export function keyRefused(): DomainError {
  return refuse("api_key_invalid", "The API key is not valid any more.");
}

/** True for the random token of a form: part of its idempotency key, so that a form that is sent twice is one request. */
export function isOnce(text: string | undefined): text is string {
  return text !== undefined && /^[\w-]{24}$/.test(text);
}

function partOf(answer: MerchantAnswer): Part<Fields> {
  if (answer.kind === "silent") return { kind: "fault", sentence: silences[answer.reason] };
  const { status, requestId } = answer;
  if (status === 401) throw keyRefused();
  if (status === 404) return { kind: "missing" };
  const body = fieldsOf(answer.body);
  if (status === 200) return { kind: "there", value: body };
  const { message } = fieldsOf(body["error"]);
  const told = typeof message === "string" ? message : `The payments API answered with status ${status}.`;
  const asked = requestId !== null && /^req_\w{1,64}$/.test(requestId) ? ` (request ${requestId})` : "";
  return { kind: "fault", sentence: `${told}${asked}` };
}

const silences = {
  slow: "The payments API did not answer in time. Reload the page to try again.",
  unreachable: "The payments API could not be reached. Reload the page to try again.",
  too_long: "The answer of the payments API is larger than expected, so it is not shown.",
} as const;
