// Which ids a client may ask to see whole, and that they then are.
// It must never load anything: what a view lacks must be noticed, not fetched.
import { hasCode } from "../../functions/domain/errors.ts";
import { bookRefund } from "../../functions/domain/ledger.ts";
import { standardTerms } from "../../functions/domain/ledger-terms.ts";
import {
  needsCharge,
  needsIntent,
  readExpansions,
  renderCharge,
  renderPaymentIntent,
  renderRefund,
} from "../../functions/edge/expand.ts";
import {
  aCharge,
  aDeclinedView,
  anIntent,
  aPaidView,
  aRefund,
  aRefundView,
  createdAtMs,
} from "../support/payment-fixtures.ts";
import { expectValid } from "../support/schemas.ts";

/** The error that an action throws. */
function thrownBy(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  throw new Error("Nothing was thrown.");
}

describe("expand paths", () => {
  test("are returned once each, without the prefix of a list", () => {
    expect(readExpansions(["latest_charge"], "payment_intent", "one")).toEqual(["latest_charge"]);
    expect(readExpansions(["data.latest_charge", "data.latest_charge"], "payment_intent", "list")).toEqual([
      "latest_charge",
    ]);
    expect(readExpansions(["payment_intent", "balance_transaction"], "charge", "one")).toEqual([
      "balance_transaction",
      "payment_intent",
    ]);
    expect(readExpansions([], "charge", "one")).toEqual([]);
    expect(readExpansions(["data.payment_intent", "data.charge"], "refund", "list")).toEqual([
      "charge",
      "payment_intent",
    ]);
  });

  test.each([
    ["an unknown property", ["nonsense"], "payment_intent", "one", "nonsense"],
    ["an id that this API cannot show whole", ["customer"], "payment_intent", "one", "customer"],
    ["a charge of a charge", ["charge"], "charge", "one", "charge"],
    ["a refund's charge's refunds", ["charge.refunds"], "refund", "one", "charge.refunds"],
    ["an empty path", [""], "payment_intent", "one", ""],
    ["a property of another object", ["latest_charge"], "charge", "one", "latest_charge"],
    ["a name of every object", ["constructor"], "charge", "one", "constructor"],
    ["a list's path on one object", ["data.latest_charge"], "payment_intent", "one", "data.latest_charge"],
    ["one object's path on a list", ["latest_charge"], "payment_intent", "list", "latest_charge"],
    ["the list's items themselves", ["data"], "payment_intent", "list", "data"],
  ] as const)("refuse %s", (_, paths, shown, scope, named) => {
    const error = thrownBy(() => readExpansions(paths, shown, scope));
    expect(error).toMatchObject({
      code: "parameter_invalid",
      param: "expand[0]",
      message: `This property cannot be expanded (${named}).`,
    });
  });

  test("refuse the fifth level, and name the path at fault by its place", () => {
    const error = thrownBy(() =>
      readExpansions(
        ["data.latest_charge", "data.latest_charge.payment_intent.latest_charge.payment_intent"],
        "payment_intent",
        "list",
      ),
    );
    expect(hasCode(error, "parameter_invalid") && error.param).toBe("expand[1]");
    expect((error as Error).message).toContain("4 levels");
  });
});

describe("what must be loaded", () => {
  test("is the charge for any path that goes through it, and the intent likewise", () => {
    expect(needsCharge(["latest_charge.balance_transaction"])).toBe(true);
    expect(needsCharge(["latest_charge"])).toBe(true);
    expect(needsCharge([])).toBe(false);
    expect(needsIntent(["payment_intent"])).toBe(true);
    expect(needsIntent(["balance_transaction"])).toBe(false);
  });
});

describe("rendering", () => {
  test("shows ids when nothing is expanded", () => {
    expect(renderPaymentIntent(aPaidView(), []).latest_charge).toBe("ch_1");
    expect(renderCharge(aCharge(), null, []).payment_intent).toBe("pi_1");
  });

  test("shows the latest charge whole, with its intent as an id", () => {
    const shown = renderPaymentIntent(aDeclinedView(), ["latest_charge", "latest_charge.balance_transaction"]);
    expect(shown.latest_charge).toMatchObject({ object: "charge", payment_intent: "pi_1", balance_transaction: null });
    expectValid("payment_intent", JSON.parse(JSON.stringify(shown)));
  });

  test("shows the intent inside the charge inside the intent, and ends there", () => {
    const shown = renderPaymentIntent(aPaidView(), ["latest_charge.payment_intent"]);
    expect(shown.latest_charge).toMatchObject({ payment_intent: { object: "payment_intent", latest_charge: "ch_1" } });
    expectValid("payment_intent", JSON.parse(JSON.stringify(shown)));
  });

  test("shows a charge's intent whole", () => {
    const shown = renderCharge(aCharge(), aPaidView().intent, ["payment_intent"]);
    expect(shown.payment_intent).toMatchObject({ id: "pi_1", status: "succeeded" });
    expectValid("charge", JSON.parse(JSON.stringify(shown)));
  });

  test("shows a refund's charge, intent and balance transaction as ids, or whole", () => {
    const ids = { charge: "ch_1", payment_intent: "pi_1" };
    expect(renderRefund(aRefundView(), [])).toMatchObject({ ...ids, balance_transaction: "txn_re1" });
    const pending = renderRefund(aRefundView({ status: "pending", acceptedAtMs: null }), ["balance_transaction"]);
    expect(pending).toMatchObject({ ...ids, balance_transaction: null });
    const books = { bookings: [bookRefund(aRefund(), standardTerms, createdAtMs)], atMs: createdAtMs };
    const booked = renderRefund({ ...aRefundView(), books }, ["balance_transaction"]);
    expect(booked.balance_transaction).toMatchObject({ object: "balance_transaction", id: "txn_re1", net: -300 });
    const shown = renderRefund(aRefundView(), ["charge", "payment_intent"]);
    expect(shown.charge).toMatchObject({ object: "charge", amount_refunded: 300, payment_intent: "pi_1" });
    expect(shown.payment_intent).toMatchObject({ object: "payment_intent", latest_charge: "ch_1" });
    expectValid("refund", JSON.parse(JSON.stringify(shown)));
  });

  test("leaves null what does not exist yet", () => {
    const view = { intent: anIntent(), charge: null };
    expect(renderPaymentIntent(view, ["latest_charge"]).latest_charge).toBeNull();
  });

  test("throws when the object to show was not loaded or is another one", () => {
    const { intent } = aPaidView();
    expect(() => renderPaymentIntent({ intent, charge: null }, ["latest_charge"])).toThrow("not loaded");
    expect(() => renderPaymentIntent({ intent, charge: aCharge({ id: "ch_0" }) }, ["latest_charge"])).toThrow("pi_1");
    expect(() => renderCharge(aCharge(), null, ["payment_intent"])).toThrow("not loaded");
    expect(() => renderCharge(aCharge(), null, ["balance_transaction"])).toThrow("txn_ch1 was not loaded");
    expect(() => renderRefund(aPaidView(), [])).toThrow("not loaded");
    expect(() => renderRefund({ ...aRefundView(), charge: aCharge({ id: "ch_0" }) }, [])).toThrow("not loaded");
  });
});
