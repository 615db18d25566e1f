/**
 * The dashboard: a merchant's window on payments, deliveries and dead letters, in pages made on the server.
 * It must never show what the merchant's own key may not see, nor answer a form that changed something with a page: a redirect does.
 */
import type { Session } from "../domain/dashboard-session.ts";
import { DomainError, type ErrorCode, hasCode } from "../domain/errors.ts";
import { rateLimiter } from "../flows/limit-rate.ts";
import { dashboardScript } from "./dashboard-assets.ts";
import { queryFields, sessionForm } from "./dashboard-forms.ts";
import { assetResponse, type Page, pageResponse, seeOther } from "./dashboard-page.ts";
import { type DashboardRoute, findDashboardRoute } from "./dashboard-routes.ts";
import { readSession } from "./dashboard-session.ts";
import { allLimit, clientLimit, endSession, type SignInLimits, signIn, signInPage } from "./dashboard-sign-in.ts";
import { dashboardStyle } from "./dashboard-style.ts";
import { ask, type DashboardPorts, type Visit } from "./dashboard-visit.ts";
import { html } from "./html.ts";
import { headerValues, jsonResponse, pathOf, type WireHandler, type WireRequest, type WireResponse } from "./wire.ts";

/** The handler. Beside the pages of `dashboard-routes.ts` it has the sign-in, its two assets and `GET /health`. */
export function dashboard(ports: DashboardPorts): WireHandler {
  const limits = { perClient: rateLimiter(ports, clientLimit), together: rateLimiter(ports, allLimit) };
  return async (request) => {
    const session = readSession(ports, request);
    try {
      return (await open(ports, limits, request)) ?? (await signedIn(ports, session, request));
    } catch (error) {
      if (hasCode(error, "api_key_invalid")) return endSession(request, "key_refused");
      return failure(ports, { session, hasTour: ports.hasTour }, error);
    }
  };
}

/** What everybody may ask for. */
async function open(
  ports: DashboardPorts,
  limits: SignInLimits,
  request: WireRequest,
): Promise<WireResponse | undefined> {
  const path = pathOf(request.target);
  const isGet = request.method === "GET" || request.method === "HEAD";
  if (isGet && path === "/health") return jsonResponse(200, { status: "ok" });
  if (isGet && path === "/dashboard.css") return assetResponse("text/css; charset=utf-8", dashboardStyle);
  if (isGet && path === "/dashboard.js") return assetResponse("text/javascript; charset=utf-8", dashboardScript);
  if (path !== "/sign-in") return undefined;
  if (request.method === "POST") return await signIn(ports, limits, request);
  if (!isGet) return notAllowed({ session: undefined, hasTour: false }, "GET, HEAD, POST");
  const ended = queryFields(request)("ended");
  return signInPage(ended === "signed_out" || ended === "key_refused" || ended === "over" ? ended : undefined);
}

async function signedIn(
  ports: DashboardPorts,
  session: Session | undefined,
  request: WireRequest,
): Promise<WireResponse> {
  // Without a session every path leads to the sign-in alike, so that nobody learns which there are.
  if (session === undefined) {
    const hadOne = headerValues(request, "cookie").some((header) => /(?:^|[; -])dashboard=[^;]/.test(header));
    return seeOther(`/sign-in${hadOne ? "?ended=over" : ""}`);
  }
  const path = pathOf(request.target);
  if (path === "/sign-out" && request.method === "POST") {
    sessionForm(request, session);
    return endSession(request, "signed_out");
  }
  const { route, id, allowed } = findDashboardRoute(request.method === "HEAD" ? "GET" : request.method, path);
  if (route === undefined) {
    const shown = { session, hasTour: ports.hasTour };
    return allowed === "" ? notFound(shown) : notAllowed(shown, allowed);
  }
  const visit = { ports, session, query: queryFields(request), id };
  if (route.method === "POST") {
    const end = await route.change(visit, sessionForm(request, session));
    return typeof end === "string" ? seeOther(end) : pageResponse(end, session, ports.hasTour);
  }
  const elsewhere = route.redirect?.(visit.query);
  if (elsewhere !== undefined) return seeOther(elsewhere);
  return pageResponse(await checkedPage(route, visit), session, ports.hasTour);
}

/** The page beside a look at the key: it ends the session of one that was revoked, whatever the page itself asks for. */
async function checkedPage(route: DashboardRoute & { method: "GET" }, visit: Visit): Promise<Page> {
  const [page] = await Promise.all([route.page(visit), ask(visit, "/v1/account")]);
  return page;
}

/** Whose page it is, and what its navigation holds. */
interface Shown {
  readonly session: Session | undefined;
  readonly hasTour: boolean;
}

/** What a query or a form says about itself, as a page; of anything else only the code is logged, its text may hold a value. */
function failure({ log }: DashboardPorts, shown: Shown, error: unknown): WireResponse {
  const code = error instanceof DomainError ? error.code : undefined;
  const status = code === undefined ? undefined : statuses[code];
  if (status !== undefined && error instanceof Error) return message(shown, status, "Not understood", error.message);
  log("ERROR", "dashboard failed", { code: code ?? (error instanceof Error ? error.name : typeof error) });
  return message(shown, 500, "Something went wrong", "The page could not be made. Reload it to try again.");
}

const statuses: Partial<Record<ErrorCode, number>> = {
  parameter_invalid: 400,
  body_invalid: 400,
  body_too_large: 413,
  media_type_unsupported: 415,
  caller_refused: 403,
};

function notFound(shown: Shown): WireResponse {
  return message(shown, 404, "Nothing here", "There is nothing at this address.");
}

function notAllowed(shown: Shown, allowed: string): WireResponse {
  const answer = message(shown, 405, "Not allowed", "This address is for something else.");
  return { ...answer, headers: { ...answer.headers, Allow: allowed } };
}

function message({ session, hasTour }: Shown, status: number, title: string, sentence: string): WireResponse {
  const body = html`<p class="fault" role="alert">${sentence}</p><p><a href="/">To the dashboard</a></p>`;
  return pageResponse({ title, body, status }, session, hasTour);
}
