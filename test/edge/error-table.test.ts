// What a client sees of each error: status, type, code, retry advice, and nothing that is not meant for it.
// It must never compare with the table itself: the expected values are the contract's, written out.
import { DomainError, type ErrorCode, refuse } from "../../functions/domain/errors.ts";
import { cardError, errorBody, errorResponseOf, errorTable } from "../../functions/edge/error-table.ts";
import { expectValid } from "../support/schemas.ts";

type Row = [ErrorCode, number, string, string | undefined, string | undefined];

const invalid = "invalid_request_error";
const rows: readonly Row[] = [
  ["body_invalid", 400, invalid, undefined, undefined],
  ["body_too_large", 413, invalid, undefined, undefined],
  ["content_encoding_unsupported", 415, invalid, undefined, undefined],
  ["media_type_unsupported", 415, invalid, undefined, undefined],
  ["url_invalid", 400, invalid, "url_invalid", undefined],
  ["route_unknown", 404, invalid, undefined, undefined],
  ["method_not_allowed", 405, invalid, undefined, undefined],
  ["parameter_missing", 400, invalid, "parameter_missing", undefined],
  ["parameter_unknown", 400, invalid, "parameter_unknown", undefined],
  ["parameter_invalid", 400, invalid, undefined, undefined],
  ["parameter_invalid_empty", 400, invalid, "parameter_invalid_empty", undefined],
  ["parameter_invalid_integer", 400, invalid, "parameter_invalid_integer", undefined],
  ["amount_too_small", 400, invalid, "amount_too_small", undefined],
  ["amount_too_large", 400, invalid, "amount_too_large", undefined],
  ["card_data_refused", 400, invalid, undefined, undefined],
  ["api_key_missing", 401, invalid, undefined, undefined],
  ["api_key_invalid", 401, invalid, undefined, undefined],
  ["caller_refused", 403, invalid, undefined, undefined],
  ["rate_limit", 429, invalid, "rate_limit", undefined],
  ["resource_missing", 404, invalid, "resource_missing", undefined],
  ["payment_intent_unexpected_state", 400, invalid, "payment_intent_unexpected_state", undefined],
  ["refund_impossible", 400, invalid, undefined, undefined],
  ["refund_too_large", 400, invalid, undefined, undefined],
  ["charge_already_refunded", 400, invalid, "charge_already_refunded", undefined],
  ["card_declined", 402, "card_error", "card_declined", undefined],
  ["delivery_in_flight", 409, invalid, undefined, "true"],
  ["idempotency_key_invalid", 400, invalid, undefined, undefined],
  ["idempotency_mismatch", 400, "idempotency_error", undefined, undefined],
  ["idempotency_key_in_use", 409, invalid, "idempotency_key_in_use", "true"],
  ["idempotency_answer_not_retained", 410, invalid, undefined, "false"],
  ["lock_timeout", 429, invalid, "lock_timeout", "true"],
  ["commit_unknown", 503, "api_error", undefined, "true"],
  ["store_unavailable", 503, "api_error", undefined, "true"],
  ["acquirer_unknown", 503, "api_error", undefined, "true"],
  ["permission_denied", 500, "api_error", undefined, "true"],
  ["internal", 500, "api_error", undefined, "true"],
];

describe("an error's answer", () => {
  test.each(rows)("%s is %i %s", (code, status, type, wireCode, retry) => {
    const answer = errorResponseOf(refuse(code, "Text of the error."));
    const body = JSON.parse(answer.body.toString("utf8"));
    expectValid("error", body);
    expect(answer.status).toBe(status);
    expect(answer.headers["Content-Type"]).toBe("application/json");
    expect(answer.headers["Stripe-Should-Retry"]).toBe(retry);
    expect(body.error.type).toBe(type);
    expect(body.error.code).toBe(wireCode);
    expect("doc_url" in body.error).toBe(wireCode !== undefined);
  });

  test("the rows above are all there are", () => {
    expect(rows.map(([code]) => code).sort()).toEqual(Object.keys(errorTable).sort());
  });

  test("names the parameter, and the page that explains the code with dashes", () => {
    expect(errorBody(refuse("parameter_missing", "Missing required param: amount.", { param: "amount" }))).toEqual({
      error: {
        type: "invalid_request_error",
        code: "parameter_missing",
        doc_url: "https://docs.stripe.com/error-codes/parameter-missing",
        message: "Missing required param: amount.",
        param: "amount",
      },
    });
  });

  test("a mismatch has neither code nor page", () => {
    expect(errorBody(refuse("idempotency_mismatch", "Other parameters."))).toEqual({
      error: { type: "idempotency_error", message: "Other parameters." },
    });
  });
});

describe("an error that is not for clients", () => {
  test.each([
    ["an error of a library", new Error("connect ECONNREFUSED 10.0.0.7:443")],
    ["a text that was thrown", "10.0.0.7"],
    ["nothing at all", undefined],
    ["a missing right", new DomainError("permission_denied", "10.0.0.7 lacks the role")],
    [
      "a store that is down",
      new DomainError("store_unavailable", "10.0.0.7 is down", { cause: new Error("10.0.0.7") }),
    ],
  ])("%s shows no detail and may be retried", (_, error) => {
    const answer = errorResponseOf(error);
    expectValid("error", JSON.parse(answer.body.toString("utf8")));
    expect(answer.status).toBeGreaterThanOrEqual(500);
    expect(answer.headers["Stripe-Should-Retry"]).toBe("true");
    expect(answer.body.toString("utf8")).not.toContain("10.0.0.7");
    expect(answer.body.toString("utf8")).not.toContain("ECONNREFUSED");
  });
});

describe("a decline", () => {
  test("points at the security code only when that was wrong", () => {
    const cvc = cardError({ code: "incorrect_cvc", declineCode: null, message: "Wrong." });
    const expired = cardError({ code: "expired_card", declineCode: null, message: "Expired." });
    expect(cvc.param).toBe("cvc");
    expect(expired).toEqual({
      type: "card_error",
      code: "expired_card",
      doc_url: "https://docs.stripe.com/error-codes/expired-card",
      message: "Expired.",
    });
  });
});
