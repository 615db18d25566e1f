// The balance as the official client sees it: fees, days, refunds, pages, and every way to a balance transaction.
// It must never take an expected amount from the ledger: the numbers are literal.
import type Stripe from "stripe";
import { defaultTimings } from "../../functions/domain/idempotency.ts";
import { testSettlementMs } from "../../functions/domain/payment-methods.ts";
import { sweep } from "../support/completer.ts";
import { expectValid } from "../support/schemas.ts";
import { apiKeys } from "../support/world.ts";
import { openShop, payment, type Shop, thrownBy } from "./stripe-shop.ts";

// Payments are made at noon on 2026-01-15, so what is booked is available from the midnight before the 17th.
const dayMs = 24 * 60 * 60 * 1000;
const availableOn = Date.UTC(2026, 0, 17) / 1000;

let shop: Shop;
beforeEach(async () => {
  shop = await openShop();
});
afterEach(() => shop.close());

const line = (amount: number, currency = "usd") => ({ amount, currency, source_types: { card: amount } });
const lines = ({ available, pending }: Stripe.Balance) => ({ available, pending });

describe("the balance", () => {
  test("is empty before anything was paid, and each account has its own", async () => {
    const empty = { object: "balance", available: [], pending: [], livemode: false };
    expect({ ...(await shop.stripe.balance.retrieve()) }).toEqual(empty);
    await shop.clientWith(apiKeys.second).paymentIntents.create(payment);
    expect({ ...(await shop.stripe.balance.retrieve()) }).toEqual(empty);
  });

  test("holds what was paid less the fee, pending until two midnights later, by currency", async () => {
    const { balance, paymentIntents, refunds } = shop.stripe;
    const { id } = await paymentIntents.create(payment);
    await paymentIntents.create({ ...payment, amount: 5_000, currency: "jpy" });
    await paymentIntents.create({ ...payment, amount: 10_000, currency: "kwd" });
    await refunds.create({ payment_intent: id, amount: 500 });
    const owed = [line(4_815, "jpy"), line(9_710, "kwd"), line(1_412)];
    const none = [line(0, "jpy"), line(0, "kwd"), line(0)];
    expect(lines(await balance.retrieve())).toEqual({ available: none, pending: owed });

    await shop.world.clock.advance(1.5 * dayMs - 1);
    expect(lines(await balance.retrieve())).toEqual({ available: none, pending: owed });
    await shop.world.clock.advance(1);
    expect(lines(await balance.retrieve())).toEqual({ available: owed, pending: none });
  });

  test("falls by the whole refund, because a refund does not return the fee, and may fall below zero", async () => {
    const { id } = await shop.stripe.paymentIntents.create(payment);
    await shop.stripe.refunds.create({ payment_intent: id });
    expect(lines(await shop.stripe.balance.retrieve())).toEqual({ available: [line(0)], pending: [line(-88)] });
  });

  test("does not count what is only held, or was declined", async () => {
    const { paymentIntents, balance } = shop.stripe;
    const held = await paymentIntents.create({ ...payment, capture_method: "manual" });
    await thrownBy(() => paymentIntents.create({ ...payment, payment_method: "pm_card_visa_chargeDeclined" }));
    expect(lines(await balance.retrieve())).toEqual({ available: [], pending: [] });
    await paymentIntents.capture(held.id, { amount_to_capture: 1_000 });
    expect(lines(await balance.retrieve())).toEqual({ available: [line(0)], pending: [line(941)] });
  });
});

