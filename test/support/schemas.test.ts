// Proves that the schemas notice what they are there for: a schema that accepts everything guards nothing.
// It must never test a serializer: its values are made wrong by hand.
import { serializePaymentIntent } from "../../functions/edge/serialize-payment-intent.ts";
import { serializeRefund } from "../../functions/edge/serialize-refund.ts";
import { aDeclinedView, aRefund } from "./payment-fixtures.ts";
import { expectValidAnswer, schemaProblems } from "./schemas.ts";

/** A declined intent as JSON, with one field replaced. */
function intentWith(fields: Record<string, unknown>): unknown {
  return { ...JSON.parse(JSON.stringify(serializePaymentIntent(aDeclinedView().intent))), ...fields };
}

describe("the schema of a payment intent", () => {
  test("accepts a whole one", () => {
    expect(schemaProblems("payment_intent", intentWith({}))).toEqual([]);
  });

  test("names a field that is missing", () => {
    const { review: _, ...rest } = intentWith({}) as Record<string, unknown>;
    expect(schemaProblems("payment_intent", rest)).toEqual(["$.review: missing"]);
  });

  test.each([
    ["a status that does not exist", { status: "paid" }, /^\$\.status: paid is none of/],
    ["an amount as text", { amount: "1099" }, /^\$\.amount: string, not integer/],
    ["a broken amount", { amount: 10.5 }, /^\$\.amount: number, not integer/],
    ["a negative amount", { amount: -1 }, /^\$\.amount: -1 is under 0/],
    ["a field that nobody described", { internal: 1 }, /^\$\.internal: not described/],
    ["metadata that is not text", { metadata: { a: 1 } }, /^\$\.metadata\.a: integer, not string/],
    ["null where something must be", { currency: null }, /^\$\.currency: null, not string/],
    ["a wrong field deep inside", { latest_charge: { object: "charge" } }, /^\$\.latest_charge\.id: missing/],
  ])("refuses %s", (_, fields, problem) => {
    expect(schemaProblems("payment_intent", intentWith(fields))[0]).toMatch(problem);
  });
});

describe("the schema of an error", () => {
  test.each([
    ["an unknown type", { type: "rate_limit_error", message: "m" }],
    ["an unknown code", { type: "invalid_request_error", message: "m", code: "idempotency_key_mismatch" }],
    ["a null in an optional field", { type: "api_error", message: "m", param: null }],
    ["an empty message", { type: "api_error", message: "" }],
  ])("refuses %s", (_, error) => {
    expect(schemaProblems("error", { error })).toHaveLength(1);
  });
});

describe("the schema of a refund", () => {
  const refundWith = (fields: object) => ({ ...serializeRefund(aRefund(), "pm_1"), ...fields });

  test("accepts a whole one", () => {
    expect(schemaProblems("refund", refundWith({}))).toEqual([]);
  });

  test.each([
    ["of nothing", { amount: 0 }],
    ["of less than nothing", { amount: -5 }],
    ["in a state that does not exist", { status: "requires_action" }],
    ["for a reason that nobody can give", { reason: "expired_uncaptured_charge" }],
    ["of no charge", { charge: null }],
    ["with a field that nobody described", { reserved: 1 }],
  ])("refuses one %s", (_, fields) => {
    expect(schemaProblems("refund", refundWith(fields))).toHaveLength(1);
  });
});

describe("an answer, which says itself what it is", () => {
  test("is refused when it is nothing that has a schema, or not what it says", () => {
    expect(() => expectValidAnswer({ object: "dispute" })).toThrow("dispute");
    expect(() => expectValidAnswer({})).toThrow();
    expect(() => expectValidAnswer({ ...serializeRefund(aRefund(), "pm_1"), object: "charge" })).toThrow();
    expectValidAnswer({ ...serializeRefund(aRefund(), "pm_1") });
  });
});
