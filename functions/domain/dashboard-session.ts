/**
 * Who is signed in at the dashboard: what a session holds, and how long it lasts.
 * It must never be written anywhere but sealed: it holds the merchant's API key.
 */
import { isApiKeyShaped } from "./accounts.ts";

/** A session, as it stands sealed in the browser's cookie; the dashboard itself keeps none. */
export interface Session {
  readonly apiKey: string;
  /** Account of the key, as the payments API named it at sign-in. */
  readonly accountId: string;
  /** What every form of this session carries, so that no other site can send one. */
  readonly formToken: string;
  /** When it ends, whatever is done with it. */
  readonly endsAtMs: number;
}

/** Eight hours, a working day: whoever finds the browser open tomorrow has to know the key. */
export const sessionMs = 8 * 60 * 60 * 1000;

/** The session as text, to be sealed. */
export function sessionText({ apiKey, accountId, formToken, endsAtMs }: Session): string {
  return JSON.stringify({ apiKey, accountId, formToken, endsAtMs });
}

/** The session in a text that was sealed here; undefined once it is over, or when it holds anything else. */
export function sessionOf(text: string, nowMs: number): Session | undefined {
  const { apiKey, accountId, formToken, endsAtMs } = JSON.parse(text) as Readonly<Record<string, unknown>>;
  if (typeof apiKey !== "string" || !isApiKeyShaped(apiKey)) return undefined;
  if (typeof accountId !== "string" || typeof formToken !== "string" || typeof endsAtMs !== "number") return undefined;
  // A session cannot last longer than one that begins now: a clock that was set back must not prolong it.
  if (nowMs >= endsAtMs || endsAtMs > nowMs + sessionMs) return undefined;
  return { apiKey, accountId, formToken, endsAtMs };
}

/** What people tell keys apart by. */
export function keyLabel({ apiKey }: Session): string {
  return `…${apiKey.slice(-4)}`;
}
