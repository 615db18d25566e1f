// One call that a product of the platform makes over HTTP to a function, with a signed identity token of the caller's account.
// It must never follow a redirect, wait longer than it is told, or reject: no answer is an outcome too.

import type { TokenIssuer } from "./token-issuer.ts";

/** What a call needs. */
export type PlatformCallDependencies = {
  issuer: TokenIssuer;
  /** Undefined when the product may sign tokens of the account, else the reason. */
  maySign(account: string): string | undefined;
};

/** The call; `url` is an address of this machine. */
export type PlatformCall = {
  url: string;
  method: string;
  headers: Readonly<Record<string, string>>;
  body: Uint8Array | undefined;
  /** Undefined for a call without an identity. */
  token: { account: string; audience: string } | undefined;
  timeoutMs: number;
};

/** The answer, or that there was none. `text` is its beginning, for a log line. */
export type PlatformAnswer = { status: number; headers: Headers; text: string } | { status: 0; reason: string };

/** Makes the call; its deadline is real time, as the clock does not jump during it. */
export async function platformCall(
  { issuer, maySign }: PlatformCallDependencies,
  { url, method, headers, body, token, timeoutMs }: PlatformCall,
  ending: AbortSignal,
): Promise<PlatformAnswer> {
  const refusal = token && maySign(token.account);
  if (refusal !== undefined) return { status: 0, reason: refusal };
  try {
    const response = await fetch(url, {
      method,
      headers: { ...headers, ...(token === undefined ? {} : { Authorization: `Bearer ${issuer.issue(token)}` }) },
      ...(body === undefined ? {} : { body: new Uint8Array(body) }),
      redirect: "manual",
      signal: AbortSignal.any([ending, AbortSignal.timeout(timeoutMs)]),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text: text.slice(0, TEXT_CHARACTERS_MAX) };
  } catch (error) {
    return { status: 0, reason: (error as Error).name };
  }
}

/** Enough for the sentence that names a missing role. */
const TEXT_CHARACTERS_MAX = 500;
