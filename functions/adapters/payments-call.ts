/**
 * One HTTP call of the payments API, bounded in time and bytes.
 * It must never follow a redirect, reject, or let a header or a foreign word into what it says of a failure.
 */
import { type Fields, fieldsOf } from "../domain/payment-news.ts";

/** Where the API is, and how its platform lets a caller in. */
export interface PaymentsService {
  /** Base URL without a trailing slash. */
  readonly baseUrl: string;
  /** Gives the token that the platform in front of a closed API wants; absent where the API is open. */
  readonly identityToken?: (() => Promise<string>) | undefined;
  /** Gives the place in the trace that the API's own spans go under. */
  readonly traceparent?: (() => string | undefined) | undefined;
}

/** What is sent: a form makes it a POST. */
export interface PaymentsRequest {
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly form?: Readonly<Record<string, string>> | undefined;
  readonly timeoutMs: number;
  readonly bytesMax: number;
}

/** What came back; a body that is no JSON object has no members. */
export type PaymentsResponse =
  | { readonly kind: "answered"; readonly status: number; readonly headers: Headers; readonly body: Fields }
  | { readonly kind: "silent"; readonly reason: "slow" | "unreachable" | "too_long" };

/** Calls, and never rejects. */
export async function callPayments(service: PaymentsService, request: PaymentsRequest): Promise<PaymentsResponse> {
  const signal = AbortSignal.timeout(request.timeoutMs);
  try {
    const { identityToken, traceparent } = service;
    const trace = traceparent?.();
    const response = await fetch(`${service.baseUrl}${request.target}`, {
      method: request.form === undefined ? "GET" : "POST",
      headers: {
        ...request.headers,
        ...(trace === undefined ? {} : { traceparent: trace }),
        ...(identityToken === undefined ? {} : { "X-Serverless-Authorization": `Bearer ${await identityToken()}` }),
      },
      ...(request.form === undefined ? {} : { body: new URLSearchParams(request.form) }),
      redirect: "manual",
      signal,
    });
    const text = await readBounded(response, request.bytesMax);
    if (text === undefined) return { kind: "silent", reason: "too_long" };
    return { kind: "answered", status: response.status, headers: response.headers, body: parsed(text) };
  } catch {
    // The error may quote a header or an address; that there was no answer is all there is to tell.
    return { kind: "silent", reason: signal.aborted ? "slow" : "unreachable" };
  }
}

async function readBounded(response: Response, bytesMax: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength;
    // Leaving the loop cancels the body and closes its connection.
    if (length > bytesMax) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parsed(text: string): Fields {
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return {};
  }
}