describe("a balance transaction", () => {
  test("is reached from its charge by id or whole, and shows amount, fee and net", async () => {
    const { charges, paymentIntents, balanceTransactions } = shop.stripe;
    const expand = ["latest_charge.balance_transaction"];
    const intent = await paymentIntents.create({ ...payment, expand });
    const charge = intent.latest_charge as Stripe.Charge;
    const booked = charge.balance_transaction as Stripe.BalanceTransaction;
    expectValid("balance_transaction", booked);
    expect(booked).toEqual({
      id: `txn_ch${charge.id.slice(3)}`,
      object: "balance_transaction",
      amount: 2_000,
      available_on: availableOn,
      balance_type: "payments",
      created: charge.created,
      currency: "usd",
      description: null,
      exchange_rate: null,
      fee: 88,
      fee_details: [
        { amount: 88, application: null, currency: "usd", description: "Payment processing fee", type: "stripe_fee" },
      ],
      net: 1_912,
      reporting_category: "charge",
      source: charge.id,
      status: "pending",
      type: "charge",
    });
    expect({ ...(await balanceTransactions.retrieve(booked.id)) }).toEqual(booked);
    expect((await charges.retrieve(charge.id)).balance_transaction).toBe(booked.id);
    const whole = await charges.retrieve(charge.id, { expand: ["balance_transaction", "payment_intent"] });
    expect([whole.balance_transaction, (whole.payment_intent as Stripe.PaymentIntent).id]).toEqual([booked, intent.id]);
    const listed = await paymentIntents.list({ expand: expand.map((path) => `data.${path}`) });
    expect(listed.data).toMatchObject([{ latest_charge: { balance_transaction: booked } }]);

    await shop.world.clock.advance(2 * dayMs);
    const later = { ...booked, status: "available" };
    expect({ ...(await balanceTransactions.retrieve(booked.id)) }).toEqual(later);
    const changed = await paymentIntents.update(intent.id, { metadata: { a: "1" }, expand });
    expect((changed.latest_charge as Stripe.Charge).balance_transaction).toEqual(later);
    const { source } = await balanceTransactions.retrieve(booked.id, { expand: ["source"] });
    expect(source).toMatchObject({ object: "charge", id: charge.id, balance_transaction: booked.id });
  });

  test("does not exist while the money is held, and is null when it is expanded", async () => {
    const expand = ["latest_charge.balance_transaction"];
    const held = await shop.stripe.paymentIntents.create({ ...payment, capture_method: "manual", expand });
    expect((held.latest_charge as Stripe.Charge).balance_transaction).toBeNull();
    const captured = await shop.stripe.paymentIntents.capture(held.id, { expand });
    expect((captured.latest_charge as Stripe.Charge).balance_transaction).toMatchObject({ net: 1_912, fee: 88 });
  });

  test("of a refund is negative, without a fee, and reached from it in every way", async () => {
    const { refunds, balanceTransactions, paymentIntents } = shop.stripe;
    const { id } = await paymentIntents.create(payment);
    const expand = ["balance_transaction"];
    const refund = await refunds.create({ payment_intent: id, amount: 500, expand });
    const booked = refund.balance_transaction as Stripe.BalanceTransaction;
    expectValid("balance_transaction", booked);
    expect(booked).toMatchObject({
      amount: -500,
      fee: 0,
      fee_details: [],
      net: -500,
      type: "refund",
      source: refund.id,
    });
    expect([booked.reporting_category, booked.available_on]).toEqual(["refund", availableOn]);
    expect((await refunds.retrieve(refund.id)).balance_transaction).toBe(`txn_re${refund.id.slice(3)}`);
    expect((await refunds.retrieve(refund.id, { expand })).balance_transaction).toEqual(booked);
    expect((await refunds.update(refund.id, { metadata: { a: "1" }, expand })).balance_transaction).toEqual(booked);
    const list = await refunds.list({ expand: ["data.balance_transaction"] });
    expect(list.data[0]?.balance_transaction).toEqual(booked);
    const { source } = await balanceTransactions.retrieve(booked.id, { expand: ["source"] });
    expect(source).toMatchObject({ object: "refund", id: refund.id, payment_method: refund.payment_method });
  });

  test("stands for a refund from its acceptance on, and another one for its failure later", async () => {
    const { refunds, balanceTransactions, paymentIntents, balance } = shop.stripe;
    const { id } = await paymentIntents.create({ ...payment, payment_method: "pm_card_refundFail" });
    const pending = await refunds.create({ payment_intent: id, amount: 500, expand: ["balance_transaction"] });
    expect(pending).toMatchObject({ status: "pending", balance_transaction: { amount: -500, type: "refund" } });
    expect(lines(await balance.retrieve()).pending).toEqual([line(1_412)]);
    await shop.world.clock.advance(testSettlementMs + defaultTimings.callTimeoutMs + 1);
    await sweep(shop.world);
    const expand = ["balance_transaction", "failure_balance_transaction"];
    const failed = await refunds.retrieve(pending.id, { expand });
    expectValid("refund", { ...failed });
    const undone = failed.failure_balance_transaction as Stripe.BalanceTransaction;
    expect(undone).toMatchObject({ id: `txn_rf${failed.id.slice(3)}`, amount: 500, fee: 0, type: "refund_failure" });
    expect((await refunds.retrieve(failed.id)).failure_balance_transaction).toBe(undone.id);
    expect({ ...(await balanceTransactions.retrieve(undone.id)) }).toEqual(undone);
    const both = await balanceTransactions.list({ source: failed.id });
    expect(both.data).toEqual([undone, failed.balance_transaction]);
    expect(lines(await balance.retrieve()).pending).toEqual([line(1_912)]);
  });

  test("of another account does not exist", async () => {
    const { latest_charge } = await shop.stripe.paymentIntents.create(payment);
    const id = `txn_ch${String(latest_charge).slice(3)}`;
    const { balanceTransactions } = shop.clientWith(apiKeys.second);
    const missing = { statusCode: 404, code: "resource_missing", param: "id" };
    expect(await thrownBy(() => balanceTransactions.retrieve(id))).toMatchObject(missing);
    expect(await thrownBy(() => balanceTransactions.retrieve("txn_none"))).toMatchObject(missing);
    expect(await thrownBy(() => balanceTransactions.list({ starting_after: id }))).toMatchObject({
      ...missing,
      param: "starting_after",
    });
    expect((await balanceTransactions.list()).data).toEqual([]);
  });
});

