/**
 * The payments API over HTTP, as a merchant's own server calls it: a form, an API key, an idempotency key.
 * It must never follow a redirect, take silence for an answer, or let a word of a foreign body into a reason.
 */
import { type Fields, fieldsOf, paymentNewsOf } from "../domain/payment-news.ts";
import type { EndpointAnswer, PayAnswer, PayOrder, ShopPayments } from "../flows/shop-ports.ts";
import { callPayments, type PaymentsService } from "./payments-call.ts";

/**
 * The API behind `baseUrl` (without a trailing slash).
 * @throws Error at once when the key cannot stand in a header; the text does not contain it
 */
export function httpPayments(target: PaymentsTarget): ShopPayments {
  // Checked here because fetch would quote the whole header in its error.
  if (!/^[\x21-\x7e]+$/.test(target.apiKey)) throw new Error("The shop's API key is empty or not printable ASCII.");
  return {
    pay: (order) =>
      call(target, "/v1/payment_intents", answerOf, {
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
      call(target, `/v1/payment_intents/${encodeURIComponent(order.intentId)}/confirm`, answerOf, {
        key: order.idempotencyKey,
        form: confirmation(order),
      }),
    look: (intentId) => call(target, `/v1/payment_intents/${encodeURIComponent(intentId)}`, answerOf),
    makeEndpoint: ({ url, idempotencyKey }) =>
      call(target, "/v1/webhook_endpoints", endpointOf, {
        key: idempotencyKey,
        form: { url, "enabled_events[0]": "*", description: "The sample shop" },
      }),
  };
}

/** Where the API is, and as whom to call it. */
export interface PaymentsTarget extends PaymentsService {
  readonly apiKey: string;
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
async function call<Answer>(
  target: PaymentsTarget,
  path: string,
  read: (status: number, headers: Headers, body: Fields) => Answer,
  sent?: Sent,
): Promise<Answer | Failure> {
  const answer = await callPayments(target, {
    target: path,
    headers: {
      Authorization: `Bearer ${target.apiKey}`,
      ...(sent === undefined ? {} : { "Idempotency-Key": sent.key }),
    },
    form: sent?.form,
    timeoutMs: target.timeoutMs ?? defaultTimeoutMs,
    bytesMax: answerBytesMax,
  });
  if (answer.kind === "answered") return read(answer.status, answer.headers, answer.body);
  return unknown(answer.reason === "too_long" ? "its answer is too long" : "there was no answer");
}

function answerOf(status: number, headers: Headers, body: Fields): PayAnswer {
  const isReplay = headers.get("Idempotent-Replayed") === "true";
  const error = fieldsOf(body["error"]);
  // A decline carries the payment as it stands after it (contract section 5.3).
  const news = paymentNewsOf(status === 200 ? body : status === 402 ? fieldsOf(error["payment_intent"]) : {}, null);
  if (news !== undefined) return { kind: "news", news, isReplay };
  return failureOf(status, headers, error);
}

/** The secret of a new endpoint, which only this answer holds. */
function endpointOf(status: number, headers: Headers, body: Fields): EndpointAnswer {
  const { object, secret } = body;
  if (status === 200 && object === "webhook_endpoint" && typeof secret === "string") return { kind: "made", secret };
  return failureOf(status, headers, fieldsOf(body["error"]));
}

function failureOf(status: number, headers: Headers, error: Fields): Failure {
  const shouldRetry = headers.get("Stripe-Should-Retry");
  const isTransient = status >= 500 || status === 409 || status === 429 || status < 300;
  const reason = `status ${status}${isCode(error["code"]) ? `, ${error["code"]}` : ""}`;
  return (shouldRetry === null ? isTransient : shouldRetry === "true") ? unknown(reason) : { kind: "refused", reason };
}

/** Codes are words of ours; whatever has another form is not repeated. */
function isCode(value: unknown): value is string {
  return typeof value === "string" && /^[a-z_]{1,64}$/.test(value);
}

/** What is not the answer that was asked for. */
type Failure = Extract<EndpointAnswer, { readonly reason: string }>;

function unknown(reason: string): Failure {
  return { kind: "unknown", reason };
}
