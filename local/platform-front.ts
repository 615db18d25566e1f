// Plays the platform in front of a function: only who may invoke its service gets through, and its token's signature does not.
// It must never change anything in what it lets through but the token and, beside a token, the Host.

import { doorError } from "../functions/edge/front-door.ts";
import { headerValues, type WireHandler, type WireRequest, type WireResponse } from "../functions/edge/wire.ts";
import type { PlannedFunction } from "./plan.ts";
import { EVERYBODY } from "./plan-grants.ts";
import { plannedUrl } from "./plan-resources.ts";
import type { Rights } from "./rights.ts";
import type { TokenIssuer } from "./token-issuer.ts";

/** The handler behind Cloud Run's own check. A service that everybody may invoke gets every request as it is. */
export function platformFront(
  { rights, issuer }: { rights: Rights; issuer: TokenIssuer },
  { deployedName, service }: PlannedFunction,
  handler: WireHandler,
): WireHandler {
  const invoking = (member: string) => ({ member, permission: "run.routes.invoke", resource: service });
  const url = plannedUrl(deployedName);
  return async (request) => {
    if (rights.allows(invoking(EVERYBODY))) return await handler(request);
    const carried = carriedToken(request);
    if (carried === undefined) return denied(403, rights.refusalOf(invoking(EVERYBODY)) ?? "");
    const claims = issuer.check(carried.token);
    if (claims?.aud !== url)
      return denied(401, `UNAUTHENTICATED: what stands in ${carried.header} is no valid identity token for ${url}.`);
    const refusal = rights.refusalOf(invoking(memberOf(claims.email)));
    if (refusal !== undefined) return denied(403, refusal);
    return await handler(arriving(request, carried, url));
  };
}

/** A token and the header that it came in. */
type Carried = { header: string; token: string };

/**
 * The header of its own wins: it leaves `Authorization` to the application's key. Such a key is no token, and whoever
 * sends nothing else has none.
 */
function carriedToken(request: WireRequest): Carried | undefined {
  const header = ["x-serverless-authorization", "authorization"].find((name) => headerValues(request, name).length > 0);
  if (header === undefined) return undefined;
  const token = /^Bearer ([\w-]+\.[\w-]+\.[\w-]*)$/i.exec(headerValues(request, header)[0] ?? "")?.[1];
  return token === undefined ? undefined : { header, token };
}

/** The plan knows accounts of services; everybody else who has a token is a person. */
function memberOf(email: string): string {
  return `${email.endsWith(".gserviceaccount.com") ? "serviceAccount" : "user"}:${email}`;
}

/** What reaches the function: the signature is gone, and the Host is the one that the token was issued for. */
function arriving(request: WireRequest, { header, token }: Carried, url: string): WireRequest {
  const headers = new Map(request.headers);
  headers.set(header, [`Bearer ${token.slice(0, token.lastIndexOf("."))}.SIGNATURE_REMOVED_BY_GOOGLE`]);
  headers.set("host", [new URL(url).host]);
  return { ...request, headers };
}

function denied(status: 401 | 403, message: string): WireResponse {
  return doorError(status, "invalid_request_error", message);
}
