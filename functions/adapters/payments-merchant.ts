/**
 * The payments API as the dashboard calls it: each call with the key of the merchant who is signed in.
 * It must never hold a key of its own, or one for longer than a call.
 */
import type { MerchantApi } from "../flows/dashboard-ports.ts";
import { callPayments, type PaymentsService } from "./payments-call.ts";

/** The API; `readMs` and `writeMs` bound a call in milliseconds. */
export function merchantPayments(
  service: PaymentsService & { readonly readMs?: number; readonly writeMs?: number },
): MerchantApi {
  const { readMs = defaultReadMs, writeMs = defaultWriteMs } = service;
  return {
    call: async ({ apiKey, path, query, send, headers = {} }) => {
      const search = new URLSearchParams(query).toString();
      const answer = await callPayments(service, {
        target: `${path}${search === "" ? "" : `?${search}`}`,
        headers: {
          ...headers,
          Authorization: `Bearer ${apiKey}`,
          ...(send === undefined ? {} : { "Idempotency-Key": send.idempotencyKey }),
        },
        form: send?.form,
        timeoutMs: send === undefined ? readMs : writeMs,
        bytesMax: answerBytesMax,
      });
      if (answer.kind === "silent") return answer;
      return {
        kind: "answered",
        status: answer.status,
        body: answer.body,
        requestId: answer.headers.get("Request-Id"),
        isReplay: answer.headers.get("Idempotent-Replayed") === "true",
      };
    },
  };
}

/** 4 s: a person waits for the page, and a page that says what is missing is better than none. */
const defaultReadMs = 4_000;

/** 15 s: a payment waits for the acquirer, 10 s at most, and some for the way. */
const defaultWriteMs = 15_000;

/** 4 MiB: a hundred payments with all that they can hold stay below 2 MiB. */
const answerBytesMax = 4 * 1024 * 1024;
