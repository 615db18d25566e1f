// The headers that tell a client which request an answer belongs to, and the envelope of lists.
// It must never need a server: both are values.
import { validateHeaderValue } from "node:http";
import { answerHeaders } from "../../functions/edge/answer-headers.ts";
import { renderPaymentIntent } from "../../functions/edge/expand.ts";
import { listBody } from "../../functions/edge/list.ts";
import { aPaidView } from "../support/payment-fixtures.ts";
import { expectValid } from "../support/schemas.ts";

const facts = { requestId: "req_2", stripeVersion: "2025-01-27.acacia", idempotencyKey: "order-1" } as const;

describe("the headers of a stored answer", () => {
  test("at first execution name this request twice and advise against a retry", () => {
    const headers = answerHeaders({ ...facts, origin: { kind: "stored", firstRequestId: "req_2", replayed: false } });
    expect(headers).toEqual({
      "Content-Type": "application/json",
      "Cache-Control": "no-cache, no-store",
      "Request-Id": "req_2",
      "Stripe-Version": "2025-01-27.acacia",
      "Idempotency-Key": "order-1",
      "Original-Request": "req_2",
      "Stripe-Should-Retry": "false",
    });
  });

  test("on a replay name the first request and say that it is one", () => {
    const headers = answerHeaders({ ...facts, origin: { kind: "stored", firstRequestId: "req_1", replayed: true } });
    expect(headers).toMatchObject({
      "Request-Id": "req_2",
      "Original-Request": "req_1",
      "Idempotent-Replayed": "true",
      "Stripe-Should-Retry": "false",
    });
  });
});

describe("the headers of any other answer", () => {
  test.each([
    [true, "true"],
    [false, "false"],
    [null, undefined],
  ])("with retry advice %s have Stripe-Should-Retry %s and no original request", (shouldRetry, value) => {
    const headers = answerHeaders({ ...facts, origin: { kind: "unstored", shouldRetry } });
    expect(headers["Stripe-Should-Retry"]).toBe(value);
    expect(Object.keys(headers)).not.toContain("Original-Request");
    expect(Object.keys(headers)).not.toContain("Idempotent-Replayed");
  });

  test("without key and version show the version served and no key", () => {
    const headers = answerHeaders({
      requestId: "req_2",
      stripeVersion: undefined,
      idempotencyKey: undefined,
      origin: { kind: "unstored", shouldRetry: null },
    });
    expect(headers["Stripe-Version"]).toBe("2026-10-28.endive");
    expect(Object.keys(headers)).not.toContain("Idempotency-Key");
  });

  test.each(["a\r\nSet-Cookie: b", "\u0000", "ключ"])("do not repeat a key that no header may hold (%j)", (key) => {
    const headers = answerHeaders({ ...facts, idempotencyKey: key, origin: { kind: "unstored", shouldRetry: null } });
    expect(Object.keys(headers)).not.toContain("Idempotency-Key");
  });

  test("repeat every key that Node itself lets in", () => {
    const key = 'a b,c;"d" Ã©\t~';
    const headers = answerHeaders({ ...facts, idempotencyKey: key, origin: { kind: "unstored", shouldRetry: null } });
    expect(headers["Idempotency-Key"]).toBe(key);
    expect(() => validateHeaderValue("Idempotency-Key", key)).not.toThrow();
  });
});

describe("a list", () => {
  test("has exactly the four fields that the client reads", () => {
    const data = [renderPaymentIntent(aPaidView(), ["latest_charge"]), renderPaymentIntent(aPaidView(), [])];
    const body = listBody({ url: "/v1/payment_intents", data, hasMore: true });
    expectValid("list", JSON.parse(JSON.stringify(body)));
    expect(body).toMatchObject({ object: "list", url: "/v1/payment_intents", has_more: true });
  });

  test("never promises more after an empty page", () => {
    expect(listBody({ url: "/v1/payment_intents", data: [], hasMore: true }).has_more).toBe(false);
  });
});
