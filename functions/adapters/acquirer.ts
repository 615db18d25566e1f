/**
 * The acquirer over HTTP, as the test acquirer speaks it; a fork replaces this file by one for its own processor.
 * It must never take silence for an answer, follow a redirect, or let a word of a foreign body into an error.
 */
import type { AcquirerResult } from "../domain/attempt.ts";
import { DomainError, refuse } from "../domain/errors.ts";
import { defaultTimings } from "../domain/idempotency.ts";
import { type Currency, currencies } from "../domain/money.ts";
import type { Acquirer, AuthorizeOrder, FollowUpOrder, Lookup } from "../flows/acquirer-ports.ts";
import type { AcquirerListing, ListedLine, ListPage } from "../flows/reconciliation-ports.ts";

/**
 * The acquirer behind `baseUrl` (without a trailing slash).
 * @throws Error at once when the secret cannot stand in a header; the text does not contain it
 */
export function httpAcquirer(target: AcquirerTarget): Acquirer & AcquirerListing {
  // Checked here because fetch would quote the whole header in its error, for example when a stored secret ends in a newline.
  if (!/^[\x21-\x7e]+$/.test(target.secret)) throw new Error("The acquirer's secret is empty or not printable ASCII.");
  return {
    authorize: (order) => send(target, "/authorizations", authorizationOf(order)),
    capture: (order) => send(target, "/captures", followUpOf(order)),
    void: (order) => send(target, "/voids", followUpOf(order)),
    refund: (order) => send(target, "/refunds", followUpOf(order)),
    lookup: async (key) => lookupIn(await ask(target, "GET", `/orders/${encodeURIComponent(key)}`), key),
    voidKey: async ({ key, amountMinor, currency }) => {
      const order = { key, amount_minor: String(amountMinor), currency };
      requireAbout(objectOf(parsed(await ask(target, "POST", "/key-voids", order))), order);
    },
    list: async ({ fromMs, beforeMs }, cursor, limit) => {
      const asked = { from_ms: String(fromMs), before_ms: String(beforeMs), limit: String(limit) };
      const parameters = new URLSearchParams(cursor === null ? asked : { ...asked, cursor });
      return pageIn(await ask(target, "GET", `/orders?${parameters}`, undefined, pageBytesMax));
    },
  };
}

/** Where the acquirer is, and how long a call may take in all, body included. */
export interface AcquirerTarget {
  readonly baseUrl: string;
  readonly secret: string;
  /** Gives the token that the platform in front of a closed acquirer wants; absent where the acquirer is open. */
  readonly identityToken?: (() => Promise<string>) | undefined;
  /** Gives the place in the trace that the acquirer's own spans go under. */
  readonly traceparent?: (() => string | undefined) | undefined;
  /** Default: what the write path allows for one call, in milliseconds. */
  readonly timeoutMs?: number;
}

/** An order as the acquirer reads it; all text, so that no JSON reader can round an amount. */
type WireOrder = Readonly<Record<string, string>>;

function authorizationOf(order: AuthorizeOrder): WireOrder {
  const { key, currency } = order;
  const captureLater = order.captureLater ? { capture_later: "true" } : {};
  const returnUrl = order.challengeReturnUrl === null ? {} : { challenge_return_url: order.challengeReturnUrl };
  const authentication = order.authentication === null ? {} : { authentication: order.authentication };
  return {
    key,
    amount_minor: String(order.amountMinor),
    currency,
    payment_method: order.paymentMethodToken,
    ...captureLater,
    ...returnUrl,
    ...authentication,
  };
}

function followUpOf({ key, reference, amountMinor, currency }: FollowUpOrder): WireOrder {
  return { key, amount_minor: String(amountMinor), currency, reference };
}

async function send(target: AcquirerTarget, path: string, order: WireOrder): Promise<AcquirerResult> {
  const answer = objectOf(parsed(await ask(target, "POST", path, order)));
  requireAbout(answer, order);
  return resultOf(answer["result"]);
}

