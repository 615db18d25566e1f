// The official client, unmodified, pays by what the bank ends later: debits, and refunds that take time.
// It must never end anything by another way than the clock and the schedule: no test hook settles a payment.
import type Stripe from "stripe";
import { defaultTimings } from "../../functions/domain/idempotency.ts";
import { testSettlementMs } from "../../functions/domain/payment-methods.ts";
import { completerOf, sweep } from "../support/completer.ts";
import { openShop, payment, type Shop, thrownBy } from "./stripe-shop.ts";

let shop: Shop;
beforeEach(async () => {
  shop = await openShop();
});
afterEach(() => shop.close());

const debit = {
  ...payment,
  automatic_payment_methods: { enabled: true, allow_redirects: "never" },
} satisfies Stripe.PaymentIntentCreateParams;

const events = () => shop.world.ledger.rows("events").map(({ type }) => type);
async function endWhatIsPending() {
  await shop.world.clock.advance(testSettlementMs + defaultTimings.callTimeoutMs + 1);
  return await sweep(shop.world);
}

describe("a payment that the bank settles later", () => {
  const settledLater = { ...debit, payment_method: "pm_usBankAccount_success" };

  test("is processing at first, and succeeds by itself", async () => {
    const intent = await shop.stripe.paymentIntents.create(settledLater);
    expect(intent).toMatchObject({ status: "processing", amount_received: 0 });
    expect(await shop.stripe.charges.retrieve(String(intent.latest_charge))).toMatchObject({
      status: "pending",
      paid: false,
      captured: false,
    });
    expect(await endWhatIsPending()).toEqual({ settled: 1, left: 0 });
    expect(await shop.stripe.paymentIntents.retrieve(intent.id)).toMatchObject({
      status: "succeeded",
      amount_received: 2000,
    });
    expect(events()).toEqual([
      "payment_intent.created",
      "charge.pending",
      "payment_intent.processing",
      "charge.succeeded",
      "payment_intent.succeeded",
    ]);
  });

  test("that fails in the end needs another method", async () => {
    const failing = { ...debit, payment_method: "pm_usBankAccount_insufficientFunds" };
    const intent = await shop.stripe.paymentIntents.create(failing);
    await endWhatIsPending();
    const failed = await shop.stripe.paymentIntents.retrieve(intent.id, { expand: ["latest_charge"] });
    expect(failed).toMatchObject({
      status: "requires_payment_method",
      last_payment_error: { code: "insufficient_funds" },
      latest_charge: { status: "failed", failure_code: "insufficient_funds" },
    });
    expect(events().slice(-2)).toEqual(["charge.failed", "payment_intent.payment_failed"]);
  });

  test("replays its first answer after it has settled, and its key tells the end too", async () => {
    const idempotencyKey = "K";
    const first = await shop.stripe.paymentIntents.create(settledLater, { idempotencyKey });
    const lifeOf = async () => (await shop.world.get(`/v1/idempotency_keys/life?key=${idempotencyKey}`)).json;
    expect((await lifeOf()).attempts[0]).toMatchObject({ state: "pending", closed_at_ms: null });
    await endWhatIsPending();
    const { attempts, events: told } = await lifeOf();
    expect(attempts[0]).toMatchObject({ state: "succeeded" });
    expect(told.at(-1)).toMatchObject({ status: "succeeded", request: null });
    const again = await shop.stripe.paymentIntents.create(settledLater, { idempotencyKey });
    expect([again.id, again.status]).toEqual([first.id, "processing"]);
  });

  test("can be described meanwhile, and nothing else can be asked of it", async () => {
    const { id } = await shop.stripe.paymentIntents.create(settledLater);
    expect(await shop.stripe.paymentIntents.update(id, { description: "Tea" })).toMatchObject({ description: "Tea" });
    for (const command of [
      () => shop.stripe.paymentIntents.cancel(id),
      () => shop.stripe.paymentIntents.confirm(id),
      () => shop.stripe.paymentIntents.update(id, { amount: 1 }),
      () => shop.stripe.refunds.create({ payment_intent: id }),
    ]) {
      expect(await thrownBy(command)).toMatchObject({ statusCode: 400 });
    }
    await endWhatIsPending();
    expect(await shop.stripe.paymentIntents.retrieve(id)).toMatchObject({ status: "succeeded", description: "Tea" });
  });

  test("that takes longer than it said is looked at again", async () => {
    const { id } = await shop.stripe.paymentIntents.create(settledLater);
    await shop.world.clock.advance(testSettlementMs + defaultTimings.callTimeoutMs + 1);
    const deps = completerOf(shop.world);
    const stillPending = {
      kind: "pending",
      reference: "auth_x",
      settlesAtMs: shop.world.clock.now() + 30_000,
    } as const;
    const lookup = async () => ({ kind: "found", result: stillPending, isVoided: false }) as const;
    expect(await sweep(shop.world, { ...deps.acquirer, lookup })).toEqual({ settled: 0, left: 1 });
    await shop.world.clock.advance(30_000);
    expect(await endWhatIsPending()).toEqual({ settled: 1, left: 0 });
    expect(await shop.stripe.paymentIntents.retrieve(id)).toMatchObject({ status: "succeeded" });
  });

  test("is refused for an intent that takes cards only, by the parameter's name", async () => {
    const cardsOnly = { ...payment, payment_method: "pm_usBankAccount_success" };
    expect(await thrownBy(() => shop.stripe.paymentIntents.create(cardsOnly))).toMatchObject({
      statusCode: 400,
      param: "payment_method",
    });
    const { id } = await shop.stripe.paymentIntents.create({ amount: 2000, currency: "usd" });
    const confirm = () => shop.stripe.paymentIntents.confirm(id, { payment_method: "pm_usBankAccount_success" });
    expect(await thrownBy(confirm)).toMatchObject({ statusCode: 400, param: "payment_method" });
  });
});

test("a refund that the bank takes its time for is pending, and is given back in the end", async () => {
  const paid = await shop.stripe.paymentIntents.create({ ...payment, payment_method: "pm_card_pendingRefund" });
  const refund = await shop.stripe.refunds.create({ payment_intent: paid.id, amount: 700 });
  expect(refund.status).toBe("pending");
  await endWhatIsPending();
  expect(await shop.stripe.refunds.retrieve(refund.id)).toMatchObject({ status: "succeeded" });
  expect(events().slice(-3)).toEqual(["refund.created", "refund.updated", "charge.refunded"]);
});
