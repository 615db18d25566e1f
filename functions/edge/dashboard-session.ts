/**
 * The dashboard's session in the browser's cookie: sealed there, opened here, never kept on this side.
 * It must never take a cookie that was not sealed under a key of this stage, nor set one that a script can read.
 */
import { Buffer } from "node:buffer";
import { type Session, sessionMs, sessionOf, sessionText } from "../domain/dashboard-session.ts";
import type { SecretBox } from "../domain/secret-box.ts";
import { baseUrlOf } from "./base-url.ts";
import { headerValues, type WireRequest } from "./wire.ts";

/** What sessions need: the box opens what older versions of its key sealed, so that a new version signs nobody out. */
export interface SessionPorts {
  readonly sessions: SecretBox;
  readonly clock: { now(): number };
}

/** Who is signed in; undefined for nobody, and for a cookie that is over, changed, or from elsewhere. */
export function readSession({ sessions, clock }: SessionPorts, request: WireRequest): Session | undefined {
  const name = cookieName(request);
  const values = headerValues(request, "cookie")
    .flatMap((header) => header.split(";"))
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  const [value, ...others] = values;
  // A browser sends one. Two mean that somebody else set one for a wider domain, and nobody can tell which is which.
  if (value === undefined || others.length > 0 || value.length > cookieCharactersMax) return undefined;
  try {
    return sessionOf(Buffer.from(sessions.open(value, context)).toString("utf8"), clock.now());
  } catch {
    return undefined;
  }
}

/** The `Set-Cookie` of a sign-in. */
export function sessionCookie({ sessions }: SessionPorts, request: WireRequest, session: Session): string {
  const value = sessions.seal(Buffer.from(sessionText(session), "utf8"), context);
  return cookie(request, value, sessionMs / 1000);
}

/** The `Set-Cookie` that ends it. */
export function endedCookie(request: WireRequest): string {
  return cookie(request, "", 0);
}

/** A sealed text of another record, an endpoint's secret for example, is no session. */
const context = "dashboard session";

/** A key of 255 characters sealed with the rest is below 900. */
const cookieCharactersMax = 2_000;

/**
 * Strict: no page of another site leads here signed in, and nothing links here from outside. `__Host-` where there is
 * https: no other host of the domain can set it. On a laptop's plain http a browser refuses that name.
 */
function cookie(request: WireRequest, value: string, maxAgeSeconds: number): string {
  const secure = isSecure(request) ? "; Secure" : "";
  return `${cookieName(request)}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAgeSeconds}${secure}`;
}

function cookieName(request: WireRequest): string {
  return isSecure(request) ? "__Host-dashboard" : "dashboard";
}

function isSecure(request: WireRequest): boolean {
  return baseUrlOf(request).startsWith("https:");
}
