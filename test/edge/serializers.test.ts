// Intents, charges and refunds as the API shows them, against the schemas and the contract's sections 5 and 6.
// It must never snapshot a whole object: the schemas hold the shape, these tests hold the values that can go wrong.
import { serializeCharge } from "../../functions/edge/serialize-charge.ts";
import { serializePaymentIntent } from "../../functions/edge/serialize-payment-intent.ts";
import { serializeRefund } from "../../functions/edge/serialize-refund.ts";
import { aCharge, aDeclinedView, aHeldView, anIntent, aPaidView, aRefund } from "../support/payment-fixtures.ts";
import { expectValid } from "../support/schemas.ts";

/** What a client reads: the object after its way through JSON. */
const overTheWire = (value: unknown) => JSON.parse(JSON.stringify(value));

describe("a payment intent", () => {
  test("has every field of the client's type when it is new", () => {
    expectValid("payment_intent", overTheWire(serializePaymentIntent(anIntent())));
  });

  test("shows amounts as numbers and times as whole seconds", () => {
    const shown = serializePaymentIntent(
      anIntent({ amountMinor: 99_999_999n, status: "canceled", canceledAtMs: 1_772_366_460_999 }),
    );
    expect(shown).toMatchObject({ amount: 99_999_999, created: 1_772_366_400, canceled_at: 1_772_366_460 });
    expectValid("payment_intent", overTheWire(shown));
  });

  test("refuses to round an amount that JSON cannot carry", () => {
    expect(() => serializePaymentIntent(anIntent({ amountMinor: 2n ** 53n }))).toThrow("too large");
  });

  test("shows the payment method's id and never its token", () => {
    const { intent } = aPaidView();
    const shown = serializePaymentIntent(intent);
    expect(shown).toMatchObject({ payment_method: "pm_1", latest_charge: "ch_1", amount_received: 1099 });
    expect(JSON.stringify(shown)).not.toContain("pm_card_visa");
    expectValid("payment_intent", overTheWire(shown));
  });

  test("whose money is held shows what a capture may take, and nothing received", () => {
    const shown = overTheWire(serializePaymentIntent(aHeldView().intent));
    expect(shown).toMatchObject({ status: "requires_capture", amount_capturable: 1099, amount_received: 0 });
    expectValid("payment_intent", shown);
  });

  test("keeps the last decline with its charge and payment method", () => {
    const shown = overTheWire(serializePaymentIntent(aDeclinedView().intent));
    expect(shown.payment_method).toBeNull();
    expect(shown.last_payment_error).toMatchObject({
      type: "card_error",
      code: "card_declined",
      decline_code: "insufficient_funds",
      doc_url: "https://docs.stripe.com/error-codes/card-declined",
      message: "Your card has insufficient funds.",
      charge: "ch_1",
      payment_method: { id: "pm_1", object: "payment_method", card: { brand: "visa", last4: "9995" } },
    });
    expectValid("payment_intent", shown);
  });

  test("leaves out of shipping and automatic methods what is not known", () => {
    const address = { line1: "1 High St", line2: null, city: null, state: null, postal_code: null, country: "IE" };
    const shown = overTheWire(
      serializePaymentIntent(
        anIntent({
          shipping: { name: null, phone: null, carrier: null, trackingNumber: "T1", address },
          automaticPaymentMethods: { enabled: true, allowRedirects: null },
        }),
      ),
    );
    expect(shown.shipping).toEqual({ address, carrier: null, phone: null, tracking_number: "T1" });
    expect(shown.automatic_payment_methods).toEqual({ enabled: true });
    expectValid("payment_intent", shown);
  });

  test("gives the same bytes for metadata in any order, whatever a key is called", () => {
    const one = anIntent({ metadata: Object.assign(Object.create(null), { b: "2", a: "1" }) });
    const other = anIntent({ metadata: { a: "1", b: "2" } });
    const odd = anIntent({ metadata: JSON.parse('{"__proto__":"p"}') });
    expect(JSON.stringify(serializePaymentIntent(one))).toBe(JSON.stringify(serializePaymentIntent(other)));
    expect(JSON.stringify(serializePaymentIntent(odd).metadata)).toBe('{"__proto__":"p"}');
  });
});