describe("the list of balance transactions", () => {
  let made: string[];
  beforeEach(async () => {
    const { paymentIntents, refunds } = shop.stripe;
    const first = await paymentIntents.create(payment);
    await shop.world.clock.advance(1_000);
    const refund = await refunds.create({ payment_intent: first.id, amount: 500 });
    await shop.world.clock.advance(1_000);
    const second = await paymentIntents.create({ ...payment, currency: "eur" });
    made = [first.latest_charge, refund.id, second.latest_charge].map(String);
  });

  test("is newest first, and the client's own loop finds all of them in pages of one, in both directions", async () => {
    const { balanceTransactions } = shop.stripe;
    const all = await balanceTransactions.list();
    expectValid("list", { ...all });
    expect(all.data.map(({ source }) => source)).toEqual(made.toReversed());
    const forward = await balanceTransactions.list({ limit: 1 }).autoPagingToArray({ limit: 10 });
    expect(forward).toEqual(all.data);
    const oldest = all.data.at(-1)?.id ?? "";
    const backward = await balanceTransactions
      .list({ limit: 1, ending_before: oldest })
      .autoPagingToArray({ limit: 9 });
    expect(backward).toEqual(all.data.slice(0, 2).toReversed());
  });

  test("is narrowed by type, source, currency and time, and shows sources whole", async () => {
    const { balanceTransactions } = shop.stripe;
    const [charge = "", refund = "", other = ""] = made;
    const found = async (query: Stripe.BalanceTransactionListParams) =>
      (await balanceTransactions.list(query)).data.map(({ source }) => source);
    expect(await found({ type: "refund" })).toEqual([refund]);
    expect(await found({ type: "refund_failure" })).toEqual([]);
    expect(await found({ source: charge })).toEqual([charge]);
    expect(await found({ source: refund, type: "charge" })).toEqual([]);
    expect(await found({ currency: "eur" })).toEqual([other]);
    expect(await found({ created: { lt: Date.UTC(2026, 0, 15, 12, 0, 1) / 1000 } })).toEqual([charge]);
    const whole = await found({ expand: ["data.source"] });
    expect(whole.map((source) => (source as Stripe.Charge).id)).toEqual(made.toReversed());
  });

  test("does not go by payouts, and says so", async () => {
    const refused = await thrownBy(() => shop.stripe.balanceTransactions.list({ payout: "po_1" }));
    expect(refused).toMatchObject({ statusCode: 400, param: "payout" });
    expect(refused.message).toBe(
      "There are no payouts here, so no balance transaction belongs to one. Leave payout out.",
    );
  });
});