/** One call; the text of a 200, or an error that says whether the order was refused as such. */
async function ask(
  target: AcquirerTarget,
  method: "GET" | "POST",
  path: string,
  order?: WireOrder,
  bytesMax: number = answerBytesMax,
): Promise<string> {
  // Runs from here, so that the token's time counts too.
  const signal = AbortSignal.timeout(target.timeoutMs ?? defaultTimings.callTimeoutMs);
  try {
    const response = await fetch(`${target.baseUrl}${path}`, {
      method,
      headers: await headersFor(target),
      ...(order === undefined ? {} : { body: JSON.stringify(order) }),
      redirect: "manual",
      signal,
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      throw refusalOf(response.status);
    }
    return await readBounded(response, bytesMax);
  } catch (error) {
    if (error instanceof DomainError) throw error;
    throw silence("The acquirer did not answer.", error);
  }
}

/** The secret is for the acquirer; the platform takes its token from a header of its own and leaves `Authorization` alone. */
async function headersFor(target: AcquirerTarget): Promise<Record<string, string>> {
  const { secret, identityToken, traceparent } = target;
  const trace = traceparent?.();
  const headers = {
    Authorization: `Bearer ${secret}`,
    "Content-Type": "application/json",
    ...(trace === undefined ? {} : { traceparent: trace }),
  };
  if (identityToken === undefined) return headers;
  return { ...headers, "X-Serverless-Authorization": `Bearer ${await identityToken()}` };
}

/**
 * A 4xx says that the order was refused as such, so sending it again is of no use: a wrong secret, a key used for
 * another order. Except those that a platform in front of the acquirer answers when it is slow or busy.
 */
function refusalOf(status: number): DomainError {
  if (status >= 400 && status < 500 && !busyStatuses.includes(status)) {
    return refuse("internal", `The acquirer refused the order (status ${status}).`);
  }
  return silence(`The acquirer answered with status ${status}.`);
}

/** Request Timeout, Too Early, Too Many Requests. */
const busyStatuses: readonly number[] = [408, 425, 429];

/** 64 KiB: an answer is below 1 KiB; whatever is longer is not one. */
const answerBytesMax = 64 * 1024;

/** 256 KiB: a page of a hundred orders is below 100 KiB. */
const pageBytesMax = 256 * 1024;

async function readBounded(response: Response, bytesMax: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength;
    // Leaving the loop cancels the body and closes its connection.
    if (length > bytesMax) throw silence("The acquirer's answer is too long.");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** An answer counts only when it is about this very order. */
function requireAbout(answer: Readonly<Record<string, unknown>>, order: WireOrder): void {
  const isAboutOrder = Object.entries(order).every(([name, value]) => String(answer[name]) === value);
  if (!isAboutOrder) throw silence("The acquirer answered another order.");
}

/** How the key stands; a 200 with nothing found is an answer as well. */
function lookupIn(text: string, key: string): Lookup {
  const answer = objectOf(parsed(text));
  requireAbout(answer, { key });
  return lookupOf(answer);
}

function lookupOf(answer: Readonly<Record<string, unknown>>): Lookup {
  const { state, is_voided: isVoided } = answer;
  if (state === "none" || state === "running") return { kind: state };
  if (state !== "found" || typeof isVoided !== "boolean") throw unreadable();
  return { kind: "found", result: resultOf(answer["result"]), isVoided };
}

function pageIn(text: string): ListPage<ListedLine> {
  const { data, next } = objectOf(parsed(text));
  if (!Array.isArray(data) || (next !== null && typeof next !== "string")) throw unreadable();
  return { rows: data.map((row) => lineOf(objectOf(row))), next };
}

function lineOf(row: Readonly<Record<string, unknown>>): ListedLine {
  const { key, kind, amount_minor: amount, currency, created_at_ms: createdAtMs } = row;
  if (typeof key !== "string" || typeof amount !== "string" || !/^\d{1,15}$/.test(amount)) throw unreadable();
  if (kind !== "authorize" && kind !== "capture" && kind !== "void" && kind !== "refund") throw unreadable();
  if (typeof currency !== "string" || !Object.hasOwn(currencies, currency)) throw unreadable();
  if (!Number.isSafeInteger(createdAtMs)) throw unreadable();
  const order = { key, kind, amountMinor: BigInt(amount), currency: currency as Currency } as const;
  return { order: { ...order, createdAtMs: createdAtMs as number }, found: lookupOf(row) };
}

function resultOf(value: unknown): AcquirerResult {
  const { kind, reference, code, decline_code: declineCode, message, ...more } = objectOf(value);
  if (kind === "declined") {
    if (typeof code !== "string" || typeof message !== "string") throw unreadable();
    if (declineCode !== null && typeof declineCode !== "string") throw unreadable();
    return { kind, failure: { code, declineCode, message } };
  }
  if (typeof reference !== "string") throw unreadable();
  if (kind === "approved") return { kind, reference };
  const { settles_at_ms: settlesAtMs, page_url: pageUrl, outcome } = more;
  if (kind === "pending" && Number.isSafeInteger(settlesAtMs))
    return { kind, reference, settlesAtMs: settlesAtMs as number };
  if (kind !== "challenge" || typeof pageUrl !== "string" || !URL.canParse(pageUrl)) throw unreadable();
  if (outcome !== "waiting" && outcome !== "passed" && outcome !== "refused") throw unreadable();
  return { kind, reference, pageUrl, outcome };
}

/** The parser's error quotes what it read, so it is not kept as a cause. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unreadable();
  }
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) throw unreadable();
  return value as Record<string, unknown>;
}

function unreadable(): DomainError {
  return silence("The acquirer's answer cannot be read.");
}

/** No usable answer: the money may or may not have moved. */
function silence(message: string, cause?: unknown): DomainError {
  return refuse("acquirer_unknown", message, cause === undefined ? {} : { cause });
}
