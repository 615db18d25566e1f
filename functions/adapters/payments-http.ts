/**
 * The payments API over HTTP, as a merchant's own server calls it: a form, an API key, an idempotency key.
 * It must never follow a redirect, take silence for an answer, or let a word of a foreign body into a reason.
 */
import type { PaymentNews, PaymentStatus } from "../domain/order.ts";
import type { PayAnswer, PayOrder, ShopPayments } from "../flows/shop-ports.ts";

/**
 * The API behind `baseUrl` (without a trailing slash).
 * @throws Error at once when the key cannot stand in a header; the text does not contain it
 */
export function httpPayments(target: PaymentsTarget): ShopPayments {
  // Checked here because fetch would quote the whole header in its error.
  if (!/^[\x21-\x7e]+$/.test(target.apiKey)) throw new Error("The shop's API key is empty or not printable ASCII.");
  return {
    pay: (order) =>
      call(target, "/v1/payment_intents", {
        key: order.idempotencyKey,
        form: {
          amount: String(order.amountMinor),
          currency: order.currency,
          "metadata[order_id]": order.orderId,
          ...confirmation(order),
          confirm: "true",
        },
      }),
    payAgain: (order) =>
      call(target, `/v1/payment_intents/${encodeURIComponent(order.intentId)}/confirm`, {
        key: order.idempotencyKey,
        form: confirmation(order),
      }),
    look: (intentId) => call(target, `/v1/payment_intents/${encodeURIComponent(intentId)}`),
  };
}

/** Where the API is, and as whom to call it. */
export interface PaymentsTarget {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Gives the token that the platform in front of a closed API wants; absent where the API is open. */
  readonly identityToken?: (() => Promise<string>) | undefined;
  /** Default: what the API takes at most, and some for the way; in milliseconds. */
  readonly timeoutMs?: number;
}

/** 15 s: a call to the acquirer takes 10 s at most; three calls and their pauses still fit into the minute of a request. */
const defaultTimeoutMs = 15_000;

/** 256 KiB: an intent is below 16 KiB with all that it can hold. */
const answerBytesMax = 256 * 1024;

/** A POST with a key and a form, or a GET. */
interface Sent {
  readonly key: string;
  readonly form: Readonly<Record<string, string>>;
}

const confirmation = ({ cardToken, returnUrl }: PayOrder) => ({ payment_method: cardToken, return_url: returnUrl });

/** Never rejects: what goes wrong on the way is no answer, and the caller asks again under the same key. */
async function call(target: PaymentsTarget, path: string, sent?: Sent): Promise<PayAnswer> {
  const signal = AbortSignal.timeout(target.timeoutMs ?? defaultTimeoutMs);
  try {
    const response = await fetch(`${target.baseUrl}${path}`, {
      method: sent === undefined ? "GET" : "POST",
      headers: await headersFor(target, sent),
      ...(sent === undefined ? {} : { body: new URLSearchParams(sent.form) }),
      redirect: "manual",
      signal,
    });
    const text = await readBounded(response);
    if (text === undefined) return unknown("its answer is too long");
    return answerOf(response.status, response.headers, parsed(text));
  } catch {
    // The error may quote a header or an address; that there was none is all there is to tell.
    return unknown("there was no answer");
  }
}

async function headersFor({ apiKey, identityToken }: PaymentsTarget, sent: Sent | undefined) {
  return {
    Authorization: `Bearer ${apiKey}`,
    ...(sent === undefined ? {} : { "Idempotency-Key": sent.key }),
    ...(identityToken === undefined ? {} : { "X-Serverless-Authorization": `Bearer ${await identityToken()}` }),
  };
}

async function readBounded(response: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength;
    // Leaving the loop cancels the body and closes its connection.
    if (length > answerBytesMax) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function answerOf(status: number, headers: Headers, body: Fields): PayAnswer {
  const isReplay = headers.get("Idempotent-Replayed") === "true";
  const error = fieldsOf(body["error"]);
  // A decline carries the payment as it stands after it (contract section 5.3).
  const news = newsIn(status === 200 ? body : status === 402 ? fieldsOf(error["payment_intent"]) : {});
  if (news !== undefined) return { kind: "news", news, isReplay };
  const shouldRetry = headers.get("Stripe-Should-Retry");
  const isTransient = status >= 500 || status === 409 || status === 429 || status < 300;
  const reason = `status ${status}${isCode(error["code"]) ? `, ${error["code"]}` : ""}`;
  return (shouldRetry === null ? isTransient : shouldRetry === "true") ? unknown(reason) : { kind: "refused", reason };
}

/** Codes are words of ours; whatever has another form is not repeated. */
function isCode(value: unknown): value is string {
  return typeof value === "string" && /^[a-z_]{1,64}$/.test(value);
}

function unknown(reason: string): PayAnswer {
  return { kind: "unknown", reason };
}

type Fields = Readonly<Record<string, unknown>>;

function newsIn(intent: Fields): PaymentNews | undefined {
  const { object, id, status, amount_received: received, currency, last_payment_error: failure } = intent;
  if (object !== "payment_intent" || typeof id !== "string" || !isStatus(status)) return undefined;
  if (typeof received !== "number" || !Number.isSafeInteger(received) || typeof currency !== "string") return undefined;
  const { message } = fieldsOf(failure);
  const { url } = fieldsOf(fieldsOf(intent["next_action"])["redirect_to_url"]);
  return {
    kind: "payment",
    version: null,
    intentId: id,
    status,
    receivedMinor: BigInt(received),
    currency,
    failure: typeof message === "string" ? message : null,
    // It becomes a link on a page, so nothing but a web address may pass.
    actionUrl: typeof url === "string" && /^https?:\/\/[\x21-\x7e]+$/.test(url) ? url : null,
  };
}

const statuses: ReadonlySet<unknown> = new Set<PaymentStatus>([
  "requires_payment_method",
  "requires_confirmation",
  "requires_action",
  "processing",
  "requires_capture",
  "succeeded",
  "canceled",
]);

function isStatus(value: unknown): value is PaymentStatus {
  return statuses.has(value);
}

function parsed(text: string): Fields {
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return {};
  }
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}
