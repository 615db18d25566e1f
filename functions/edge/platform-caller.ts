/**
 * The second gate of a function that only the platform calls: is the token's account the expected one, and is it for us?
 * It never checks a signature: Cloud Run has verified it and taken it off (facts on clients, section 8), so a function
 * that is reachable without Cloud Run's own check must not rely on this.
 */
import { type DomainError, refuse } from "../domain/errors.ts";
import { headerValues, type WireRequest } from "./wire.ts";

/**
 * Lets through a call whose token was issued by Google for this very service to the expected service account.
 * The audience is `https://` and the request's Host: no function knows its own URL (design section 2).
 * @returns that base URL: the token proves that it is this service's own
 * @throws DomainError `caller_refused`, which says what was wrong and nothing of the token
 */
export function requirePlatformCaller(request: WireRequest, account: string, nowMs: number): string {
  const claims = readClaims(request);
  if (claims === undefined) throw refused("there is no identity token");
  if (!issuers.has(claims["iss"])) throw refused("the token is not from Google");
  if (claims["email"] !== account || claims["email_verified"] !== true) throw refused("the token is another account's");
  const ownUrl = `https://${headerValues(request, "host")[0] ?? ""}`;
  if (claims["aud"] !== ownUrl) throw refused("the token is for another service");
  if (typeof claims["exp"] !== "number" || claims["exp"] * 1000 <= nowMs) throw refused("the token has expired");
  return ownUrl;
}

/** Both spellings that Google has used. */
const issuers: ReadonlySet<unknown> = new Set(["https://accounts.google.com", "accounts.google.com"]);

/** A JWT of Google's has well under 2,000 characters; longer text is not worth decoding. */
const tokenLengthMax = 8_192;

function readClaims(request: WireRequest): Readonly<Record<string, unknown>> | undefined {
  const [authorization, ...more] = headerValues(request, "authorization");
  if (authorization === undefined || more.length > 0 || authorization.length > tokenLengthMax) return undefined;
  const payload = /^Bearer [\w-]+\.([\w-]+)\.[\w-]*$/i.exec(authorization)?.[1];
  if (payload === undefined) return undefined;
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, "base64url").toString("utf8"));
    return typeof claims === "object" && claims !== null ? (claims as Record<string, unknown>) : undefined;
  } catch {
    // What is not JSON is no token; the text may be a secret, so it is not kept as a cause.
    return undefined;
  }
}

function refused(reason: string): DomainError {
  return refuse("caller_refused", `This function only answers its platform: ${reason}.`);
}
