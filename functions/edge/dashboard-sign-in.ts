/**
 * Signing in with an API key, and out again: the payments API says whether the key is good, and whose it is.
 * It must never show, log or keep the key: it goes into the sealed cookie and nowhere else.
 */
import { isApiKeyShaped } from "../domain/accounts.ts";
import { sessionMs } from "../domain/dashboard-session.ts";
import { hasCode } from "../domain/errors.ts";
import { fieldsOf } from "../domain/payment-news.ts";
import type { LimitRate } from "../flows/limit-rate.ts";
import { formOf } from "./dashboard-forms.ts";
import { home, pageResponse, seeOther } from "./dashboard-page.ts";
import { endedCookie, sessionCookie } from "./dashboard-session.ts";
import type { DashboardPorts } from "./dashboard-visit.ts";
import { html } from "./html.ts";
import { headerValues, type WireRequest, type WireResponse } from "./wire.ts";

/** `GET /sign-in`. `ended` says why somebody is here who was signed in. */
export function signInPage(ended: "signed_out" | "over" | "key_refused" | undefined): WireResponse {
  return form(200, ended === undefined ? undefined : { text: reasons[ended], isBad: ended !== "signed_out" });
}

/** `POST /sign-in`: a session for a key that the payments API knows. */
export async function signIn(ports: DashboardPorts, limits: SignInLimits, request: WireRequest): Promise<WireResponse> {
  const field = formOf(request);
  try {
    limits.perClient(clientOf(request));
    limits.together("all");
  } catch (error) {
    if (!hasCode(error, "rate_limit")) throw error;
    return form(429, { text: "Too many tries from here. Wait a minute and try again.", isBad: true });
  }
  const apiKey = field("api_key");
  // What no key looks like is not worth a call.
  if (apiKey === undefined || !isApiKeyShaped(apiKey)) return form(400, wrongKey);
  const answer = await ports.api.call({ apiKey, path: "/v1/account" });
  if (answer.kind === "answered" && answer.status === 401) return form(400, wrongKey);
  const accountId = answer.kind === "answered" && answer.status === 200 ? fieldsOf(answer.body)["id"] : undefined;
  if (typeof accountId !== "string") {
    ports.log("WARNING", "dashboard sign-in failed", { reason: answer.kind === "silent" ? answer.reason : "status" });
    return form(503, { text: "The payments API did not say whether the key is good. Try again soon.", isBad: true });
  }
  const session = { apiKey, accountId, formToken: ports.random.token(), endsAtMs: ports.clock.now() + sessionMs };
  ports.log("INFO", "dashboard signed in", { accountId });
  return seeOther(home, { "Set-Cookie": sessionCookie(ports, request, session) });
}

/** Ends the session in this browser, and tells why. */
export function endSession(request: WireRequest, why: "signed_out" | "key_refused"): WireResponse {
  return seeOther(`/sign-in?ended=${why}`, { "Set-Cookie": endedCookie(request) });
}

/** How often somebody may try: each address, and all of them together at one instance. */
export interface SignInLimits {
  readonly perClient: LimitRate;
  readonly together: LimitRate;
}

/** Ten at once and one a second: a person who mistypes never meets it, a list of keys takes years. */
export const clientLimit = { perSecond: 1, burst: 10 } as const;

/** Whoever has many addresses still costs the payments API no more than a busy merchant does. */
export const allLimit = { perSecond: 10, burst: 50 } as const;

const reasons = {
  signed_out: "You are signed out.",
  over: "Your session is over. Sign in again.",
  key_refused: "Your API key is not valid any more, so you were signed out.",
} as const;

const wrongKey = { text: "This is not a valid API key.", isBad: true } as const;

/** The last address that the platform's front wrote down is the one that it saw; those before it are a client's word. */
function clientOf(request: WireRequest): string {
  const seen = headerValues(request, "x-forwarded-for").join(",").split(",").at(-1)?.trim() ?? "";
  return seen === "" ? "unknown" : seen.slice(0, 64);
}

/** The key is never put back into the form: what was typed may be another secret. */
function form(status: number, notice: { readonly text: string; readonly isBad: boolean } | undefined): WireResponse {
  const body = html`<form method="post" action="/sign-in" class="panel narrow">
<label>API key<input type="password" name="api_key" required maxlength="255" autocomplete="current-password" spellcheck="false"${notice?.isBad && html` aria-invalid="true"`}></label>
<p class="soft">A secret key, <code>sk_test_…</code>. It stays encrypted in this browser for eight hours at most; the dashboard keeps no copy.</p>
<p class="actions"><button>Sign in</button></p>
</form>`;
  return pageResponse({ title: "Sign in", body, status, notice }, undefined);
}
