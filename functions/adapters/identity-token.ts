/**
 * Identity tokens of the function's own service account, from the platform's metadata server, for a closed service it calls.
 * It must never log a token or let one into an error, nor hand out one that may expire on its way.
 */
import type { Clock } from "../flows/ports.ts";

/** For whom, and from where. */
export interface IdentityTokenSource {
  /** Base URL of the service that will read the token; undefined where that service is open and wants none. */
  readonly audience: string | undefined;
  readonly clock: Pick<Clock, "now">;
  /** Default: the metadata server of the platform; plain HTTP, as it never leaves the machine. */
  readonly metadataUrl?: string;
}

/**
 * Gives the same token until five minutes before its end, then a new one; requests that wait for one share one call.
 * Undefined without an audience.
 * What it gives rejects with an Error when the metadata server does not answer in two seconds or not with a token.
 */
export function identityTokenFor(source: IdentityTokenSource): (() => Promise<string>) | undefined {
  const { audience, clock, metadataUrl = platformMetadataUrl } = source;
  if (audience === undefined || audience === "") return undefined;
  let held: Token | undefined;
  let coming: Promise<Token> | undefined;
  return async () => {
    if (held !== undefined && clock.now() < held.expiresAtMs - marginMs) return held.text;
    coming ??= fetchToken(metadataUrl, audience).finally(() => {
      coming = undefined;
    });
    held = await coming;
    return held.text;
  };
}

interface Token {
  readonly text: string;
  readonly expiresAtMs: number;
}

/** The name that every machine of Google's resolves to itself. */
const platformMetadataUrl = "http://metadata.google.internal";

/** Tokens live an hour; five minutes cover a slow call and two clocks that differ. */
const marginMs = 5 * 60 * 1000;

/** The server is on the same machine and answers in milliseconds; a caller waits ten seconds in all for the acquirer. */
const timeoutMs = 2_000;

async function fetchToken(metadataUrl: string, audience: string): Promise<Token> {
  const path = "/computeMetadata/v1/instance/service-accounts/default/identity";
  const response = await fetch(`${metadataUrl}${path}?audience=${encodeURIComponent(audience)}`, {
    // Without this header the server refuses, so that no request forged through a browser gets a token.
    headers: { "Metadata-Flavor": "Google" },
    redirect: "manual",
    signal: AbortSignal.timeout(timeoutMs),
  });
  const text = (await response.text()).trim();
  if (response.status !== 200) throw new Error(`The metadata server answered with status ${response.status}.`);
  return { text, expiresAtMs: endOf(text) };
}

/** End of the token's life, from its own claims; its signature is the business of whoever receives it. */
function endOf(text: string): number {
  const payload = /^[\w-]+\.([\w-]+)\.[\w-]+$/.exec(text)?.[1];
  try {
    const claims = JSON.parse(Buffer.from(payload ?? "", "base64url").toString("utf8")) as { exp?: unknown };
    if (typeof claims.exp === "number") return claims.exp * 1000;
  } catch {
    // The parser's error quotes the text, so it is not kept as a cause.
  }
  throw new Error("The metadata server answered with something that is no identity token.");
}