describe("a charge", () => {
  test("that succeeded is paid, captured and approved by the network", () => {
    const shown = overTheWire(serializeCharge(aCharge()));
    expect(shown).toMatchObject({
      status: "succeeded",
      paid: true,
      captured: true,
      refunded: false,
      amount_captured: 1099,
      created: 1_772_366_401,
      failure_code: null,
      payment_intent: "pi_1",
      outcome: { type: "authorized", network_status: "approved_by_network", reason: null },
      payment_method_details: { card: { brand: "visa", last4: "4242", network: "visa", amount_authorized: 1099 } },
    });
    expectValid("charge", shown);
  });

  test("that was declined says why and took nothing", () => {
    const shown = overTheWire(serializeCharge(aDeclinedView().charge ?? aCharge()));
    expect(shown).toMatchObject({
      status: "failed",
      paid: false,
      captured: false,
      amount_captured: 0,
      failure_code: "card_declined",
      failure_message: "Your card has insufficient funds.",
      outcome: { type: "issuer_declined", network_status: "declined_by_network", reason: "insufficient_funds" },
      payment_method_details: { card: { amount_authorized: null } },
    });
    expectValid("charge", shown);
  });

  test("that was blocked never reached the network", () => {
    const view = aDeclinedView("pm_card_radarBlock", {
      code: "card_declined",
      declineCode: "fraudulent",
      message: "No.",
    });
    const shown = overTheWire(serializeCharge(view.charge ?? aCharge()));
    expect(shown.outcome).toMatchObject({ type: "blocked", network_status: "not_sent_to_network" });
    expectValid("charge", shown);
  });

  test("that is only held is paid and not captured", () => {
    const shown = overTheWire(serializeCharge(aHeldView().charge));
    expect(shown).toMatchObject({ status: "succeeded", paid: true, captured: false, amount_captured: 0 });
    expect(shown.payment_method_details.card.amount_authorized).toBe(1099);
    expectValid("charge", shown);
  });

  test("counts as refunded only when nothing is left of it", () => {
    expect(serializeCharge(aCharge({ refundedMinor: 1098n }))).toMatchObject({
      refunded: false,
      amount_refunded: 1098,
    });
    expect(serializeCharge(aCharge({ refundedMinor: 1099n })).refunded).toBe(true);
    expect(serializeCharge(aCharge({ capturedMinor: 99n, refundedMinor: 99n }))).toMatchObject({
      refunded: true,
      amount: 1099,
      amount_captured: 99,
      amount_refunded: 99,
    });
    expect(serializeCharge(aCharge({ capturedMinor: 0n })).refunded).toBe(false);
  });

  test("with a token of a real processor shows no card", () => {
    const shown = overTheWire(serializeCharge(aCharge({ paymentMethodToken: "tok_of_a_processor" })));
    expect(shown.payment_method_details).toEqual({ type: "card" });
    expectValid("charge", shown);
  });
});

describe("a refund", () => {
  test("names its charge, its intent and its payment method", () => {
    const shown = overTheWire(serializeRefund(aRefund({ reason: "duplicate", metadata: { b: "2", a: "1" } }), "pm_1"));
    expect(shown).toMatchObject({
      status: "succeeded",
      amount: 300,
      currency: "eur",
      created: 1_772_366_402,
      charge: "ch_1",
      payment_intent: "pi_1",
      payment_method: "pm_1",
      reason: "duplicate",
    });
    expect(Object.keys(shown.metadata)).toEqual(["a", "b"]);
    expectValid("refund", shown);
  });

  test.each(["pending", "failed"] as const)("that is %s says so, and why it failed only if it did", (status) => {
    const shown = overTheWire(serializeRefund(aRefund({ status }), "pm_1"));
    expect([shown.status, "failure_reason" in shown]).toEqual([status, status === "failed"]);
    expectValid("refund", shown);
  });
});
