// The bytes that the flows store: answers, refusals, declines and the data of events.
// It must never look at headers: an outcome is a status and a body.
import { refuse } from "../../functions/domain/errors.ts";
import type { StoredOutcome } from "../../functions/domain/idempotency.ts";
import { wireRenderer } from "../../functions/edge/renderer.ts";
import { aCharge, aDeclinedView, aHeldView, anIntent, aPaidView, aRefundView } from "../support/payment-fixtures.ts";
import { expectValid } from "../support/schemas.ts";

const renderer = wireRenderer();

/** The body as a client reads it. */
function read(outcome: StoredOutcome | Uint8Array) {
  const bytes = outcome instanceof Uint8Array ? outcome : (outcome.body ?? new Uint8Array());
  return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
}

describe("an answer with the intent", () => {
  test("is a 200 with the intent as UTF-8", () => {
    const outcome = renderer.intentAnswer(aPaidView({ description: "Größe 42 – 寿司" }), []);
    expect(outcome.status).toBe(200);
    expectValid("payment_intent", read(outcome));
    expect(read(outcome)).toMatchObject({ id: "pi_1", status: "succeeded", description: "Größe 42 – 寿司" });
  });

  test("applies the expansions it is given", () => {
    const shown = read(renderer.intentAnswer(aPaidView(), ["latest_charge"]));
    expectValid("payment_intent", shown);
    expect(shown.latest_charge.id).toBe("ch_1");
  });

  test("has the same bytes every time", () => {
    const bytes = () => Buffer.from(renderer.intentAnswer(aPaidView(), ["latest_charge"]).body ?? []).toString("hex");
    expect(bytes()).toBe(bytes());
  });
});

describe("an answer with a refund", () => {
  test("is a 200 with the refund, also when the bank could not take it", () => {
    for (const status of ["succeeded", "failed"] as const) {
      const outcome = renderer.refundAnswer(aRefundView({ status }), []);
      expect(outcome.status).toBe(200);
      expectValid("refund", read(outcome));
      expect(read(outcome)).toMatchObject({ id: "re_1", status, charge: "ch_1", payment_intent: "pi_1" });
    }
  });

  test("applies the expansions it is given", () => {
    const shown = read(renderer.refundAnswer(aRefundView(), ["charge", "payment_intent"]));
    expectValid("refund", shown);
    expect([shown.charge.amount_refunded, shown.payment_intent.id]).toEqual([300, "pi_1"]);
  });

  test("cannot be rendered without the refund", () => {
    expect(() => renderer.refundAnswer(aPaidView(), [])).toThrow("not loaded");
  });
});

describe("a refusal", () => {
  test("has the error's status and the intent inside", () => {
    const error = refuse("payment_intent_unexpected_state", "It has already succeeded.");
    const outcome = renderer.errorAnswer(error, aPaidView());
    expect(outcome.status).toBe(400);
    expectValid("error", read(outcome));
    expect(read(outcome).error).toMatchObject({
      type: "invalid_request_error",
      code: "payment_intent_unexpected_state",
      message: "It has already succeeded.",
      payment_intent: { id: "pi_1", status: "succeeded" },
    });
  });

  test("has no intent when there is none", () => {
    const outcome = renderer.errorAnswer(
      refuse("resource_missing", "No such payment_intent: 'pi_x'", { param: "intent" }),
      null,
    );
    expect(outcome.status).toBe(404);
    expectValid("error", read(outcome));
    expect(read(outcome).error).toEqual({
      type: "invalid_request_error",
      code: "resource_missing",
      doc_url: "https://docs.stripe.com/error-codes/resource-missing",
      message: "No such payment_intent: 'pi_x'",
      param: "intent",
    });
  });
});

describe("a decline", () => {
  test("is a 402 with the charge, the intent and the payment method", () => {
    const outcome = renderer.declineAnswer(aDeclinedView());
    expect(outcome.status).toBe(402);
    expectValid("error", read(outcome));
    expect(read(outcome).error).toMatchObject({
      type: "card_error",
      code: "card_declined",
      decline_code: "insufficient_funds",
      doc_url: "https://docs.stripe.com/error-codes/card-declined",
      message: "Your card has insufficient funds.",
      charge: "ch_1",
      payment_intent: { id: "pi_1", status: "requires_payment_method", latest_charge: "ch_1" },
      payment_method: { id: "pm_1", object: "payment_method", type: "card" },
    });
  });

  test("shows the same payment method as the intent's last error", () => {
    const { error } = read(renderer.declineAnswer(aDeclinedView()));
    expect(error.payment_method).toEqual(error.payment_intent.last_payment_error.payment_method);
  });

  test("without a finer reason has no decline_code, and a wrong security code names its field", () => {
    const failure = { code: "incorrect_cvc", declineCode: null, message: "Your card's security code is incorrect." };
    const { error } = read(renderer.declineAnswer(aDeclinedView("pm_card_chargeDeclinedIncorrectCvc", failure)));
    expect(error).toMatchObject({ code: "incorrect_cvc", param: "cvc" });
    expect("decline_code" in error).toBe(false);
  });

  test("of a capture shows the charge and the intent that is still held", () => {
    const failure = { code: "processing_error", declineCode: null, message: "Try again in a little bit." };
    const outcome = renderer.declineAnswer(aHeldView(), failure);
    expect(outcome.status).toBe(402);
    expectValid("error", read(outcome));
    expect(read(outcome).error).toMatchObject({
      code: "processing_error",
      charge: "ch_1",
      payment_intent: { status: "requires_capture", amount_capturable: 1099 },
    });
  });

  test("cannot be rendered from a charge that did not fail", () => {
    expect(() => renderer.declineAnswer(aPaidView())).toThrow("without its failed charge");
    expect(() => renderer.declineAnswer({ intent: anIntent(), charge: null })).toThrow("without its failed charge");
  });
});

describe("the data of an event", () => {
  test("is a snapshot of the object that the event is about, and nothing else", () => {
    const intent = read(renderer.eventData({ type: "payment_intent.succeeded", about: "payment_intent" }, aPaidView()));
    const charge = read(renderer.eventData({ type: "charge.succeeded", about: "charge" }, aPaidView()));
    const refund = read(renderer.eventData({ type: "refund.created", about: "refund" }, aRefundView()));
    expect(Object.keys(intent)).toEqual(["object"]);
    expectValid("payment_intent", intent.object);
    expectValid("charge", charge.object);
    expectValid("refund", refund.object);
    expect(charge.object.id).toBe(aCharge().id);
  });

  test("of a refund cannot be rendered without the refund", () => {
    expect(() => renderer.eventData({ type: "refund.failed", about: "refund" }, aPaidView())).toThrow(
      "without its refund",
    );
  });

  test("of a charge cannot be rendered without the charge", () => {
    const view = { intent: anIntent(), charge: null };
    expect(() => renderer.eventData({ type: "charge.failed", about: "charge" }, view)).toThrow("without its charge");
  });
});
