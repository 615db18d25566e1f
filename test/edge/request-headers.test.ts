// What the steering headers of a request say, and which are refused.
// It must never hold a key that looks real.
import { Buffer } from "node:buffer";
import { readApiKey, readIdempotencyKey, readStripeVersion, readWaitMs } from "../../functions/edge/request-headers.ts";
import type { WireRequest } from "../../functions/edge/wire.ts";
import { refusal } from "./parameter-matchers.ts";

function withHeader(name: string, ...values: readonly string[]): WireRequest {
  const headers = new Map(values.length === 0 ? [] : [[name, values]]);
  return { method: "POST", target: "/v1/payment_intents", headers, body: Buffer.alloc(0) };
}

describe("F06 the idempotency key", () => {
  const key = (...values: readonly string[]) => readIdempotencyKey(withHeader("idempotency-key", ...values));

  test("is undefined when absent", () => {
    expect(key()).toBeUndefined();
  });

  test.each(["K", "k", '"quoted"', "a, b", "inner space", "../x", "a/b", ".", "__x__", "é", "x".repeat(255)])(
    "is taken as it is: %s",
    (value) => {
      expect(key(value)).toBe(value);
    },
  );

  test.each([
    ["empty", [""]],
    ["256 characters long", ["x".repeat(256)]],
    ["100 000 characters long", ["x".repeat(100_000)]],
    ["repeated", ["a", "b"]],
    ["repeated with one value", ["a", "a"]],
  ])("is refused by name when it is %s", (_title, values) => {
    expect(refusal(() => key(...values))).toEqual({ code: "idempotency_key_invalid", param: "Idempotency-Key" });
  });
});

describe("the API key", () => {
  const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;

  test.each([
    ["Bearer", "Bearer sk_test_example", "sk_test_example"],
    ["Bearer in lower case", "bearer sk_test_example", "sk_test_example"],
    ["Basic with an empty password", basic("sk_test_example:"), "sk_test_example"],
    ["Basic with a password", basic("sk_test_example:secret"), undefined],
    ["Basic without a user", basic(":"), undefined],
    ["Bearer without a key", "Bearer ", undefined],
    ["another scheme", "Digest abc", undefined],
    ["a key alone", "sk_test_example", undefined],
    ["two keys", "Bearer a b", undefined],
  ])("%s", (_title, authorization, expected) => {
    expect(readApiKey(withHeader("authorization", authorization))).toBe(expected);
  });

  test("is undefined when the header is absent or repeated", () => {
    expect(readApiKey(withHeader("authorization"))).toBeUndefined();
    expect(readApiKey(withHeader("authorization", "Bearer a", "Bearer b"))).toBeUndefined();
  });
});

describe("the wait a client prefers", () => {
  test.each([
    ["wait=3", 3_000],
    ["wait=0", 0],
    ["wait=10", 10_000],
    ["wait=11", 10_000],
    ["wait=999999999", 10_000],
    ['respond-async, Wait = "5"; x=y', 5_000],
    ["wait=-1", undefined],
    ["wait=1.5", undefined],
    ["wait=99999999999999999999", undefined],
    ["wait", undefined],
    ["respond-async", undefined],
  ])("%s", (prefer, expected) => {
    expect(readWaitMs(withHeader("prefer", prefer))).toBe(expected);
  });

  test("is undefined when the header is absent, and the first of two counts", () => {
    expect(readWaitMs(withHeader("prefer"))).toBeUndefined();
    expect(readWaitMs(withHeader("prefer", "wait=1", "wait=2"))).toBe(1_000);
  });
});

describe("the version", () => {
  test.each(["2026-10-28.endive", "2024-04-10"])("%s is echoed", (version) => {
    expect(readStripeVersion(withHeader("stripe-version", version))).toBe(version);
  });

  test("is undefined when absent", () => {
    expect(readStripeVersion(withHeader("stripe-version"))).toBeUndefined();
  });

  test.each(["", "latest", "2026-13-01", "2026-10-28.", "2026-10-28.endive; x", "2026-10-28.ENDIVE"])(
    "%p is refused",
    (version) => {
      expect(refusal(() => readStripeVersion(withHeader("stripe-version", version)))).toEqual({
        code: "parameter_invalid",
        param: "Stripe-Version",
      });
    },
  );
});
